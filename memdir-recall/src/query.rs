//! What is asked for, and what must not come back.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::MemoryFile;
use crate::text::head;

/// How much of a message is looked at: 16 KiB (16,384 bytes), this crate's own choice. A message
/// that pastes a log is about its beginning.
pub const MAX_QUERY_BYTES: usize = 16 * 1024;

/// A user's message and what the session already knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The message, at most [`MAX_QUERY_BYTES`] of it.
    pub text: String,
    /// Names of tools that were used recently, as the host calls them; upper and lower case
    /// differ.
    pub recent_tools: Vec<String>,
    /// Memories that were surfaced before in this session: names relative to the memory directory,
    /// or absolute paths that begin with it as it was passed in; no link is resolved.
    pub surfaced: Vec<PathBuf>,
}

impl Query {
    /// A query for a message.
    #[must_use]
    pub fn new(text: &str) -> Query {
        Query {
            text: head(text, MAX_QUERY_BYTES).to_owned(),
            ..Query::default()
        }
    }

    /// Sets the names of recently used tools.
    #[must_use]
    pub fn recent_tools<T: AsRef<str>>(mut self, tools: impl IntoIterator<Item = T>) -> Query {
        self.recent_tools = tools.into_iter().map(|t| t.as_ref().to_owned()).collect();
        self
    }

    /// Sets what was surfaced before: absolute paths or names relative to the memory directory.
    #[must_use]
    pub fn surfaced<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Query {
        self.surfaced = paths.into_iter().map(|p| p.as_ref().to_owned()).collect();
        self
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The memories that may be offered, and the names of those that were surfaced before.
    ///
    /// [`Recall`](crate::Recall) applies it by itself; a host with its own loop calls it before
    /// it builds a manifest.
    pub fn filter<'m, M>(&self, memories: M) -> (Vec<&'m MemoryFile>, Vec<&'m str>)
    where
        M: IntoIterator<Item = &'m MemoryFile>,
    {
        let seen = Surfaced::of(self);
        let mut fresh = Vec::new();
        let mut before = Vec::new();
        for memory in memories {
            if seen.holds(memory) {
                before.push(memory.file.as_str());
            } else {
                fresh.push(memory);
            }
        }
        (fresh, before)
    }
}

/// What was surfaced, for many questions.
pub(crate) struct Surfaced<'q>(HashSet<&'q Path>);

impl<'q> Surfaced<'q> {
    pub(crate) fn of(query: &'q Query) -> Surfaced<'q> {
        // `./a.md` is `a.md`.
        let plain = |path: &'q PathBuf| path.strip_prefix(".").unwrap_or(path);
        Surfaced(query.surfaced.iter().map(plain).collect())
    }

    pub(crate) fn holds(&self, memory: &MemoryFile) -> bool {
        !self.0.is_empty()
            && (self.0.contains(memory.path.as_path()) || self.0.contains(Path::new(&memory.file)))
    }
}

/// Words that make a text about a tool a warning: such a memory is wanted while the tool is in
/// use.
const WARNINGS: [&str; 28] = [
    "warning",
    "gotcha",
    "caveat",
    "pitfall",
    "known issue",
    "workaround",
    "careful",
    "beware",
    "never",
    "avoid",
    "do not",
    "don't",
    "bug",
    "broken",
    "breaks",
    "fails",
    "hangs",
    "flaky",
    "trap",
    "注意",
    "警告",
    "陷阱",
    "已知问题",
    "不要",
    "避免",
    "小心",
    "坑",
    "切勿",
];

/// The tool in use that a memory is the manual of, if it is one: a reference whose name or
/// description names the tool, and that warns of nothing.
pub(crate) fn manual_of<'q>(query: &'q Query, memory: &MemoryFile) -> Option<&'q str> {
    if memory.header.kind != Some(memdir_types::MemoryType::Reference) {
        return None;
    }
    let name = memory.header.name.as_deref().unwrap_or(&memory.file);
    let description = memory.header.description.as_deref().unwrap_or_default();
    let tool = query.recent_tools.iter().find(|tool| {
        names_word(name, tool) || names_word(description, tool) || names_word(&memory.file, tool)
    })?;
    let lower = format!("{name}\n{description}").to_lowercase();
    let warns = WARNINGS.iter().any(|word| match word.is_ascii() {
        true => says(&lower, word),
        false => lower.contains(word),
    });
    (!warns).then_some(tool)
}

/// Whether a text has a word in one of its forms: `avoid` in `avoiding`, but not `trap` in
/// `bootstrap`.
fn says(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let behind = &text[at + word.len()..];
        let ends = behind.find(|c: char| !c.is_alphanumeric());
        let form = &behind[..ends.unwrap_or(behind.len())];
        !text[..at].ends_with(char::is_alphanumeric) && ["", "s", "ed", "ing", "ly"].contains(&form)
    })
}

/// Whether a text holds a name as a whole word, upper and lower case told apart.
fn names_word(text: &str, name: &str) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            !is_inside(text[..at].chars().next_back())
                && !is_inside(text[at + found.len()..].chars().next())
        })
}
