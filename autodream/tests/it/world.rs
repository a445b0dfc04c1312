//! A memory directory with transcripts beside it.

use std::fmt;
use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autodream::{Acquired, Lock, Process};
use memdir_paths::MemoryDir;
use tempfile::TempDir;

pub(crate) struct World {
    _temp: TempDir,
    pub(crate) transcripts: PathBuf,
    pub(crate) dir: MemoryDir,
}

/// A fixed instant; nothing here depends on the clock.
pub(crate) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_780_000_000)
}

pub(crate) fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 3600)
}

pub(crate) fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// Only processes below 1,000 live.
pub(crate) fn process(pid: u32) -> Process {
    Process::new(pid, |pid| pid < 1_000).host("here")
}

impl World {
    pub(crate) fn new() -> World {
        let temp = TempDir::new().unwrap();
        let transcripts = temp.path().canonicalize().unwrap().join("-project");
        fs::create_dir_all(transcripts.join("memory")).unwrap();
        World {
            dir: MemoryDir::new(transcripts.join("memory")),
            transcripts,
            _temp: temp,
        }
    }

    pub(crate) fn session(&self, id: &str, modified: SystemTime) {
        file(
            &self.transcripts.join(format!("{id}.jsonl")),
            "{}\n",
            modified,
        );
    }

    /// A lock file as another program writes it.
    pub(crate) fn lock_file(&self, body: &str, modified: SystemTime) {
        file(&self.dir.lock_file(), body, modified);
    }

    pub(crate) fn guard(&self) -> PathBuf {
        self.dir.path().join(".consolidate-lock.guard")
    }

    /// Body and time of the lock file.
    pub(crate) fn lock_state(&self) -> Option<(String, SystemTime)> {
        let path = self.dir.lock_file();
        let body = fs::read_to_string(&path).ok()?;
        Some((body, fs::metadata(path).unwrap().modified().unwrap()))
    }

    pub(crate) fn acquire(&self, pid: u32, now: SystemTime) -> Acquired {
        Lock::acquire(&self.dir, now, &process(pid)).unwrap()
    }

    #[track_caller]
    pub(crate) fn locked(&self, pid: u32, now: SystemTime) -> Lock {
        match self.acquire(pid, now) {
            Acquired::Yes(lock) => lock,
            Acquired::Busy(busy) => panic!("{busy}"),
        }
    }
}

pub(crate) fn file(path: &Path, text: &str, modified: SystemTime) {
    fs::write(path, text).unwrap();
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
}

/// What goes wrong with an agent or a model.
#[derive(Debug)]
pub(crate) struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line is down")
    }
}

impl std::error::Error for Broken {}

/// Polls a future that waits for nobody, and only gives way.
#[track_caller]
pub(crate) fn now_or_never<F: Future>(future: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    for _ in 0..10_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("it waits")
}
