//! The instructions about memory: which mode, which parts, in which order.
//!
//! Instructions only, and the same bytes on every call with the same options: the content of the
//! index is a value of its own, so that a prompt cache survives a change of it.

mod daily_log;
mod standard;
mod team;

use std::path::PathBuf;

use memdir_paths::MemoryDir;

use crate::entry::printable;

/// Which of the three ways to remember the instructions describe.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Mode {
    /// One private directory with an index.
    Standard,
    /// A private directory and one that the team shares, each with an index.
    Team,
    /// A log that is only appended to.
    DailyLog,
}

/// What is known about a directory; ensuring it is a step of the host before this one.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Directory {
    /// It is there, and the prompt says so.
    Exists,
    /// Nobody looked, or it could not be made; the prompt claims nothing.
    #[default]
    Unknown,
}

impl Directory {
    /// Looks.
    pub fn probe(dir: &MemoryDir) -> Directory {
        if dir.exists() {
            Directory::Exists
        } else {
            Directory::Unknown
        }
    }
}

/// Whether the index is part of the session, and who writes its lines.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IndexUse {
    /// Its text is loaded, and the model writes the line of each memory itself.
    #[default]
    Listed,
    /// Its text is loaded, and the host gives each memory its line, as
    /// [`Store::save_as`](crate::Store::save_as) does: the model is told to leave the index alone.
    Kept,
    /// Recall stands in for it: no index text, and no index step.
    Skipped,
}

/// A directory together with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    dir: MemoryDir,
    directory: Directory,
}

impl Place {
    /// The directory as it is spelled. A control character in a path would break the prompt's
    /// lines, and is shown as an escape.
    fn path(&self) -> String {
        printable(&self.dir.path().to_string_lossy())
    }

    fn index(&self) -> String {
        printable(&self.dir.entrypoint().to_string_lossy())
    }
}

/// Where earlier conversations can be searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum SearchPast {
    #[default]
    No,
    Memory,
    MemoryAndTranscripts(PathBuf),
}

/// What the instructions are to say.
///
/// ```
/// use memdir_index::{Directory, Prompt, prompt};
/// use memdir_paths::MemoryDir;
///
/// let dir = MemoryDir::new("/home/ann/.claude/projects/-work-app/memory");
/// let text = prompt(&Prompt::standard(&dir).directory(Directory::Exists));
/// assert!(text.starts_with("# auto memory\n"));
/// assert!(text.contains("/home/ann/.claude/projects/-work-app/memory/MEMORY.md"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    mode: Mode,
    private: Place,
    team: Option<Place>,
    index: IndexUse,
    search: SearchPast,
    extra: Vec<String>,
}

impl Prompt {
    fn new(mode: Mode, dir: &MemoryDir) -> Prompt {
        Prompt {
            mode,
            private: Place {
                dir: dir.clone(),
                directory: Directory::Unknown,
            },
            team: None,
            index: IndexUse::Listed,
            search: SearchPast::No,
            extra: Vec::new(),
        }
    }

    /// One private directory.
    pub fn standard(dir: &MemoryDir) -> Prompt {
        Prompt::new(Mode::Standard, dir)
    }

    /// A private directory and one that the team shares.
    pub fn team(private: &MemoryDir, team: &MemoryDir) -> Prompt {
        let mut prompt = Prompt::new(Mode::Team, private);
        prompt.team = Some(Place {
            dir: team.clone(),
            directory: Directory::Unknown,
        });
        prompt
    }

    /// A log that is only appended to.
    pub fn daily_log(dir: &MemoryDir) -> Prompt {
        Prompt::new(Mode::DailyLog, dir)
    }

    /// Sets what is known about the private directory; nothing unless set.
    #[must_use]
    pub fn directory(mut self, directory: Directory) -> Prompt {
        self.private.directory = directory;
        self
    }

    /// Sets what is known about the team's directory; nothing unless set.
    #[must_use]
    pub fn team_directory(mut self, directory: Directory) -> Prompt {
        if let Some(team) = &mut self.team {
            team.directory = directory;
        }
        self
    }

    /// Sets whether the index is part of the session, and who writes its lines;
    /// [`IndexUse::Listed`] unless set.
    #[must_use]
    pub fn index(mut self, index: IndexUse) -> Prompt {
        self.index = index;
        self
    }

    /// Adds the section on searching the past: memories alone, or also the transcripts in that
    /// directory.
    #[must_use]
    pub fn search_past(mut self, transcripts: Option<PathBuf>) -> Prompt {
        self.search = match transcripts {
            Some(dir) => SearchPast::MemoryAndTranscripts(dir),
            None => SearchPast::Memory,
        };
        self
    }

    /// Adds guidelines of the host, last of all. May be called more than once; blank text adds
    /// nothing.
    #[must_use]
    pub fn extra_guidelines(mut self, text: &str) -> Prompt {
        let text = text.trim();
        if !text.is_empty() {
            self.extra.push(text.to_owned());
        }
        self
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

/// The instructions, without a line end at the end: types, what is not saved, how to save, when
/// to use memory, what to check before relying on it, memory beside other ways to keep things,
/// then the optional parts.
pub fn prompt(options: &Prompt) -> String {
    let mut sections = match (options.mode, &options.team) {
        (Mode::Team, Some(team)) => team::sections(options, team),
        (Mode::DailyLog, _) => daily_log::sections(options),
        _ => standard::sections(options),
    };
    sections.extend(search_section(options));
    if !options.extra.is_empty() {
        sections.push(format!(
            "## Further guidelines\n\n{}",
            options.extra.join("\n\n")
        ));
    }
    sections.join("\n\n")
}

/// How to find what is not in front of the model, cheapest first.
fn search_section(options: &Prompt) -> Option<String> {
    let mut places = vec![options.private.path()];
    places.extend(options.team.as_ref().map(Place::path));
    let places: Vec<String> = places
        .iter()
        .map(|path| format!("`grep -rin --include=\"*.md\" \"TERM\" {}`", quoted(path)))
        .collect();
    let memories = format!(
        "## Searching the past\n\n\
         When something was decided or discussed before and is not in front of you:\n\n\
         1. Search the memories: {}.",
        places.join(" and ")
    );
    match &options.search {
        SearchPast::No => None,
        SearchPast::Memory => Some(memories),
        SearchPast::MemoryAndTranscripts(dir) => {
            let dir = quoted(&printable(&dir.to_string_lossy()));
            Some(format!(
                "{memories}\n\
                 2. Only if that finds nothing, search the transcripts of earlier conversations: \
                 `grep -rn --include=\"*.jsonl\" \"TERM\" {dir}`. They are large and slow to search: look \
                 for a narrow term, such as an error message, a path or the name of a function."
            ))
        }
    }
}

/// A path as a shell takes it literally: what follows a `$` or a backtick in the name of a folder
/// must not run when the model pastes the command.
fn quoted(path: &str) -> String {
    if path.contains(['$', '`', '"', '\\', '!']) {
        format!("'{}'", path.replace('\'', "'\\''"))
    } else {
        format!("\"{path}\"")
    }
}
