//! The lock of a consolidation, which is its record too: the time of the lock file is the time of
//! the last one.
//!
//! The lock file is the format's: its body is the number of the process that holds it, and it is
//! empty when nobody does. Other programs know no more than that, and two of them can win at once.
//! Ours first take an operating-system lock on a guard file beside it, which is never deleted and
//! which the system frees when its holder dies; there stands what the lock file cannot say.

mod files;
mod record;

use std::fmt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use memdir_paths::MemoryDir;

use crate::{Error, ErrorKind, Process};
use files::{Body, Files, Guard, GuardState};
use record::Record;

/// After so many minutes a lock is stale, whoever seems to hold it: process numbers are given
/// anew. The format's.
pub const STALE_AFTER_MINUTES: u64 = 60;

/// What asking for the lock came to.
#[derive(Debug)]
#[must_use = "a lock that is dropped is rolled back"]
pub enum Acquired {
    /// It is held until it is kept, rolled back or dropped.
    Yes(Lock),
    /// Somebody else holds it, or that cannot be ruled out.
    Busy(Busy),
}

/// Who holds the lock, as far as can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Busy {
    /// Why it counts as held.
    pub reason: BusyReason,
    /// The number of the process, if it is known.
    pub holder: Option<u32>,
    /// When the holder took it, if that is known.
    pub since: Option<SystemTime>,
}

/// Why a lock counts as held.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BusyReason {
    /// Another of ours holds it: another thread, or another process.
    Running,
    /// The lock file names a process that lives, and it is not stale yet.
    Holder,
    /// The same on another machine, where nobody can look.
    OtherHost,
    /// The lock file says something else than a process, and it is not stale yet.
    Unknown,
    /// The lock file is none, or it cannot be read. Never taken for free.
    Unreadable(String),
    /// The file system does not lock files, so that two could win.
    NoLocks(String),
    /// Another program took it in the same moment.
    Lost,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            BusyReason::Running => f.write_str("another consolidation runs")?,
            BusyReason::Holder => f.write_str("another program consolidates")?,
            BusyReason::OtherHost => f.write_str("a consolidation runs on another machine")?,
            BusyReason::Unknown => f.write_str("the lock file names no process")?,
            BusyReason::Unreadable(why) => write!(f, "the lock cannot be read: {why}")?,
            BusyReason::NoLocks(why) => write!(f, "the file system does not lock files: {why}")?,
            BusyReason::Lost => f.write_str("another program took the lock")?,
        }
        match self.holder {
            Some(pid) => write!(f, " (process {pid})"),
            None => Ok(()),
        }
    }
}

impl Busy {
    fn new(reason: BusyReason) -> Busy {
        Busy {
            reason,
            holder: None,
            since: None,
        }
    }

    fn held(reason: BusyReason, holder: Option<u32>, since: SystemTime) -> Busy {
        Busy {
            reason,
            holder,
            since: Some(since),
        }
    }

    /// When the lock is stale, if it gets stale at all.
    #[must_use]
    pub fn stale_at(&self) -> Option<SystemTime> {
        match self.reason {
            BusyReason::Holder | BusyReason::OtherHost | BusyReason::Unknown => {
                self.since?.checked_add(stale_after())
            }
            _ => None,
        }
    }
}

pub(crate) fn stale_after() -> Duration {
    Duration::from_secs(STALE_AFTER_MINUTES * 60)
}

/// The lock, held. Dropping it, in a panic too, rolls it back.
#[derive(Debug)]
pub struct Lock {
    files: Files,
    guard: Guard,
    previous: Option<SystemTime>,
    pid: u32,
    settled: bool,
}

