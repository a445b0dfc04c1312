//! Where the directory comes from: the chain of overrides, and what was refused on the way.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::env::{Env, Platform, base_dir, set};
use crate::error::Error;
use crate::guard::is_dir_name;
use crate::override_value::{RejectReason, Tilde, check_override};
use crate::project_key::spellings;
use crate::settings::{Layer, Settings, Stated};
use crate::switch::word;

/// Which source named the memory directory, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Source {
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`.
    Override,
    /// `autoMemoryDirectory` of this layer.
    Setting(Layer),
    /// The default path below `CLAUDE_CODE_REMOTE_MEMORY_DIR`.
    RemoteDir,
    /// The default path below `CLAUDE_CONFIG_DIR`.
    ConfigDir,
    /// The default path below `~/.claude`.
    Home,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Override => f.write_str("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
            Source::Setting(layer) => write!(f, "autoMemoryDirectory in {layer} settings"),
            Source::RemoteDir => f.write_str("default, below CLAUDE_CODE_REMOTE_MEMORY_DIR"),
            Source::ConfigDir => f.write_str("default, below CLAUDE_CONFIG_DIR"),
            Source::Home => f.write_str("default, below ~/.claude"),
        }
    }
}

/// Where a refused value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Origin {
    /// An environment variable of this name.
    Variable(&'static str),
    /// `autoMemoryDirectory` of this layer.
    Setting(Layer),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Variable(name) => f.write_str(name),
            Origin::Setting(layer) => write!(f, "autoMemoryDirectory in {layer} settings"),
        }
    }
}

/// A value that was not used, and why. Its `Display` is one line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rejected {
    /// Where the value stood.
    pub origin: Origin,
    /// The value, cut to 200 characters.
    pub value: String,
    /// Why it was not used.
    pub reason: RejectReason,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}: {}", self.origin, self.value, self.reason)
    }
}

/// Whether `autoMemoryDirectory` of project settings counts.
///
/// Deliberately exhaustive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ProjectTrust {
    /// It does not: a cloned repository could point memory at `~/.ssh`. It is reported.
    #[default]
    Untrusted,
    /// It does, with all checks of the path. For hosts that asked the person.
    Trusted,
}

/// The directory as far as it does not depend on the project, and what was refused.
pub(crate) struct Chain {
    pub(crate) found: Option<(PathBuf, Source)>,
    pub(crate) rejected: Vec<Rejected>,
}

/// Goes through the overrides. `found` is `None` when the default path holds.
pub(crate) fn overrides(env: &Env, settings: &Settings, trust: ProjectTrust) -> Chain {
    let mut chain = Chain {
        found: None,
        rejected: Vec::new(),
    };
    if let Some(value) = set(&env.disable_auto_memory)
        && word(value).is_none()
    {
        let name = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
        chain.reject(Origin::Variable(name), value, RejectReason::UnknownWord);
    }

    // A refused variable goes on to the settings: whoever set it meant some directory, and the
    // person's own setting is the next best guess.
    if let Some(value) = set(&env.memory_path_override) {
        let checked = match value.to_str() {
            Some(text) => check_override(text, Tilde::Refuse, None, env.platform),
            None => Err(RejectReason::NotUnicode),
        };
        match checked {
            Ok(path) => {
                chain.found = Some((PathBuf::from(path), Source::Override));
            }
            Err(reason) => {
                let name = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
                chain.reject(Origin::Variable(name), value, reason);
            }
        }
    }

    // The first layer that counts and has the key decides. If its value is refused the default
    // path holds, not the next layer: a weaker layer must not win because of a typing error.
    let mut decided = chain.found.is_some();
    for layer in &settings.layers {
        let origin = Origin::Setting(layer.layer);
        let untrusted = layer.layer == Layer::Project && trust == ProjectTrust::Untrusted;
        let checked = match &layer.auto_memory_directory {
            Stated::Absent => continue,
            Stated::WrongType(value) | Stated::Value(value) if untrusted => {
                chain.reject(origin, OsStr::new(value), RejectReason::Untrusted);
                continue;
            }
            // Stronger sources won; a value that nobody needs is not judged.
            _ if decided => continue,
            Stated::WrongType(value) => Err((value, RejectReason::NotAString)),
            Stated::Value(value) => setting(env, value).map_err(|reason| (value, reason)),
        };
        decided = true;
        match checked {
            Ok(path) => chain.found = Some((path, Source::Setting(layer.layer))),
            Err((value, reason)) => chain.reject(origin, OsStr::new(value), reason),
        }
    }
    chain
}

/// The directory that a setting names.
fn setting(env: &Env, value: &str) -> Result<PathBuf, RejectReason> {
    let check = |home| check_override(value, Tilde::Expand, home, env.platform);
    match env.home.as_deref() {
        // A home whose name is not Unicode text: the value is judged below a stand-in for it.
        Some(home) if home.to_str().is_none() && home.is_absolute() && value.starts_with('~') => {
            const STAND_IN: &str = "/h";
            let path = check(Some(STAND_IN))?;
            Ok(home.join(path.get(STAND_IN.len() + 1..).unwrap_or_default()))
        }
        home => check(home.and_then(Path::to_str)).map(PathBuf::from),
    }
}

impl Chain {
    fn reject(&mut self, origin: Origin, value: &OsStr, reason: RejectReason) {
        let value = value.to_string_lossy().chars().take(200).collect();
        self.rejected.push(Rejected {
            origin,
            value,
            reason,
        });
    }

    /// Reports a `CLAUDE_CODE_PROJECT_DIR_NAME` that may not be used.
    pub(crate) fn check_dir_name(&mut self, env: &Env) {
        if let (Err(reason), Some(value)) = (dir_name(env), set(&env.project_dir_name)) {
            self.reject(
                Origin::Variable("CLAUDE_CODE_PROJECT_DIR_NAME"),
                value,
                reason,
            );
        }
    }
}

fn dir_name(env: &Env) -> Result<Option<String>, RejectReason> {
    let Some(value) = set(&env.project_dir_name) else {
        return Ok(None);
    };
    if set(&env.config_dir).is_none() {
        return Err(RejectReason::NeedsConfigDir);
    }
    match value.to_str() {
        Some(name) if is_dir_name(name) => Ok(Some(name.to_owned())),
        _ => Err(RejectReason::BadDirName),
    }
}

/// The folder that `projects/` lies in for memory, and what named it.
pub(crate) fn memory_base(env: &Env, cwd: &Path) -> Result<(PathBuf, Source), Error> {
    if let Some(dir) = set(&env.remote_memory_dir) {
        return Ok((base_dir(dir, cwd)?, Source::RemoteDir));
    }
    let source = match set(&env.config_dir) {
        Some(_) => Source::ConfigDir,
        None => Source::Home,
    };
    Ok((env.config_home(cwd)?, source))
}

/// The folder name below `projects/` for a path: the name given by the variable, else a store
/// that exists under another spelling of the same path, else the derived key.
pub(crate) fn folder_name(env: &Env, base: &Path, path: &Path) -> String {
    if let Ok(Some(name)) = dir_name(env) {
        return name;
    }
    let keys = spellings(&path.to_string_lossy(), env.platform);
    let projects = base.join("projects");
    let first = keys.first().cloned().unwrap_or_default();
    if env.platform == Platform::Linux || keys.len() < 2 {
        return first;
    }
    // A store with memory in it beats a folder that holds transcripts only.
    let existing = |inside: &str| {
        keys.iter().find_map(|key| {
            projects.join(key).join(inside).symlink_metadata().ok()?;
            Some(on_disk(&projects, key))
        })
    };
    existing("memory").or_else(|| existing("")).unwrap_or(first)
}

/// The spelling of a folder name on disk, where the file system takes two cases for one name.
fn on_disk(projects: &Path, key: &str) -> String {
    let mut other = None;
    for entry in projects.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name == key {
            return key.to_owned();
        }
        if name.eq_ignore_ascii_case(key) {
            other = Some(name.to_owned());
        }
    }
    other.unwrap_or_else(|| key.to_owned())
}
