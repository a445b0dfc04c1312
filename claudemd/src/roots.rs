//! Where to look, as plain data.

/// Which family of path rules holds.
///
/// A value rather than a `cfg`, so that the rules of every system are tested on every system.
/// Deliberately exhaustive: a new member would be a new family of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Platform {
    /// Linux and the other Unix systems: paths are bytes, used as the system gives them.
    Linux,
    /// macOS: names ignore case on most disks.
    MacOs,
    /// Windows: drive letters, backslashes, network shares.
    Windows,
}

impl Platform {
    /// The platform that this code was compiled for.
    pub const fn current() -> Platform {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Linux
        }
    }

    /// The directory of the instruction files that an administrator rolls out.
    pub const fn managed_dir(self) -> &'static str {
        match self {
            Platform::Linux => "/etc/claude-code",
            Platform::MacOs => "/Library/Application Support/ClaudeCode",
            Platform::Windows => r"C:\Program Files\ClaudeCode",
        }
    }
}

impl Default for Platform {
    fn default() -> Platform {
        Platform::current()
    }
}
