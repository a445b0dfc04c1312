//! The gates in front of a consolidation, in order of what they cost: nothing, one `stat`, a look
//! at the clock, a folder, a lock.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, SystemTime};

use memdir_paths::MemoryDir;

use crate::lock::{self, Acquired, Busy, Lock, Recovered};
use crate::sessions::{Session, SkippedTranscript, Touched, Transcripts, touched_since};
use crate::{Config, DecidedBy, Enabled, Error, Host, Process};

/// The gates of one session. What it keeps between two turns is the time of its last look at the
/// transcripts, and whether a run ended badly, so there is one for each session, made when it
/// starts. Clones close together after such a run.
#[derive(Clone, Debug)]
pub struct Gate {
    dir: MemoryDir,
    transcripts: Transcripts,
    config: Config,
    last_scan: Option<SystemTime>,
    hold: Hold,
}

/// Whether the gates stay closed for the rest of the session: shared with the tickets, so that a
/// run that ends badly closes them however it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold(Arc<AtomicU8>);

impl Hold {
    const STOPPED: u8 = 1;
    const TRIED: u8 = 2;

    /// The person stopped a run.
    pub(crate) fn stopped(&self) {
        self.0.store(Hold::STOPPED, Ordering::Relaxed);
    }

    /// A run came to nothing, or was only a look.
    pub(crate) fn tried(&self) {
        self.0.store(Hold::TRIED, Ordering::Relaxed);
    }

    fn release(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn reason(&self) -> Option<ClosedReason> {
        match self.0.load(Ordering::Relaxed) {
            Hold::STOPPED => Some(ClosedReason::OnHold),
            Hold::TRIED => Some(ClosedReason::Tried),
            _ => None,
        }
    }
}

/// Whether a consolidation may begin.
#[derive(Debug)]
#[must_use = "an open gate holds the lock until its ticket is dropped"]
pub enum Opening {
    /// All gates are open, and the lock is held.
    Open(Ticket),
    /// One is closed.
    Closed(Closed),
}

/// The permission to consolidate. Dropped, it rolls the lock back.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ticket {
    /// The lock, to be kept or rolled back at the end.
    pub lock: Lock,
    /// The memory directory that it is for.
    pub dir: MemoryDir,
    /// The folders of transcripts that were looked at.
    pub transcripts: Vec<PathBuf>,
    /// The sessions since the last consolidation, the latest first.
    pub sessions: Vec<Session>,
    /// When the last consolidation was.
    pub last: Option<SystemTime>,
    /// Transcripts that could not be looked at.
    pub skipped: Vec<SkippedTranscript>,
    pub(crate) hold: Hold,
}

/// All gates at a glance, for a host that shows them to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Outlook {
    /// The first gate that is closed; `None` if a consolidation could begin.
    pub closed: Option<Closed>,
    /// When the last consolidation was, as the lock file says.
    pub last: Option<SystemTime>,
    /// The sessions since then.
    pub touched: Touched,
    /// Who seems to hold the lock.
    pub busy: Option<Busy>,
}

/// The gate that is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Closed {
    /// Which one, with its numbers.
    pub reason: ClosedReason,
    /// The earliest time at which another answer is possible; `None` if only a change of settings
    /// or another session can open it.
    pub ask_again: Option<SystemTime>,
}

/// Which gate is closed, with its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ClosedReason {
    /// Consolidation is off.
    Disabled {
        /// What decided.
        decided_by: DecidedBy,
    },
    /// A consolidation was stopped by the person in this session.
    OnHold,
    /// A consolidation came to nothing in this session, or was a dry run; the next session tries
    /// again.
    Tried,
    /// The last consolidation is too recent.
    TooSoon {
        /// When it was.
        last: SystemTime,
        /// What is left.
        remaining: Duration,
    },
    /// The transcripts were looked at a moment ago.
    Throttled {
        /// What is left until they are looked at again.
        remaining: Duration,
    },
    /// Too few sessions since the last consolidation.
    TooFewSessions {
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Somebody holds the lock.
    Locked(Busy),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            // The flag decides where nothing else does, most often by not being there.
            ClosedReason::Disabled {
                decided_by: DecidedBy::Flag,
            } => f.write_str(
                "off: neither the setting autoDreamEnabled nor the flag tengu_onyx_plover says on",
            ),
            ClosedReason::Disabled { decided_by } => write!(f, "off: {}", decided_by.as_str()),
            ClosedReason::OnHold => f.write_str("stopped: until the next session"),
            ClosedReason::Tried => f.write_str("tried already: until the next session"),
            ClosedReason::TooSoon { remaining, .. } => {
                write!(f, "too soon: {} left", InWords(*remaining))
            }
            ClosedReason::Throttled { remaining } => {
                write!(f, "looked a moment ago: {} left", InWords(*remaining))
            }
            ClosedReason::TooFewSessions { found, needed } => {
                write!(f, "too few sessions: {found} of {needed}")
            }
            ClosedReason::Locked(busy) => write!(f, "locked: {busy}"),
        }
    }
}

