//! What a host may choose about loading.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::layer::{Layer, Source};
use crate::switch::Switches;

/// Hops of imports that are followed: the file itself is hop 0. The limit of the format.
pub const MAX_IMPORT_DEPTH: usize = 4;
/// Imported files per session at most. Our choice: far above what a person writes.
pub const MAX_IMPORTS: usize = 1_000;
/// Bytes of imported files per session at most: 16 MiB. Our choice.
pub const MAX_IMPORT_BYTES: u64 = 16 << 20;
/// Bytes of one file above which it is skipped: 4 MiB. The limit of the format.
pub const MAX_FILE_BYTES: u64 = 4 << 20;
/// Bytes of all files of a session together: 64 MiB. Our choice, so that memory is bounded.
pub const MAX_TOTAL_BYTES: u64 = 64 << 20;
/// Characters of one file from which a report warns about its size. The number of the format.
pub const SIZE_WARNING_CHARS: usize = 40_000;

/// What a host may choose about loading. Every field has a default that suits most hosts.
///
/// ```
/// use claudemd::{AgentsMd, Options, Source};
///
/// let options = Options::default()
///     .sources([Source::User, Source::Project])
///     .exclude("**/vendor/**")
///     .agents_md(AgentsMd::Fallback);
/// assert_eq!(options.max_import_depth, claudemd::MAX_IMPORT_DEPTH);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The sources that are read; all three by default.
    pub sources: Vec<Source>,
    /// What the environment says.
    pub switches: Switches,
    /// The text under `claudeMd` of the managed settings: one more managed entry.
    pub managed_text: Option<String>,
    /// The merged `claudeMdExcludes` of all settings: globs over absolute paths, case counts.
    pub excludes: Vec<String>,
    /// Which paths of a file the excludes see.
    pub exclude_paths: ExcludePaths,
    /// Whether imports from outside the working directory are allowed.
    pub external: External,
    /// What becomes of AGENTS.md.
    pub agents_md: AgentsMd,
    /// Hops of imports that are followed; [`MAX_IMPORT_DEPTH`] by default.
    pub max_import_depth: usize,
    /// Imported files at most; [`MAX_IMPORTS`] by default.
    pub max_imports: usize,
    /// Bytes of imported files at most; [`MAX_IMPORT_BYTES`] by default.
    pub max_import_bytes: u64,
    /// Caps on the loaded text; none by default.
    pub budget: Budget,
    /// Characters of one file from which the report warns; [`SIZE_WARNING_CHARS`] by default. A
    /// host may scale it with the window of its model.
    pub size_warning: usize,
    /// Which operations deliver rules and nested files.
    pub trigger: Trigger,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sources: Source::ALL.to_vec(),
            switches: Switches::default(),
            managed_text: None,
            excludes: Vec::new(),
            exclude_paths: ExcludePaths::default(),
            external: External::default(),
            agents_md: AgentsMd::default(),
            max_import_depth: MAX_IMPORT_DEPTH,
            max_imports: MAX_IMPORTS,
            max_import_bytes: MAX_IMPORT_BYTES,
            budget: Budget::default(),
            size_warning: SIZE_WARNING_CHARS,
            trigger: Trigger::default(),
        }
    }
}

impl Options {
    /// Sets the sources that are read.
    #[must_use]
    pub fn sources(mut self, sources: impl IntoIterator<Item = Source>) -> Options {
        self.sources = sources.into_iter().collect();
        self
    }

    /// Sets what the environment says.
    #[must_use]
    pub fn switches(mut self, switches: Switches) -> Options {
        self.switches = switches;
        self
    }

    /// Sets the text under `claudeMd` of the managed settings.
    #[must_use]
    pub fn managed_text(mut self, text: impl Into<String>) -> Options {
        self.managed_text = Some(text.into());
        self
    }

    /// Adds an exclude.
    #[must_use]
    pub fn exclude(mut self, pattern: impl Into<String>) -> Options {
        self.excludes.push(pattern.into());
        self
    }

    /// Sets which paths of a file the excludes see.
    #[must_use]
    pub fn exclude_paths(mut self, paths: ExcludePaths) -> Options {
        self.exclude_paths = paths;
        self
    }

    /// Sets whether imports from outside are allowed.
    #[must_use]
    pub fn external(mut self, external: External) -> Options {
        self.external = external;
        self
    }

