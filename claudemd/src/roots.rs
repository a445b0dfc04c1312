//! Where to look, as plain data.

use std::path::PathBuf;

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

/// Where to look. Nothing is read from the environment: a host fills in what it knows.
///
/// ```
/// use claudemd::Roots;
///
/// let roots = Roots::new("/home/me/project").home("/home/me");
/// assert_eq!(roots.home.as_deref(), Some("/home/me".as_ref()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Roots {
    /// Working directory of the session, absolute. The walk begins here, and imports of project
    /// files stay inside it. Need not exist.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub cwd: PathBuf,
    /// Home directory: what `~/` in an import means, and the default place of the user's files.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub home: Option<PathBuf>,
    /// Directory of the user's files; `~/.claude` if unset or empty.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub config_home: Option<PathBuf>,
    /// Directory of the organization's files; [`Platform::managed_dir`] by default, `None` means
    /// that there are none.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub managed_dir: Option<PathBuf>,
    /// Working root of the repository that the working directory belongs to; for a linked worktree
    /// that of the **main** checkout. Needed only for worktrees inside their own repository, whose
    /// files would otherwise load twice.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub git_root: Option<PathBuf>,
    /// Further directories that the person opened; read only if
    /// [`Switches::additional_directories`](crate::Switches::additional_directories) says so.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::paths"))]
    pub additional_dirs: Vec<PathBuf>,
    /// The path rules; those of this system by default.
    pub platform: Platform,
}

impl Roots {
    /// The working directory, the managed directory of this system, and nothing else.
    pub fn new(cwd: impl Into<PathBuf>) -> Roots {
        let platform = Platform::current();
        Roots {
            cwd: cwd.into(),
            home: None,
            config_home: None,
            managed_dir: Some(PathBuf::from(platform.managed_dir())),
            git_root: None,
            additional_dirs: Vec::new(),
            platform,
        }
    }

    /// Sets the home directory.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Roots {
        self.home = Some(home.into());
        self
    }

    /// Sets the directory of the user's files, for hosts with `CLAUDE_CONFIG_DIR`.
    #[must_use]
    pub fn config_home(mut self, dir: impl Into<PathBuf>) -> Roots {
        self.config_home = Some(dir.into());
        self
    }

    /// Sets the directory of the organization's files; `None` if there are none.
    #[must_use]
    pub fn managed_dir(mut self, dir: impl Into<Option<PathBuf>>) -> Roots {
        self.managed_dir = dir.into();
        self
    }

    /// Sets the working root of the repository, the main checkout for a linked worktree.
    #[must_use]
    pub fn git_root(mut self, root: impl Into<PathBuf>) -> Roots {
        self.git_root = Some(root.into());
        self
    }

    /// Adds a directory that the person opened beside the working directory.
    #[must_use]
    pub fn additional_dir(mut self, dir: impl Into<PathBuf>) -> Roots {
        self.additional_dirs.push(dir.into());
        self
    }

    /// Sets the path rules, for tests and for hosts that describe another system.
    #[must_use]
    pub fn platform(mut self, platform: Platform) -> Roots {
        self.platform = platform;
        self
    }

    /// Where the user's files lie.
    pub(crate) fn user_dir(&self) -> Option<PathBuf> {
        let filled = |path: &&PathBuf| !path.as_os_str().is_empty();
        match self.config_home.as_ref().filter(filled) {
            Some(dir) => Some(dir.clone()),
            None => Some(self.home.as_ref().filter(filled)?.join(".claude")),
        }
    }
}