/// A duration as a person says it: its two largest units, rounded up to the smaller.
struct InWords(Duration);

impl fmt::Display for InWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs() + u64::from(self.0.subsec_nanos() > 0);
        if seconds < 60 {
            return write!(f, "{seconds} s");
        }
        let minutes = seconds.div_ceil(60);
        match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
            (0, 0, minutes) => write!(f, "{minutes} min"),
            (0, hours, 0) => write!(f, "{hours} h"),
            (0, hours, minutes) => write!(f, "{hours} h {minutes} min"),
            (days, 0, _) => write!(f, "{days} d"),
            (days, hours, _) => write!(f, "{days} d {hours} h"),
        }
    }
}

impl Gate {
    /// The gates of a session over a memory directory.
    #[must_use]
    pub fn new(dir: MemoryDir, transcripts: Transcripts, config: Config) -> Gate {
        Gate {
            dir,
            transcripts,
            config,
            last_scan: None,
            hold: Hold::default(),
        }
    }

    /// Puts back what a consolidation that died left behind; see [`recover`](lock::recover). To be
    /// called once, when the session starts: [`check`](Gate::check) does not look for it.
    ///
    /// # Errors
    ///
    /// The system's, if what was found could not be read or written.
    pub fn recover(&self, process: &Process) -> Result<Recovered, Error> {
        lock::recover(&self.dir, process)
    }

    /// Leaves out a session from now on: one that a consolidation ran in, if it has a transcript.
    pub fn exclude(&mut self, id: impl Into<String>) {
        self.transcripts.exclude.push(id.into());
    }

    /// Keeps the gates closed for the rest of the session: the person stopped a consolidation.
    /// A run of this crate does so itself, if it was stopped or came to nothing.
    pub fn hold(&mut self) {
        self.hold.stopped();
    }

    /// Opens the gates again that were closed for the rest of the session.
    pub fn release(&mut self) {
        self.hold.release();
    }

    /// Asks all gates in order, and stops at the first that is closed. To be called at the end of
    /// each turn of the main agent: almost always it costs one `stat`.
    ///
    /// # Errors
    ///
    /// If all gates but the last are open and the lock cannot be written, or there is no memory
    /// directory.
    pub fn check(
        &mut self,
        now: SystemTime,
        enabled: &Enabled,
        process: &Process,
    ) -> Result<Opening, Error> {
        if let Some(closed) = self.disabled(enabled) {
            return Ok(Opening::Closed(closed));
        }
        let last = match lock::last(&self.dir.lock_file()) {
            Ok(last) => self.plausible(last, now),
            Err(busy) => return Ok(Opening::Closed(self.locked(busy, now))),
        };
        if let Some(closed) = self.too_soon(last, now) {
            return Ok(Opening::Closed(closed));
        }
        if let Some(closed) = self.throttled(now) {
            return Ok(Opening::Closed(closed));
        }
        self.last_scan = Some(now);
        let touched = touched_since(&self.transcripts, last);
        if let Some(closed) = self.too_few(touched.sessions.len(), now) {
            return Ok(Opening::Closed(closed));
        }
        let lock = match Lock::acquire(&self.dir, now, process)? {
            Acquired::Yes(lock) => lock,
            Acquired::Busy(busy) => return Ok(Opening::Closed(self.locked(busy, now))),
        };
        // Somebody may have consolidated between the first gate and the last.
        let previous = self.plausible(lock.previous(), now);
        if let Some(closed) = self.too_soon(previous, now) {
            lock.roll_back()?;
            return Ok(Opening::Closed(closed));
        }
        // The same; or the first gate saw the time of one that died, which does not count.
        let touched = if previous == last {
            touched
        } else {
            touched_since(&self.transcripts, previous)
        };
        if let Some(closed) = self.too_few(touched.sessions.len(), now) {
            lock.roll_back()?;
            return Ok(Opening::Closed(closed));
        }
        Ok(Opening::Open(self.ticket(lock, previous, touched)))
    }

