//! The Sys file: everything this crate wants to know about the process, as plain data.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::read::{clean, nfc_path};

/// Which family of path rules holds.
///
/// A value rather than a `cfg`, so that the rules of every system are tested on every system.
/// Deliberately exhaustive: a new member would be a new family of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Platform {
    /// Linux and the other Unix systems: paths are bytes, used as the system gives them.
    Linux,
    /// macOS: names are compared in Unicode form NFC.
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

    /// The directory of the settings that an administrator rolls out.
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

/// What the process environment says, as plain data.
///
/// The default knows nothing: no home, no variable, no managed settings. Every field may be
/// filled by the host; [`Env::from_process`] fills all of them. Words are kept as they were
/// given and read where they are used, so that a report can quote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Env {
    /// Home directory of the user (`HOME`, on Windows `USERPROFILE`). Empty means unset.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub home: Option<PathBuf>,
    /// Directory of `managed-settings.json`; `None` means that there are no managed settings.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub managed_dir: Option<PathBuf>,
    /// The path rules; those of this system by default.
    pub platform: Platform,
    /// `CLAUDE_CONFIG_DIR`: stands in for `~/.claude`. Relative values are taken from the
    /// working directory, `~` is an ordinary character, empty means unset.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub config_dir: Option<OsString>,
    /// `CLAUDE_CODE_PROJECT_DIR_NAME`: stands in for the derived folder name below `projects/`;
    /// 1 to 64 of `A-Z a-z 0-9 - _`. Read only when `CLAUDE_CONFIG_DIR` is set.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub project_dir_name: Option<OsString>,
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`: the whole memory directory, absolute.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub memory_path_override: Option<OsString>,
    /// `CLAUDE_CODE_REMOTE_MEMORY_DIR`: the folder that `projects/` lies in, for memory only.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub remote_memory_dir: Option<OsString>,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`: `1 true yes on` switch memory off, `0 false no off`
    /// force it on, anything else counts as unset.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub disable_auto_memory: Option<OsString>,
    /// `CLAUDE_CODE_SIMPLE`: simple ("bare") mode; memory is off.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub simple: Option<OsString>,
    /// `CLAUDE_CODE_SAFE_MODE`: safe mode; memory is off.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub safe_mode: Option<OsString>,
    /// `CLAUDE_CODE_REMOTE`: a remote session; memory is off without a remote memory directory.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub remote: Option<OsString>,
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`: keeps the index text out of the context; the
    /// instructions stay.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub disable_claude_mds: Option<OsString>,
    /// `CLAUDE_COWORK_MEMORY_EXTRA_GUIDELINES`: text that the host adds to the instructions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub extra_guidelines: Option<OsString>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $from:ty => $to:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, value: impl Into<$from>) -> Env {
            self.$name = Some(<$to>::from(value.into()));
            self
        }
    )*};
}

impl Env {
    /// Reads the environment of this process. The one place in the crate that does.
    #[expect(
        clippy::disallowed_methods,
        reason = "the Sys file: the one place that reads the process environment"
    )]
    pub fn from_process() -> Env {
        let mut env = Env::from_lookup(|name| std::env::var_os(name));
        if env.home.is_none() {
            // The system's user database knows a home even when the variable is unset.
            env.home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        }
        env
    }

    /// Fills every field from a lookup function, for hosts and tests with an environment of
    /// their own. The managed directory is the one of this platform.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Env {
        let platform = Platform::current();
        let home = match platform {
            Platform::Windows => lookup("USERPROFILE").or_else(|| lookup("HOME")),
            Platform::Linux | Platform::MacOs => lookup("HOME"),
        };
        Env {
            home: home.filter(|home| !home.is_empty()).map(PathBuf::from),
            managed_dir: Some(PathBuf::from(platform.managed_dir())),
            platform,
            config_dir: lookup("CLAUDE_CONFIG_DIR"),
            project_dir_name: lookup("CLAUDE_CODE_PROJECT_DIR_NAME"),
            memory_path_override: lookup("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
            remote_memory_dir: lookup("CLAUDE_CODE_REMOTE_MEMORY_DIR"),
            disable_auto_memory: lookup("CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
            simple: lookup("CLAUDE_CODE_SIMPLE"),
            safe_mode: lookup("CLAUDE_CODE_SAFE_MODE"),
            remote: lookup("CLAUDE_CODE_REMOTE"),
            disable_claude_mds: lookup("CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
            extra_guidelines: lookup("CLAUDE_COWORK_MEMORY_EXTRA_GUIDELINES"),
        }
    }

    setters! {
        /// Sets the home directory.
        home: PathBuf => PathBuf;
        /// Sets the directory of `managed-settings.json`.
        managed_dir: PathBuf => PathBuf;
        /// Sets `CLAUDE_CONFIG_DIR`.
        config_dir: OsString => OsString;
        /// Sets `CLAUDE_CODE_PROJECT_DIR_NAME`.
        project_dir_name: OsString => OsString;
        /// Sets `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`.
        memory_path_override: OsString => OsString;
        /// Sets `CLAUDE_CODE_REMOTE_MEMORY_DIR`.
        remote_memory_dir: OsString => OsString;
        /// Sets `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
        disable_auto_memory: OsString => OsString;
        /// Sets `CLAUDE_CODE_SIMPLE`.
        simple: OsString => OsString;
        /// Sets `CLAUDE_CODE_SAFE_MODE`.
        safe_mode: OsString => OsString;
        /// Sets `CLAUDE_CODE_REMOTE`.
        remote: OsString => OsString;
        /// Sets `CLAUDE_CODE_DISABLE_CLAUDE_MDS`.
        disable_claude_mds: OsString => OsString;
        /// Sets `CLAUDE_COWORK_MEMORY_EXTRA_GUIDELINES`.
        extra_guidelines: OsString => OsString;
    }

    /// Sets the path rules.
    #[must_use]
    pub fn platform(mut self, platform: Platform) -> Env {
        self.platform = platform;
        self
    }

    /// The config home: `CLAUDE_CONFIG_DIR`, else `<home>/.claude`.
    ///
    /// The value is brought to Unicode form NFC, freed of `.`, `..` and doubled separators, and
    /// a relative one is taken from `cwd`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoHome`] when neither is known; [`ErrorKind::RelativePath`] when the value or
    /// the home is relative and `cwd` is too.
    pub fn config_home(&self, cwd: &Path) -> Result<PathBuf, Error> {
        if let Some(dir) = set(&self.config_dir) {
            return base_dir(dir, cwd);
        }
        match self.home.as_ref().filter(|h| !h.as_os_str().is_empty()) {
            Some(home) => base_dir(home.join(".claude").as_os_str(), cwd),
            None => Err(Error::bare(ErrorKind::NoHome)),
        }
    }
}

/// A base directory from a variable: NFC, relative to `cwd`, lexically clean.
pub(crate) fn base_dir(value: &OsStr, cwd: &Path) -> Result<PathBuf, Error> {
    let joined = cwd.join(nfc_path(value));
    if joined.is_absolute() {
        Ok(clean(&joined))
    } else {
        Err(Error::new(ErrorKind::RelativePath, joined))
    }
}

/// A variable that is set and not empty.
pub(crate) fn set(value: &Option<OsString>) -> Option<&OsStr> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// The user that this process acts as, to notice repositories of other users.
#[cfg(unix)]
pub(crate) fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}
