//! The living conversation of a transcript.

use std::io::BufRead;

use super::line::Depth;
use super::reader::MAX_SKIPPED;
use super::tree::Tree;
use super::{Line, LineKind, Reader, Skipped};
use crate::{Boundary, Message, Repaired, repair};

/// What a transcript holds for the model: the messages from the last boundary on, in the order of
/// the conversation, without branches that were left.
///
/// The list is what was recorded, so it may hold what no request takes, such as a response that
/// was stopped while thinking: see [`Transcript::into_conversation`].
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Transcript {
    /// The messages. Those kept by a compaction have no usage, because theirs tells of the
    /// conversation before it.
    pub messages: Vec<Message>,
    /// Every boundary of the file, in its order, without the envelope of its line.
    pub boundaries: Vec<Boundary>,
    /// Titles of the session.
    pub titles: Vec<String>,
    /// When the model spoke last, as RFC 3339.
    pub answered: Option<String>,
    /// Lines that were left out, at most [`MAX_SKIPPED`].
    pub skipped: Vec<Skipped>,
    /// How many lines were left out.
    pub skipped_total: u64,
    /// Lines with bytes that are no text, or with half a character, which was replaced.
    pub mended: u64,
    /// Lines that name a parent which is not in the file; they follow the line above instead.
    pub orphans: u64,
}

impl Transcript {
    /// Reads a whole transcript. Never fails: what could not be read is listed.
    pub fn read(source: impl BufRead) -> Transcript {
        let mut transcript = Transcript::default();
        let mut tree = Tree::default();
        let mut reader = Reader::with_depth(source, Depth::Lean);
        for line in reader.by_ref() {
            match line {
                Ok(line) => transcript.line(line, &mut tree),
                Err(skipped) => {
                    transcript.skipped_total += 1;
                    if transcript.skipped.len() < MAX_SKIPPED {
                        transcript.skipped.push(skipped);
                    }
                }
            }
        }
        transcript.mended = reader.mended();
        let living = tree.living(&transcript.boundaries);
        transcript.messages = living.messages;
        transcript.answered = living.answered;
        transcript.orphans = living.orphans;
        transcript
    }

    fn line(&mut self, line: Line, tree: &mut Tree) {
        let boundary = line.boundary();
        if line.kind == LineKind::Summary
            && let Some(title) = line.extra.field("summary").and_then(|t| t.as_str())
        {
            self.titles.push(title.to_owned());
            return;
        }
        let at = boundary.map(|boundary| {
            self.boundaries.push(boundary);
            self.boundaries.len() - 1
        });
        tree.push(line, at);
    }

    /// The messages as a list that validates, and what had to be done for that.
    #[must_use]
    pub fn into_conversation(self) -> Repaired {
        repair(self.messages)
    }
}