impl Lock {
    /// Asks for the lock of a memory directory. Does not wait.
    ///
    /// The time of the lock file becomes `now`. A holder of ours that died is cleared away, and
    /// what it left counts for nothing: [`previous`](Lock::previous) is the consolidation before
    /// it.
    ///
    /// # Errors
    ///
    /// If the directory does not exist, or the system refuses to write in it. That somebody holds
    /// the lock is no error.
    pub fn acquire(dir: &MemoryDir, now: SystemTime, process: &Process) -> Result<Acquired, Error> {
        let files = Files::of(dir);
        let mut guard = match Guard::lock(&files, files::Missing::Create)? {
            GuardState::Locked(guard) => guard,
            GuardState::Held(record) => {
                let mut busy = Busy::new(BusyReason::Running);
                if let Some(record) = record.filter(|record| record.held) {
                    busy.holder = Some(record.pid);
                    busy.since = Some(record.since);
                }
                return Ok(Acquired::Busy(busy));
            }
            GuardState::NoLocks(why) => {
                return Ok(Acquired::Busy(Busy::new(BusyReason::NoLocks(why))));
            }
            GuardState::Missing => return Err(Error::new(ErrorKind::NoDirectory, dir.path())),
        };
        let record = guard.record();
        let previous = match free(&files, record.as_ref(), now, process) {
            Ok(previous) => previous,
            Err(busy) => return Ok(Acquired::Busy(busy)),
        };
        guard.write(&Record::held(process, now, previous))?;
        if let Err(error) = files.put(&process.pid.to_string(), now) {
            // The lock file is as it was; only the record has to say so.
            guard.free();
            return Err(error);
        }
        if files.read() != Body::Process(process.pid, now_of(&files, now)) {
            guard.free();
            return Ok(Acquired::Busy(Busy::new(BusyReason::Lost)));
        }
        Ok(Acquired::Yes(Lock {
            files,
            guard,
            previous,
            pid: process.pid,
            settled: false,
        }))
    }

    /// When the last consolidation was, or `None` if there was none.
    #[must_use]
    pub fn previous(&self) -> Option<SystemTime> {
        self.previous
    }

    /// The consolidation counts: its time becomes `now`, and the lock is free.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LostLock`] if another program took the lock over, whose file is left alone;
    /// or the system's error. Then nothing counts: it is rolled back, or what cannot be put back
    /// is left to [`recover`] and the next holder.
    pub fn keep(mut self, now: SystemTime) -> Result<(), Error> {
        self.settled = true;
        match self.check_owner().and_then(|()| self.files.put("", now)) {
            Ok(()) => {
                self.guard.free();
                Ok(())
            }
            Err(error) => {
                let _ = self.restore();
                Err(error)
            }
        }
    }

    /// Nothing counts: the time of the last consolidation is put back, and the lock is free.
    ///
    /// # Errors
    ///
    /// As of [`keep`](Lock::keep).
    pub fn roll_back(mut self) -> Result<(), Error> {
        self.restore()
    }

    fn restore(&mut self) -> Result<(), Error> {
        self.settled = true;
        let restored = self
            .check_owner()
            .and_then(|()| self.files.restore(self.previous));
        if restored.is_ok()
            || matches!(&restored, Err(error) if *error.kind() == ErrorKind::LostLock)
        {
            self.guard.free();
        }
        restored
    }

