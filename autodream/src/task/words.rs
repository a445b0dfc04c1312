//! What a person reads of a task: a label, the view behind it, a notice.

use std::fmt::Write as _;

use memdir_types::redact;

use crate::prompt::thousands;
use crate::transaction::reorders;

use super::{DreamTask, Phase, SHOWN_TURNS, TaskEnd, TaskState};

/// 10 files: more of them are counted in the view. Our own choice.
const SHOWN_FILES: usize = 10;
/// 200 characters: more of a turn or a reason is not shown.
const SHOWN_CHARS: usize = 200;
/// 8,000 characters: as long as a key may be.
const LONG_SECRET: usize = 8_000;

impl DreamTask {
    /// One short line for a status bar: `dreaming: gathering, 7 sessions`.
    #[must_use]
    pub fn label(&self) -> String {
        let mut label = match &self.state {
            TaskState::Starting => "dreaming: starting".to_owned(),
            TaskState::Running => format!("dreaming: {}", self.phase.as_str()),
            TaskState::Finishing => "dreaming: checking the result".to_owned(),
            TaskState::Ended(end) => return end.label(),
        };
        if self.sessions > 0 {
            let _ = write!(label, ", {}", counted(self.sessions, "session"));
        }
        if !self.files.is_empty() {
            let _ = write!(label, ", {}", counted(self.files.len(), "file"));
        }
        label
    }

    /// The view behind the label: several lines, without a line end.
    #[must_use]
    pub fn details(&self) -> String {
        let mut text = self.label();
        if let TaskState::Ended(
            TaskEnd::Refused { why } | TaskEnd::Declined { why } | TaskEnd::Failed { why },
        ) = &self.state
        {
            let _ = write!(text, "\n  {}", line(why));
        }
        let _ = write!(
            text,
            "\nreviewed: {}\ntouched: {}",
            counted(self.sessions, "session"),
            counted(self.files.len(), "file")
        );
        for file in self.files.iter().take(SHOWN_FILES) {
            let _ = write!(text, "\n  {}", line(file));
        }
        if let Some(more @ 1..) = self.files.len().checked_sub(SHOWN_FILES) {
            let _ = write!(text, "\n  and {more} more");
        }
        let _ = write!(
            text,
            "\nspent: {}, {}",
            counted(self.turn_count, "turn"),
            counted(
                usize::try_from(self.usage.total()).unwrap_or(usize::MAX),
                "token"
            )
        );
        let shown = self.turns.len().min(SHOWN_TURNS);
        if let Some(earlier @ 1..) = self.turn_count.checked_sub(shown) {
            let _ = write!(text, "\n({})", counted(earlier, "earlier turn"));
        }
        for turn in &self.turns[self.turns.len() - shown..] {
            let said = line(&turn.text);
            let said = if said.is_empty() { "…" } else { &said };
            let _ = write!(text, "\n- {said}");
            if turn.tools > 0 {
                let _ = write!(text, " ({})", counted(turn.tools, "tool"));
            }
        }
        text
    }

    /// The one message for the conversation, once the run is over: `Improved 3 files`; `None` if
    /// nothing changed.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        match self.ended_as() {
            Some(TaskEnd::Improved { files: files @ 1.. }) => {
                Some(format!("Improved {}", counted(*files, "file")))
            }
            _ => None,
        }
    }
}

impl TaskEnd {
    fn label(&self) -> String {
        match self {
            TaskEnd::Improved { files } => format!("dream: improved {}", counted(*files, "file")),
            TaskEnd::NothingToDo => "dream: nothing to do".to_owned(),
            TaskEnd::Idle => "dream: nothing new since the last one".to_owned(),
            TaskEnd::DryRun { files } => {
                format!("dream: would improve {}", counted(*files, "file"))
            }
            TaskEnd::Refused { .. } => "dream: result refused, nothing written".to_owned(),
            TaskEnd::Declined { .. } => "dream: declined, nothing written".to_owned(),
            TaskEnd::CapReached(cap) => format!("dream: {cap}, nothing written"),
            TaskEnd::Failed { .. } => "dream: failed, nothing written".to_owned(),
            TaskEnd::Aborted => "dream: stopped, nothing written".to_owned(),
        }
    }
}

impl Phase {
    /// The phase in a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Starting => "starting",
            Phase::Orienting => "orienting",
            Phase::Gathering => "gathering",
            Phase::Consolidating => "consolidating",
            Phase::Pruning => "pruning",
        }
    }
}

/// `1 file`, `2 files`, `12,000 tokens`.
fn counted(count: usize, what: &str) -> String {
    let shown = thousands(count);
    let plural = if count == 1 { "" } else { "s" };
    format!("{shown} {what}{plural}")
}

/// At most so many characters, none that a terminal would obey or that reorders others, and no
/// secrets.
pub(super) fn cleaned(text: &str, most: usize) -> String {
    let text = text.trim();
    // More than is kept, so that a secret at the cut is seen whole.
    let looked_at = text
        .char_indices()
        .nth(most.saturating_mul(4) + LONG_SECRET);
    let text = redact(&text[..looked_at.map_or(text.len(), |(at, _)| at)]).text;
    let mut kept: String = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .filter(|c| !reorders(*c))
        .take(most + 1)
        .collect();
    if let Some((at, _)) = kept.char_indices().nth(most) {
        kept.truncate(at);
        kept.push('…');
    }
    kept
}

/// The same on one line.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cleaned(&words.join(" "), SHOWN_CHARS)
}