    /// Sets what becomes of AGENTS.md.
    #[must_use]
    pub fn agents_md(mut self, agents_md: AgentsMd) -> Options {
        self.agents_md = agents_md;
        self
    }

    /// Sets how many hops of imports are followed.
    #[must_use]
    pub fn max_import_depth(mut self, hops: usize) -> Options {
        self.max_import_depth = hops;
        self
    }

    /// Sets how many files are imported at most.
    #[must_use]
    pub fn max_imports(mut self, files: usize) -> Options {
        self.max_imports = files;
        self
    }

    /// Sets how many bytes of imported files are read at most.
    #[must_use]
    pub fn max_import_bytes(mut self, bytes: u64) -> Options {
        self.max_import_bytes = bytes;
        self
    }

    /// Sets the caps on the loaded text.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Options {
        self.budget = budget;
        self
    }

    /// Sets from how many characters the report warns about a file.
    #[must_use]
    pub fn size_warning(mut self, chars: usize) -> Options {
        self.size_warning = chars;
        self
    }

    /// Sets which operations deliver rules and nested files.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Options {
        self.trigger = trigger;
        self
    }

    pub(crate) fn reads(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }
}

/// Which paths of a file `claudeMdExcludes` sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ExcludePaths {
    /// The path as found and the real path: excluding either excludes the file.
    #[default]
    FoundAndReal,
    /// Only the path as found, as the client does.
    Found,
}

/// What becomes of AGENTS.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AgentsMd {
    /// It is not read.
    #[default]
    Off,
    /// It is read in a directory that has neither `CLAUDE.md` nor `.claude/CLAUDE.md`.
    Fallback,
}

/// Which operations deliver rules and nested files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Trigger {
    /// Reading and writing, so that a new file gets its conventions before it is written.
    #[default]
    ReadAndWrite,
    /// Reading only, as the client does.
    ReadOnly,
}

/// Caps on the loaded text, in bytes. A file above one is cut at a character and flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Budget {
    /// Bytes of one file's text; `None` is no cap.
    pub per_file: Option<usize>,
    /// Bytes of all texts together; `None` is no cap. The files nearest to the conversation are
    /// served first, so that a large outer file starves no inner one.
    pub total: Option<usize>,
}

impl Budget {
    /// Caps each file's text at so many bytes.
    #[must_use]
    pub fn per_file(mut self, bytes: usize) -> Budget {
        self.per_file = Some(bytes);
        self
    }

    /// Caps all texts together at so many bytes.
    #[must_use]
    pub fn total(mut self, bytes: usize) -> Budget {
        self.total = Some(bytes);
        self
    }
}

/// Whether imports from outside the working directory are allowed. The user's own files import
/// from anywhere without asking.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum External {
    /// They are left out and reported.
    #[default]
    Denied,
    /// The person has approved them for this project.
    Approved,
    /// A function decides about each path; see [`External::ask`].
    Ask(Approver),
}

impl External {
    /// Lets a function decide about each path from outside, once for each import of it.
    pub fn ask(
        approve: impl Fn(&ExternalImport<'_>) -> Approval + Send + Sync + 'static,
    ) -> External {
        External::Ask(Approver(Arc::new(approve)))
    }

    pub(crate) fn allows(&self, import: &ExternalImport<'_>) -> bool {
        match self {
            External::Denied => false,
            External::Approved => true,
            External::Ask(approver) => (approver.0)(import) == Approval::Allow,
        }
    }
}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            External::Denied => "Denied",
            External::Approved => "Approved",
            External::Ask(_) => "Ask(..)",
        })
    }
}

/// The function behind [`External::ask`].
#[derive(Clone)]
pub struct Approver(Arc<dyn Fn(&ExternalImport<'_>) -> Approval + Send + Sync>);

impl fmt::Debug for Approver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver(..)")
    }
}

/// An import from outside the working directory, before it is read.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ExternalImport<'a> {
    /// The path as written, made absolute.
    pub path: &'a Path,
    /// The real path, with all links resolved.
    pub real: &'a Path,
    /// The file that imports it.
    pub parent: &'a Path,
    /// The layer of that file.
    pub layer: Layer,
}

/// The answer about an external import.
///
/// Deliberately exhaustive: it is read, or it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Approval {
    /// The file is read.
    Allow,
    /// The file is left out and reported.
    Deny,
}
