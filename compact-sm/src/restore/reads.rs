//! Which files a conversation read and changed, found in its tool calls.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use serde_json::Value;

use super::prompt;
use crate::keep::is_summary;
use crate::micro::is_cleared;
use crate::summary::prompt::OPENING;
use crate::{Block, Message, Origin};

/// The field of a message that says which file it brought back. Never sent to the API.
pub(crate) const RESTORED: &str = "compactRestored";

/// A file that was read or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RecentFile {
    /// As the call named it.
    pub path: String,
    /// What was done last.
    pub touch: Touch,
    /// When its content changed last, if the host wants them in that order.
    pub modified: Option<SystemTime>,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Touch {
    /// It was read.
    Read,
    /// It was written as a whole.
    Written,
    /// It was changed in places.
    Edited,
    /// A compaction brought it back.
    Restored,
}

impl RecentFile {
    /// A file that was read.
    pub fn new(path: impl Into<String>) -> RecentFile {
        RecentFile {
            path: path.into(),
            touch: Touch::Read,
            modified: None,
        }
    }

    /// Sets what was done last.
    #[must_use]
    pub fn touch(mut self, touch: Touch) -> RecentFile {
        self.touch = touch;
        self
    }

    /// Sets when its content changed last.
    #[must_use]
    pub fn modified(mut self, time: SystemTime) -> RecentFile {
        self.modified = Some(time);
        self
    }
}

/// The files that a conversation read and changed, each once, the last first.
///
/// It knows the tools `Read`, `Write`, `Edit`, `MultiEdit` and `NotebookEdit`, of which only calls
/// that succeeded count, and what former compactions brought back. A host with other tools makes
/// a list of its own. Linear in the list.
#[must_use]
pub fn recent_reads(messages: &[Message]) -> Vec<RecentFile> {
    let mut calls: HashMap<&str, (&str, Touch)> = HashMap::new();
    let mut all: Vec<(&str, Touch)> = Vec::new();
    let mut touched: Vec<(&str, Touch)> = Vec::new();
    // They stand behind what was kept, the last one first, and are older than all of it.
    let mut restored: Vec<(&str, Touch)> = Vec::new();
    for message in messages {
        if goes_on(message) {
            all.extend(restored.drain(..).rev());
            all.append(&mut touched);
        }
        if let Some(path) = message.extra.field(RESTORED).and_then(Value::as_str) {
            restored.push((path, Touch::Restored));
        }
        for block in &message.content.blocks {
            match block {
                Block::ToolUse { id, .. } => {
                    if let Some(call) = file_of(block) {
                        calls.insert(id, call);
                    }
                }
                Block::ToolResult {
                    tool_use_id,
                    is_error,
                    ..
                } if *is_error != Some(true) => {
                    touched.extend(calls.remove(tool_use_id.as_str()));
                }
                _ => {}
            }
        }
    }
    all.extend(restored.drain(..).rev());
    all.append(&mut touched);
    let mut seen = HashSet::new();
    let newest = all.into_iter().rev();
    let once = newest.filter(|(path, _)| seen.insert(plain(path)));
    once.map(|(path, touch)| RecentFile::new(path).touch(touch))
        .collect()
}

/// Does it stand for what was left out, of everything or of a part?
fn goes_on(message: &Message) -> bool {
    let opens = |text: &str| text.starts_with(OPENING);
    is_summary(message)
        || message.origin == Origin::Meta && message.texts().next().is_some_and(opens)
}

/// `./a` and `a` are one file.
pub(crate) fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn file_of(call: &Block) -> Option<(&str, Touch)> {
    let Block::ToolUse { name, input, .. } = call else {
        return None;
    };
    let (key, touch) = match name.as_str() {
        "Read" => ("file_path", Touch::Read),
        "Write" => ("file_path", Touch::Written),
        "Edit" | "MultiEdit" => ("file_path", Touch::Edited),
        "NotebookEdit" => ("notebook_path", Touch::Edited),
        _ => return None,
    };
    let path = input.get(key)?.as_str()?;
    (!path.is_empty()).then_some((path, touch))
}

/// The file that a message brought back, if it is all of its text.
fn brought_back(message: &Message) -> Option<&str> {
    let path = message.extra.field(RESTORED).and_then(Value::as_str)?;
    let is_whole = match message.content.blocks.as_slice() {
        [only] => only.as_text() == Some(&prompt::empty(path)),
        // A third block says what is left out.
        [title, _] => title.as_text() == Some(&prompt::file(path)),
        _ => false,
    };
    is_whole.then_some(path)
}

/// Files whose whole text stands in these messages: read without limits or written, and not
/// cleared since, or brought back by a former compaction.
pub(crate) fn whole_texts(messages: &[Message]) -> HashSet<String> {
    let mut calls: HashMap<&str, &str> = HashMap::new();
    let back = messages.iter().filter_map(brought_back);
    let mut paths: HashSet<String> = back.map(|path| plain(path).to_owned()).collect();
    for block in messages.iter().flat_map(|message| &message.content.blocks) {
        match block {
            Block::ToolUse { id, input, .. } => {
                let is_part = ["offset", "limit"]
                    .iter()
                    .any(|key| input.get(key).is_some_and(|value| !value.is_null()));
                if let Some((path, Touch::Read | Touch::Written)) = file_of(block)
                    && !is_part
                {
                    calls.insert(id, path);
                }
            }
            Block::ToolResult {
                tool_use_id,
                is_error,
                ..
            } if *is_error != Some(true) && !is_cleared(block) => {
                if let Some(path) = calls.remove(tool_use_id.as_str()) {
                    paths.insert(plain(path).to_owned());
                }
            }
            _ => {}
        }
    }
    paths
}
