//! A memory directory in a temporary place, and short ways to fill it.

use std::convert::Infallible;
use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use memdir_recall::{Options, Picked, Recall, SelectReply};
use tempfile::TempDir;

pub(crate) struct World {
    _temp: TempDir,
    dir: PathBuf,
}

impl World {
    /// An empty memory directory.
    pub(crate) fn new() -> World {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().canonicalize().unwrap().join("memory");
        fs::create_dir(&dir).unwrap();
        World { _temp: temp, dir }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A path beside the memory directory.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.dir.parent().unwrap().join(name)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) -> &World {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A memory with frontmatter, last changed at the fixed moment.
    pub(crate) fn memory(&self, file: &str, kind: &str, description: &str, body: &str) -> &World {
        let stem = file.rsplit('/').next().unwrap().trim_end_matches(".md");
        let text = format!(
            "---\nname: {}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n",
            stem.replace(['-', '_'], " ")
        );
        self.write(file, text).set_age(file, 0)
    }

    /// Sets the time of a file to so many hours before a fixed moment.
    pub(crate) fn set_age(&self, file: &str, hours: u64) -> &World {
        let file = File::options().write(true).open(self.path(file)).unwrap();
        file.set_modified(moment() - Duration::from_secs(hours * 3_600))
            .unwrap();
        self
    }

    #[track_caller]
    pub(crate) fn recall(&self) -> Recall {
        self.recall_with(&Options::default())
    }

    #[track_caller]
    pub(crate) fn recall_with(&self, options: &Options) -> Recall {
        Recall::scan(&self.dir, options).unwrap()
    }
}

/// 2026-11-30T12:00:00Z.
pub(crate) fn moment() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_040_000)
}

pub(crate) fn files(picked: &Picked) -> Vec<&str> {
    picked.memories.iter().map(|m| m.file.as_str()).collect()
}

/// Runs a future that never has to wait for anything outside.
#[track_caller]
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future waits"),
    }
}

/// An answer that is there at once.
pub(crate) async fn answer(text: &str) -> Result<SelectReply, Infallible> {
    Ok(SelectReply::new(text))
}