    /// A person asks for a consolidation: neither time nor sessions nor the setting matter, and
    /// nothing is throttled or on hold. Only memory that is off, a subagent that asks, and a lock
    /// that somebody holds close the gate.
    ///
    /// This is how daily logs are distilled: see [`DreamKind::Logs`](crate::DreamKind::Logs).
    ///
    /// # Errors
    ///
    /// If the lock cannot be written, or there is no memory directory.
    pub fn manual(
        &mut self,
        now: SystemTime,
        host: &Host,
        process: &Process,
    ) -> Result<Opening, Error> {
        let disabled = [
            (!host.auto_memory, DecidedBy::AutoMemory),
            (host.subagent, DecidedBy::Subagent),
        ];
        if let Some((_, decided_by)) = disabled.into_iter().find(|(closed, _)| *closed) {
            return Ok(Opening::Closed(Closed {
                reason: ClosedReason::Disabled { decided_by },
                ask_again: None,
            }));
        }
        let lock = match Lock::acquire(&self.dir, now, process)? {
            Acquired::Yes(lock) => lock,
            Acquired::Busy(busy) => return Ok(Opening::Closed(self.locked(busy, now))),
        };
        let previous = self.plausible(lock.previous(), now);
        let touched = touched_since(&self.transcripts, previous);
        Ok(Opening::Open(self.ticket(lock, previous, touched)))
    }

    fn ticket(&self, lock: Lock, last: Option<SystemTime>, touched: Touched) -> Ticket {
        Ticket {
            lock,
            dir: self.dir.clone(),
            transcripts: self.transcripts.folders.clone(),
            sessions: touched.sessions,
            last,
            skipped: touched.skipped,
            hold: self.hold.clone(),
        }
    }

    /// What [`check`](Gate::check) would find, all gates at once, for a person to read: takes no
    /// lock, writes nothing and leaves the throttle alone.
    #[must_use]
    pub fn look(&self, now: SystemTime, enabled: &Enabled, process: &Process) -> Outlook {
        let stamp = lock::last(&self.dir.lock_file());
        let last = stamp.as_ref().ok().copied().flatten();
        let since = self.plausible(last, now);
        let touched = touched_since(&self.transcripts, since);
        let busy = stamp
            .err()
            .or_else(|| lock::holder(&self.dir, now, process));
        let closed = self
            .disabled(enabled)
            .or_else(|| self.too_soon(since, now))
            .or_else(|| self.throttled(now))
            .or_else(|| self.too_few(touched.sessions.len(), now))
            .or_else(|| busy.clone().map(|busy| self.locked(busy, now)));
        Outlook {
            closed,
            last,
            touched,
            busy,
        }
    }

    fn disabled(&self, enabled: &Enabled) -> Option<Closed> {
        let reason = if !enabled.on {
            ClosedReason::Disabled {
                decided_by: enabled.decided_by,
            }
        } else {
            self.hold.reason()?
        };
        Some(Closed {
            reason,
            ask_again: None,
        })
    }

    /// A time further ahead than two consolidations are apart, and than a lock is held, comes from a clock that was wrong;
    /// to wait for it could take years.
    fn plausible(&self, last: Option<SystemTime>, now: SystemTime) -> Option<SystemTime> {
        let most = self.config.min_age.max(lock::stale_after());
        last.filter(|last| last.duration_since(now).map_or(true, |ahead| ahead <= most))
    }

    fn too_soon(&self, last: Option<SystemTime>, now: SystemTime) -> Option<Closed> {
        let last = last?;
        let due = last.checked_add(self.config.min_age)?;
        let remaining = due
            .duration_since(now)
            .ok()
            .filter(|left| !left.is_zero())?;
        Some(Closed {
            reason: ClosedReason::TooSoon { last, remaining },
            ask_again: Some(due),
        })
    }

    fn throttled(&self, now: SystemTime) -> Option<Closed> {
        // A clock that was set back would keep the gate closed until it is where it was.
        let since = now.duration_since(self.last_scan?).ok()?;
        let remaining = self
            .config
            .scan_interval
            .checked_sub(since)
            .filter(|left| !left.is_zero())?;
        Some(Closed {
            reason: ClosedReason::Throttled { remaining },
            ask_again: now.checked_add(remaining),
        })
    }

    fn too_few(&self, found: usize, now: SystemTime) -> Option<Closed> {
        let needed = self.config.min_sessions;
        (found < needed).then(|| Closed {
            reason: ClosedReason::TooFewSessions { found, needed },
            ask_again: now.checked_add(self.config.scan_interval),
        })
    }

    fn locked(&self, busy: Busy, now: SystemTime) -> Closed {
        let ask_again = busy
            .stale_at()
            .or_else(|| now.checked_add(self.config.scan_interval));
        Closed {
            reason: ClosedReason::Locked(busy),
            ask_again,
        }
    }
}