    /// Whether the lock file is still ours. One that is gone is: nobody else claims it.
    fn check_owner(&self) -> Result<(), Error> {
        match self.files.read() {
            Body::Process(pid, _) if pid == self.pid => Ok(()),
            Body::Missing => Ok(()),
            _ => Err(Error::new(ErrorKind::LostLock, self.files.lock())),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !self.settled {
            // There is nobody to tell; the next `recover` finds what could not be put back.
            let _ = self.restore();
        }
    }
}

/// The time of the lock file as the file system keeps it: some know only whole seconds.
fn now_of(files: &Files, now: SystemTime) -> SystemTime {
    match files.read() {
        Body::Process(_, modified) => modified,
        _ => now,
    }
}

/// Whether the lock file is free for us, who hold the guard; if so, the time of the last
/// consolidation.
fn free(
    files: &Files,
    record: Option<&Record>,
    now: SystemTime,
    process: &Process,
) -> Result<Option<SystemTime>, Busy> {
    // A time as far in the future comes from a clock that was wrong. To wait for it could take
    // years.
    let is_stale = |since: SystemTime| match now.duration_since(since) {
        Ok(age) => age >= stale_after(),
        Err(ahead) => ahead.duration() >= stale_after(),
    };
    match files.read() {
        Body::Missing => Ok(None),
        Body::Free(modified) => Ok(Some(modified)),
        Body::Unreadable(why) => Err(Busy::new(BusyReason::Unreadable(why))),
        Body::Process(pid, modified) => {
            // The guard is ours, so no holder of ours on this machine lives.
            if let Some(record) = record.filter(|record| record.held && record.pid == pid) {
                return if record.is_elsewhere(process) && !is_stale(modified) {
                    Err(Busy::held(BusyReason::OtherHost, Some(pid), modified))
                } else {
                    Ok(record.previous)
                };
            }
            if !is_stale(modified) && (process.is_alive)(pid) {
                return Err(Busy::held(BusyReason::Holder, Some(pid), modified));
            }
            // What another program leaves behind when it succeeds looks the same as what it leaves
            // behind when it dies. Its time counts.
            Ok(Some(modified))
        }
        Body::Other(modified) if is_stale(modified) => Ok(Some(modified)),
        Body::Other(modified) => Err(Busy::held(BusyReason::Unknown, None, modified)),
    }
}

/// Who seems to hold the lock, without asking for it: nothing is written, and nobody who asks at
/// the same moment is turned away.
pub(crate) fn holder(dir: &MemoryDir, now: SystemTime, process: &Process) -> Option<Busy> {
    let files = Files::of(dir);
    let record = files.record().filter(|record| record.held);
    if let (Body::Process(pid, _), Some(record)) = (files.read(), &record)
        && pid == record.pid
        && (process.is_alive)(pid)
    {
        return Some(Busy::held(BusyReason::Running, Some(pid), record.since));
    }
    free(&files, record.as_ref(), now, process).err()
}

/// What there was to recover.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Recovered {
    /// Nobody left anything behind.
    Nothing,
    /// A consolidation runs.
    Running,
    /// One of ours died while it held the lock; the time of the last consolidation is put back.
    Restored {
        /// That time, or `None` if there was none.
        last: Option<SystemTime>,
    },
}

/// Puts back what a consolidation of ours that died left behind, so that the time which it never
/// finished does not count as one, and completes or takes back what it was writing. Two `stat`s
/// where nothing happened: to be called once, when a session starts.
///
/// # Errors
///
/// The system's, if what was found could not be read or written.
pub fn recover(dir: &MemoryDir, process: &Process) -> Result<Recovered, Error> {
    let recovered = recover_lock(dir, process);
    if memdir_index::is_interrupted(dir.path()) {
        // Opening is what completes; a live writer holds the lock and is left alone.
        memdir_index::Store::open(dir.path()).map_err(Error::index)?;
    }
    recovered
}

fn recover_lock(dir: &MemoryDir, process: &Process) -> Result<Recovered, Error> {
    let files = Files::of(dir);
    if !files.has_body() {
        return Ok(Recovered::Nothing);
    }
    let mut guard = match Guard::lock(&files, files::Missing::Leave)? {
        GuardState::Locked(guard) => guard,
        GuardState::Held(_) => return Ok(Recovered::Running),
        GuardState::NoLocks(_) | GuardState::Missing => return Ok(Recovered::Nothing),
    };
    let Some(record) = guard.record().filter(|record| record.held) else {
        return Ok(Recovered::Nothing);
    };
    match files.read() {
        Body::Process(pid, _) if pid == record.pid && record.is_elsewhere(process) => {
            Ok(Recovered::Running)
        }
        Body::Process(pid, _) if pid == record.pid => {
            files.restore(record.previous)?;
            guard.free();
            Ok(Recovered::Restored {
                last: record.previous,
            })
        }
        _ => {
            guard.free();
            Ok(Recovered::Nothing)
        }
    }
}

/// When the last consolidation was, by exactly one `stat`.
pub(crate) fn last(lock_file: &Path) -> Result<Option<SystemTime>, Busy> {
    let unreadable = |why: String| Busy::new(BusyReason::Unreadable(why));
    match std::fs::symlink_metadata(lock_file) {
        Ok(metadata) if metadata.is_file() => match metadata.modified() {
            Ok(modified) => Ok(Some(modified)),
            Err(error) => Err(unreadable(error.to_string())),
        },
        Ok(_) => Err(unreadable("it is no regular file".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}
