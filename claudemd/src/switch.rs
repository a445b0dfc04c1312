//! The environment variables that switch instruction files, as plain data.

use std::ffi::{OsStr, OsString};
use std::fmt;

/// What the environment says about instruction files.
///
/// The default knows nothing, and then everything loads. Words are kept as they were given:
/// `1 true yes on`, in any case, switch; everything else counts as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Switches {
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`: no instruction file loads, of any layer.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub disable_claude_mds: Option<OsString>,
    /// `CLAUDE_CODE_SIMPLE`: simple ("bare") mode; no instruction file loads.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub simple: Option<OsString>,
    /// `CLAUDE_CODE_SAFE_MODE`: safe mode; no instruction file loads.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub safe_mode: Option<OsString>,
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`: the files of
    /// [`Roots::additional_dirs`](crate::Roots::additional_dirs) load too.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_os"))]
    pub additional_directories: Option<OsString>,
}

/// The switch that keeps every instruction file out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Switch {
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`.
    DisableClaudeMds,
    /// `CLAUDE_CODE_SIMPLE`.
    Simple,
    /// `CLAUDE_CODE_SAFE_MODE`.
    SafeMode,
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Switch::DisableClaudeMds => "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
            Switch::Simple => "CLAUDE_CODE_SIMPLE",
            Switch::SafeMode => "CLAUDE_CODE_SAFE_MODE",
        })
    }
}

impl Switches {
    /// Fills every field from a lookup function, `std::env::var_os` for a real process.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Switches {
        Switches {
            disable_claude_mds: lookup("CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
            simple: lookup("CLAUDE_CODE_SIMPLE"),
            safe_mode: lookup("CLAUDE_CODE_SAFE_MODE"),
            additional_directories: lookup("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"),
        }
    }

    /// Sets `CLAUDE_CODE_DISABLE_CLAUDE_MDS`.
    #[must_use]
    pub fn disable_claude_mds(mut self, word: impl Into<OsString>) -> Switches {
        self.disable_claude_mds = Some(word.into());
        self
    }

    /// Sets `CLAUDE_CODE_SIMPLE`.
    #[must_use]
    pub fn simple(mut self, word: impl Into<OsString>) -> Switches {
        self.simple = Some(word.into());
        self
    }

    /// Sets `CLAUDE_CODE_SAFE_MODE`.
    #[must_use]
    pub fn safe_mode(mut self, word: impl Into<OsString>) -> Switches {
        self.safe_mode = Some(word.into());
        self
    }

    /// Sets `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`.
    #[must_use]
    pub fn additional_directories(mut self, word: impl Into<OsString>) -> Switches {
        self.additional_directories = Some(word.into());
        self
    }

    /// The switch that keeps everything out, if one does.
    pub fn off(&self) -> Option<Switch> {
        let all = [
            (&self.disable_claude_mds, Switch::DisableClaudeMds),
            (&self.simple, Switch::Simple),
            (&self.safe_mode, Switch::SafeMode),
        ];
        let on = all.into_iter().find(|(word, _)| is_on(word.as_deref()));
        on.map(|(_, switch)| switch)
    }

    pub(crate) fn reads_additional(&self) -> bool {
        is_on(self.additional_directories.as_deref())
    }
}

fn is_on(word: Option<&OsStr>) -> bool {
    let word = word.and_then(OsStr::to_str).unwrap_or_default().trim();
    ["1", "true", "yes", "on"]
        .iter()
        .any(|on| word.eq_ignore_ascii_case(on))
}
