//! The whole answer: directory, source, switch, root, and everything that was refused.

use std::path::{Path, PathBuf};

use crate::env::{Env, set};
use crate::error::Error;
use crate::git_root::{Root, canonical_root, host_root};
use crate::layout::{Ensured, MemoryDir};
use crate::settings::{Settings, SettingsProblem};
use crate::source::{ProjectTrust, Rejected, Source, folder_name, memory_base, overrides};
use crate::switch::{IndexText, Switch, index_text, switch};

/// Which folder names the memory of a linked worktree.
///
/// Deliberately exhaustive for now; a third policy would be a new version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WorktreePolicy {
    /// All worktrees of a repository share one memory directory, as the format has it.
    #[default]
    Shared,
    /// Every worktree has its own.
    Isolated,
}

/// How [`resolve_with`] decides what the format leaves to the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// One memory directory for all worktrees, or one for each.
    pub worktrees: WorktreePolicy,
    /// Whether project settings may move the memory directory.
    pub project_trust: ProjectTrust,
    /// A root that the host knows already; the disk is not searched then. `/` is not believed
    /// unless it is the working directory.
    pub root: Option<PathBuf>,
}

impl Options {
    /// Sets the worktree policy.
    #[must_use]
    pub fn worktrees(mut self, policy: WorktreePolicy) -> Options {
        self.worktrees = policy;
        self
    }

    /// Sets whether project settings may move the memory directory.
    #[must_use]
    pub fn project_trust(mut self, trust: ProjectTrust) -> Options {
        self.project_trust = trust;
        self
    }

    /// Names the root.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Options {
        self.root = Some(root.into());
        self
    }
}

/// Where the memory of a project lives, and how that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Resolution {
    /// The memory directory; `None` while memory is off.
    pub dir: Option<MemoryDir>,
    /// Which source named the directory; `None` while memory is off.
    pub source: Option<Source>,
    /// Whether memory is on, and which switch decided.
    pub switch: Switch,
    /// Whether the text of the index may go into the context.
    pub index_text: IndexText,
    /// Text that the host adds to the instructions (`CLAUDE_COWORK_MEMORY_EXTRA_GUIDELINES`).
    pub extra_guidelines: Option<String>,
    /// The canonical root of the working directory, whatever named the memory directory.
    pub root: Root,
    /// The folder that names the project under the worktree policy: the root, or the checkout.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub project: PathBuf,
    /// Every value that was refused, with its reason.
    pub rejected: Vec<Rejected>,
    /// What could not be read in the settings.
    pub problems: Vec<SettingsProblem>,
}

impl Resolution {
    /// Creates the directory and records the project in it; `None` while memory is off. Nothing
    /// else is created: with an override in force, nothing appears below the config home.
    ///
    /// # Errors
    ///
    /// Those of [`MemoryDir::ensure`].
    pub fn ensure(&self) -> Result<Option<Ensured>, Error> {
        match &self.dir {
            Some(dir) => dir.ensure(Some(&self.project)).map(Some),
            None => Ok(None),
        }
    }
}

/// Finds the memory directory of a working directory, with the defaults of [`Options`]. Creates
/// nothing.
///
/// # Errors
///
/// Those of [`canonical_root`], and [`ErrorKind::NoHome`](crate::ErrorKind::NoHome) when the
/// default path is needed and neither a home nor a config directory is known. Refused values are
/// not errors, see [`Resolution::rejected`].
pub fn resolve(env: &Env, settings: &Settings, cwd: &Path) -> Result<Resolution, Error> {
    resolve_with(env, settings, cwd, &Options::default())
}

/// Finds the memory directory of a working directory. Creates nothing.
///
/// # Errors
///
/// Those of [`resolve`].
pub fn resolve_with(
    env: &Env,
    settings: &Settings,
    cwd: &Path,
    options: &Options,
) -> Result<Resolution, Error> {
    let root = match &options.root {
        Some(named) => host_root(named, cwd)?,
        None => canonical_root(cwd)?,
    };
    let project = match options.worktrees {
        WorktreePolicy::Shared => root.path.clone(),
        WorktreePolicy::Isolated => root.checkout.clone(),
    };
    let switch = switch(env, settings);
    let mut chain = overrides(env, settings, options.project_trust);
    // Its refusal is reported here; `folder_name` uses it where the default path holds.
    chain.check_dir_name(env);
    let found = match chain.found.take() {
        Some(found) => Some(found),
        // Memory that is off needs no home.
        None if !switch.is_on() => None,
        None => {
            let (base, source) = memory_base(env, &root.cwd)?;
            let name = folder_name(env, &base, &project);
            let path = base.join("projects").join(name).join("memory");
            Some((path, source))
        }
    };
    let found = found.filter(|_| switch.is_on());
    Ok(Resolution {
        source: found.as_ref().map(|(_, source)| *source),
        dir: found.map(|(path, _)| MemoryDir::new(path)),
        switch,
        index_text: index_text(env, switch),
        extra_guidelines: set(&env.extra_guidelines)
            .map(|text| text.to_string_lossy().into_owned()),
        root,
        project,
        rejected: chain.rejected,
        problems: settings.problems.clone(),
    })
}
