//! What comes back, and within which limits.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use super::reads::RecentFile;

/// Most files that come back. In items. Origin: the system's description.
pub const RESTORE_FILES: usize = 5;

/// Most of one file. In tokens. Origin: the system's description.
pub const RESTORE_FILE_TOKENS: u64 = 5_000;

/// Most of all files. In tokens. Origin: several analyses.
pub const RESTORE_TOTAL_TOKENS: u64 = 50_000;

/// Most of one skill, or of the plan. In tokens. Origin: the system's description.
pub const SKILL_TOKENS: u64 = 5_000;

/// Most of all skills and the plan. In tokens. Origin: the system's description.
pub const SKILLS_TOTAL_TOKENS: u64 = 25_000;

/// In which order files come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Recency {
    /// What was read or changed last comes first.
    #[default]
    LastUse,
    /// What was modified last comes first, as the client has it within one process.
    ModifiedTime,
}

/// What becomes of a file that is longer than its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Oversize {
    /// Its head, and where to read on.
    #[default]
    Head,
    /// Its name alone, as the client has it.
    Reference,
}

/// A text that the host brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Named {
    /// The path of the plan, or the name of the skill.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Named {
    /// A text with its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Named {
        Named {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Which files come back by another way.
#[derive(Clone)]
pub struct Elsewhere(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Default for Elsewhere {
    /// Instruction files, rules, and the index of a memory, by their names.
    fn default() -> Elsewhere {
        Elsewhere::matching(|path| {
            let path = path.replace('\\', "/");
            let name = path.rsplit('/').next().unwrap_or_default();
            matches!(name, "CLAUDE.md" | "CLAUDE.local.md" | "MEMORY.md")
                || path.contains("/.claude/rules/")
                || path.starts_with(".claude/rules/")
        })
    }
}

impl Elsewhere {
    /// The files that a closure says yes to.
    pub fn matching(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Elsewhere {
        Elsewhere(Arc::new(test))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        (self.0)(path)
    }
}

impl fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Elsewhere(..)")
    }
}

/// What comes back after a compaction, and within which limits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Restore {
    /// Most files. In items.
    pub max_files: usize,
    /// Most of one file. In tokens.
    pub file_tokens: u64,
    /// Most of all files. In tokens.
    pub total_tokens: u64,
    /// Most of one skill, or of the plan. In tokens.
    pub skill_tokens: u64,
    /// Most of all skills and the plan. In tokens.
    pub skills_total_tokens: u64,
    /// In which order files come back.
    pub recency: Recency,
    /// What becomes of a file that is too long.
    pub oversize: Oversize,
    /// The files, the most recent first, if they are not to be found in the conversation.
    pub recent: Option<Vec<RecentFile>>,
    /// The plan that is being worked on.
    pub plan: Option<Named>,
    /// The skills that were called, the newest first.
    pub skills: Vec<Named>,
    /// Which files come back by another way.
    pub elsewhere: Elsewhere,
}

impl Default for Restore {
    fn default() -> Restore {
        Restore {
            max_files: RESTORE_FILES,
            file_tokens: RESTORE_FILE_TOKENS,
            total_tokens: RESTORE_TOTAL_TOKENS,
            skill_tokens: SKILL_TOKENS,
            skills_total_tokens: SKILLS_TOTAL_TOKENS,
            recency: Recency::default(),
            oversize: Oversize::default(),
            recent: None,
            plan: None,
            skills: Vec::new(),
            elsewhere: Elsewhere::default(),
        }
    }
}

impl Restore {
    /// Sets the most files. In items.
    #[must_use]
    pub fn max_files(mut self, files: usize) -> Restore {
        self.max_files = files;
        self
    }

    /// Sets the most of one file, and of all. In tokens.
    #[must_use]
    pub fn file_tokens(mut self, one: u64, all: u64) -> Restore {
        (self.file_tokens, self.total_tokens) = (one, all);
        self
    }

    /// Sets the most of one skill or the plan, and of all. In tokens.
    #[must_use]
    pub fn skill_tokens(mut self, one: u64, all: u64) -> Restore {
        (self.skill_tokens, self.skills_total_tokens) = (one, all);
        self
    }

    /// Sets in which order files come back.
    #[must_use]
    pub fn recency(mut self, recency: Recency) -> Restore {
        self.recency = recency;
        self
    }

    /// Sets what becomes of a file that is too long.
    #[must_use]
    pub fn oversize(mut self, oversize: Oversize) -> Restore {
        self.oversize = oversize;
        self
    }

    /// Sets the files, the most recent first.
    #[must_use]
    pub fn recent(mut self, files: Vec<RecentFile>) -> Restore {
        self.recent = Some(files);
        self
    }

    /// Sets the plan that is being worked on: the path of its file, and its text.
    #[must_use]
    pub fn plan(mut self, path: impl Into<String>, text: impl Into<String>) -> Restore {
        self.plan = Some(Named::new(path, text));
        self
    }

    /// Adds a skill that was called; the newest first.
    #[must_use]
    pub fn skill(mut self, name: impl Into<String>, text: impl Into<String>) -> Restore {
        self.skills.push(Named::new(name, text));
        self
    }

    /// Sets which files come back by another way.
    #[must_use]
    pub fn elsewhere(mut self, elsewhere: Elsewhere) -> Restore {
        self.elsewhere = elsewhere;
        self
    }
}

/// The text of a file, or its head.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileText {
    /// The text.
    pub text: String,
    /// How long the whole file is. In bytes.
    pub bytes: u64,
}

impl FileText {
    /// All of a file.
    pub fn whole(text: impl Into<String>) -> FileText {
        let text = text.into();
        FileText {
            bytes: text.len() as u64,
            text,
        }
    }

    /// The head of a file that has so many bytes.
    pub fn head(text: impl Into<String>, bytes: u64) -> FileText {
        FileText {
            text: text.into(),
            bytes,
        }
    }
}

/// How files are read again. The paths are what the model's calls named, as they were allowed
/// then; whether they may be read now is for the host to say.
pub trait Files {
    /// The text of a file as it is now: all of it, or a head of at least `most` bytes.
    ///
    /// # Errors
    ///
    /// What keeps it from being read; the file is left out then, with this as the reason. A file
    /// that is no text is an error too.
    fn read(&self, path: &str, most: usize) -> io::Result<FileText>;

    /// When its content changed last, for [`Recency::ModifiedTime`].
    fn modified(&self, path: &str) -> Option<SystemTime> {
        let _ = path;
        None
    }
}

/// No files: none comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str, _: usize) -> io::Result<FileText> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A closure as [`Files`].
#[derive(Clone, Copy)]
pub struct FilesFn<F>(F);

impl<F> fmt::Debug for FilesFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FilesFn")
    }
}

/// Turns a closure that reads a whole file, such as `std::fs::read_to_string`, into [`Files`].
pub fn files_fn<F: Fn(&str) -> io::Result<String>>(closure: F) -> FilesFn<F> {
    FilesFn(closure)
}

impl<F: Fn(&str) -> io::Result<String>> Files for FilesFn<F> {
    fn read(&self, path: &str, _: usize) -> io::Result<FileText> {
        (self.0)(path).map(FileText::whole)
    }
}
