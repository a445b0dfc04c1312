//! When notes are taken, whether somebody takes them now, and how it went.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::Message;
use crate::config::{LastTurn, NotesConfig};
use crate::keep::{Summarized, covered};
use crate::window::{Source, Switch};

/// How long a compaction waits for notes that are being taken. In seconds. Origin: one analysis.
pub const NOTES_WAIT_SECONDS: u64 = 15;

/// After how long nobody believes any more that notes are being taken. In seconds. Origin: one
/// analysis.
pub const NOTES_STALE_SECONDS: u64 = 60;

/// How the taking of notes goes in one session.
///
/// One round of it, where `edit` stands for a call by the fork's model:
///
/// ```
/// use std::time::SystemTime;
///
/// use compact_sm::{
///     Estimator, Flags, Gated, Message, NoteTaking, Notes, NotesJob, Overrides, Policy, Settings,
///     Source, Window, notes_task, notes_template, used,
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flags = Flags::default().session_memory(true);
/// let window = Window::new(200_000, 32_000);
/// let policy = Policy::new(&window, &Overrides::default(), &Settings::default(), &flags);
/// let counter = Estimator::default();
/// let messages = [Message::user("Why? ".repeat(20_000)), Message::assistant("The linker.")];
/// let mut file = notes_template(); // what stands in the notes file; the host's to read and write
///
/// // After a response.
/// let (mut taking, now) = (NoteTaking::new(), SystemTime::now());
/// let context = used(&messages, &counter).total();
/// let (config, switch) = (policy.notes(), policy.notes_taking());
/// taking.due(&messages, context, config, &switch, Source::Main, now)?; // else why not
/// let begun = taking.begin(now)?;
///
/// // A fork of the conversation gets the task, and may edit the one file.
/// let job = NotesJob::new("/notes/summary.md", &*file).summarized(taking.summarized.clone());
/// let task = notes_task(&messages, &job, &counter);
/// let line = file.lines().find(|line| line.starts_with('_')).ok_or("no line")?;
/// let edit = serde_json::json!({
///     "file_path": "/notes/summary.md",
///     "old_string": line,
///     "new_string": format!("{line}\n\nThe linker needs zlib."),
/// });
/// file = task.guard.apply(&file, "Edit", &edit, &|_text| Gated::Pass)?; // the gate is the host's
///
/// // It is done: from now on the notes can stand for what they cover.
/// taking.succeeded(begun, now, context, task.summarized.clone());
/// let notes = Notes::new(file).summarized(taking.summarized.clone());
/// assert!(!notes.is_template());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NoteTaking {
    /// Since when somebody takes notes.
    pub running_since: Option<SystemTime>,
    /// When notes were last taken.
    pub last_success: Option<SystemTime>,
    /// When it last failed, and why.
    pub last_error: Option<NotesError>,
    /// Why it was last not done.
    pub why_not: Option<NotDue>,
    /// How often it failed since it last succeeded.
    pub failures: u32,
    /// What the conversation held when notes were last taken. In tokens.
    pub at_last: Option<u64>,
    /// How far the notes reach.
    pub summarized: Summarized,
    /// Counts the starts, so that a late end is not taken for another one's.
    number: u64,
    /// Counts the compactions, so that an end tells of no other list than its start.
    compactions: u64,
}

/// When it failed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NotesError {
    /// When.
    pub at: SystemTime,
    /// Why; at most 500 bytes of it.
    pub text: String,
}

/// Why no notes are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NotDue {
    /// It is switched off, and this is what decided.
    SwitchedOff(String),
    /// The request is not the main conversation's.
    NotMain,
    /// Somebody takes notes already.
    Running,
    /// The conversation is too short for the first time.
    TooShort {
        /// What it holds. In tokens.
        context: u64,
        /// What it has to hold. In tokens.
        start: u64,
    },
    /// It has not grown enough since the last time.
    TooLittleGrowth {
        /// By how much it has. In tokens.
        grown: u64,
        /// How much is needed. In tokens.
        needed: u64,
    },
    /// The model is in the middle of calls, and there were too few since the last time.
    TooFewCalls {
        /// How many.
        calls: u64,
        /// How many are needed.
        needed: u64,
    },
}

impl fmt::Display for NotDue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDue::SwitchedOff(by) => write!(f, "switched off by {by}"),
            NotDue::NotMain => f.write_str("the request is not the main conversation's"),
            NotDue::Running => f.write_str("notes are being taken already"),
            NotDue::TooShort { context, start } => {
                write!(
                    f,
                    "{context} tokens, expected {start} before the first notes"
                )
            }
            NotDue::TooLittleGrowth { grown, needed } => {
                write!(
                    f,
                    "{grown} tokens more than the last time, expected {needed}"
                )
            }
            NotDue::TooFewCalls { calls, needed } => write!(
                f,
                "{calls} tool calls since the last time, expected {needed} or a turn without any"
            ),
        }
    }
}

impl std::error::Error for NotDue {}

/// What a compaction does about notes that are being taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NotesWait {
    /// Nobody takes any: go on.
    NotRunning,
    /// Wait for the end, at most so long, and ask again.
    Wait(Duration),
    /// It has waited long enough: go on with the notes as they are.
    LongEnough,
    /// Whoever began it is gone: go on with the notes as they are.
    Stale,
}

