//! Which process this is, and whether another one lives: the one file that asks the system.

use std::fmt;

/// A process as the lock names it, and how to ask about others. Made by [`Process::current`], or
/// made up in a test.
#[derive(Clone)]
#[non_exhaustive]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in the system's own unit, if the system tells: with it a number that was
    /// given anew is told from the old one.
    pub started: Option<u64>,
    /// The name of the machine, empty if unknown.
    pub host: String,
    /// What names the present run of the machine, empty if unknown: containers have hosts of
    /// their own, and share this.
    pub boot: String,
    /// Whether a process of that number lives here. `true` if in doubt.
    pub is_alive: fn(u32) -> bool,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("pid", &self.pid)
            .field("started", &self.started)
            .field("host", &self.host)
            .field("boot", &self.boot)
            .finish_non_exhaustive()
    }
}

impl Process {
    /// A process of that number, on a machine without a name, asking with `is_alive`.
    #[must_use]
    pub fn new(pid: u32, is_alive: fn(u32) -> bool) -> Process {
        Process {
            pid,
            started: None,
            host: String::new(),
            boot: String::new(),
            is_alive,
        }
    }

    /// Sets the name of the machine.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Process {
        self.host = host.into();
        self
    }

    /// Sets what names the present run of the machine.
    #[must_use]
    pub fn boot(mut self, boot: impl Into<String>) -> Process {
        self.boot = boot.into();
        self
    }

    /// Sets when it started.
    #[must_use]
    pub fn started(mut self, started: impl Into<Option<u64>>) -> Process {
        self.started = started.into();
        self
    }

    /// This process.
    #[must_use]
    pub fn current() -> Process {
        Process {
            pid: std::process::id(),
            started: start_time(),
            host: host_name(),
            boot: boot_id(),
            is_alive,
        }
    }
}

/// The start time of this process in clock ticks since boot.
#[cfg(target_os = "linux")]
fn start_time() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses and may hold some itself; field 22 is the
    // twentieth behind the last of them.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .parse()
        .ok()
}

#[cfg(not(target_os = "linux"))]
fn start_time() -> Option<u64> {
    None
}

/// What the system draws anew each time it starts.
#[cfg(target_os = "linux")]
fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|id| id.trim().to_owned())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn boot_id() -> String {
    String::new()
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    String::new()
}

/// Whether a process of that number lives. One that belongs to somebody else does.
#[cfg(unix)]
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return false;
    };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error != rustix::io::Errno::SRCH,
    }
}

/// Always: only its age tells here that a lock is stale.
#[cfg(not(unix))]
#[must_use]
pub fn is_alive(_pid: u32) -> bool {
    true
}