/// Notes are being taken. Give it back with how it ended.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "notes that are being taken have to end"]
pub struct Taking {
    number: u64,
    compactions: u64,
}

impl NoteTaking {
    /// A session in which nothing has happened yet.
    #[must_use]
    pub fn new() -> NoteTaking {
        NoteTaking::default()
    }

    /// Should notes be taken after this response? `context` is what the conversation holds, in
    /// tokens; `switch` is [`Policy::notes_taking`](crate::Policy::notes_taking).
    ///
    /// # Errors
    ///
    /// Why not; it stands in `why_not` too.
    pub fn due(
        &mut self,
        messages: &[Message],
        context: u64,
        config: &NotesConfig,
        switch: &Switch,
        source: Source,
        now: SystemTime,
    ) -> Result<(), NotDue> {
        let answer = self.judge(messages, context, config, switch, source, now);
        self.why_not = answer.clone().err();
        answer
    }

    fn judge(
        &self,
        messages: &[Message],
        context: u64,
        config: &NotesConfig,
        switch: &Switch,
        source: Source,
        now: SystemTime,
    ) -> Result<(), NotDue> {
        if source != Source::Main {
            return Err(NotDue::NotMain);
        }
        if !switch.on {
            return Err(NotDue::SwitchedOff(switch.decided_by.to_string()));
        }
        if self.runs(now) {
            return Err(NotDue::Running);
        }
        let from = covered(messages, &self.summarized).unwrap_or(0);
        let calls: usize = messages[from..].iter().map(|m| m.calls().count()).sum();
        let calls = calls as u64;
        let last = messages
            .iter()
            .rev()
            .find(|m| m.role == crate::Role::Assistant);
        let turn = match last.is_some_and(|message| message.calls().next().is_some()) {
            true => LastTurn::Calls,
            false => LastTurn::Rests,
        };
        if config.is_due(context, self.at_last, calls, turn) {
            return Ok(());
        }
        Err(match self.at_last {
            None => NotDue::TooShort {
                context,
                start: config.start_tokens,
            },
            Some(last) if context.saturating_sub(last) < config.growth_tokens => {
                NotDue::TooLittleGrowth {
                    grown: context.saturating_sub(last),
                    needed: config.growth_tokens,
                }
            }
            Some(_) => NotDue::TooFewCalls {
                calls,
                needed: config.tool_calls,
            },
        })
    }

    fn runs(&self, now: SystemTime) -> bool {
        self.running_since
            .is_some_and(|since| age(since, now) < Duration::from_secs(NOTES_STALE_SECONDS))
    }

    /// Notes are taken from now on. One that began a minute ago or more is given up.
    ///
    /// # Errors
    ///
    /// [`NotDue::Running`].
    pub fn begin(&mut self, now: SystemTime) -> Result<Taking, NotDue> {
        if self.runs(now) {
            self.why_not = Some(NotDue::Running);
            return Err(NotDue::Running);
        }
        self.number += 1;
        self.running_since = Some(now);
        Ok(Taking {
            number: self.number,
            compactions: self.compactions,
        })
    }

    /// The notes are taken. `context` is what the conversation held, in tokens; `summarized` is
    /// what the task said: none leaves the mark where it is. If the conversation was compacted
    /// meanwhile, neither tells of the list that is there now, and both stay as they are.
    pub fn succeeded(
        &mut self,
        taking: Taking,
        now: SystemTime,
        context: u64,
        summarized: Option<Summarized>,
    ) {
        if taking.number != self.number {
            return;
        }
        self.running_since = None;
        self.last_success = Some(now);
        self.failures = 0;
        if taking.compactions != self.compactions {
            return;
        }
        self.at_last = Some(context);
        if let Some(summarized) = summarized {
            self.summarized = summarized;
        }
    }

    /// It failed: the notes and how far they reach stay as they were.
    pub fn failed(&mut self, taking: Taking, now: SystemTime, why: &str) {
        if taking.number != self.number {
            return;
        }
        self.running_since = None;
        self.failures = self.failures.saturating_add(1);
        self.last_error = Some(NotesError {
            at: now,
            text: crate::summary::head(why, 500).to_owned(),
        });
    }

    /// The conversation was compacted: it holds so many tokens now, and the notes reach so far in
    /// it.
    pub fn compacted(&mut self, after: u64, summarized: Summarized) {
        self.compactions += 1;
        self.at_last = self.at_last.map(|last| last.min(after));
        self.summarized = summarized;
    }

    /// What a compaction that was asked for at `asked` does now.
    #[must_use]
    pub fn wait(&self, asked: SystemTime, now: SystemTime) -> NotesWait {
        let Some(since) = self.running_since else {
            return NotesWait::NotRunning;
        };
        let stale = Duration::from_secs(NOTES_STALE_SECONDS).checked_sub(age(since, now));
        let Some(stale) = stale.filter(|left| !left.is_zero()) else {
            return NotesWait::Stale;
        };
        let wait = Duration::from_secs(NOTES_WAIT_SECONDS).checked_sub(age(asked, now));
        match wait.filter(|left| !left.is_zero()) {
            Some(left) => NotesWait::Wait(left.min(stale)),
            None => NotesWait::LongEnough,
        }
    }
}

/// A clock that was set back makes nothing older, and nothing stale.
fn age(since: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(since).unwrap_or_default()
}
