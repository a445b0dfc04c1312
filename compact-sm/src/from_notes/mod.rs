//! Compaction without a model: the notes stand in for what is not kept.

mod options;

pub use options::{Form, FromNotes, NotCovered};

use std::fmt;
use std::ops::Range;

use crate::boundary::{Boundary, Segment, boundary_text};
use crate::error::{Error, ErrorKind};
use crate::keep::{Kept, Stop, Summarized, covered, floor, keep_window};
use crate::notes::{Notes, SECTION_TOKENS, SectionCut, TOTAL_NOTES_TOKENS, fit, prompt};
use crate::tokens::{Counter, Measure, measure};
use crate::transcript::{MAX_IMAGES, images, shape};
use crate::{Message, Origin};

/// Why the notes cannot be used, and a summary has to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fallback {
    /// The person gave instructions.
    Instructions,
    /// There are no notes.
    NoNotes,
    /// The notes are the template.
    Template,
    /// Nothing stands under their headings but phrases for nothing, or a refusal.
    SaysNothing,
    /// How far the notes reach was given as a `uuid` that is not in the list.
    UnknownMark,
    /// What the notes do not cover is more than the maximum of the kept tail.
    NotCovered {
        /// What would have to be kept. In tokens.
        tokens: u64,
    },
    /// There is no place to cut.
    NoCut,
    /// What would be kept has more images than a request takes.
    TooManyImages {
        /// Images that would be kept, in items.
        count: usize,
        /// Most that a request takes, in items.
        max: usize,
    },
    /// The result would not be shorter.
    DoesNotShrink {
        /// The messages now. In tokens.
        before: u64,
        /// The messages then. In tokens.
        after: u64,
    },
    /// The result would reach the threshold at once.
    TooLarge {
        /// What the conversation would hold. In tokens.
        after: u64,
        /// What it has to stay below. In tokens.
        threshold: u64,
    },
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fallback::Instructions => f.write_str("notes cannot follow instructions"),
            Fallback::NoNotes => f.write_str("there are no notes"),
            Fallback::Template => f.write_str("the notes are the template"),
            Fallback::SaysNothing => f.write_str("the notes say nothing"),
            Fallback::UnknownMark => {
                f.write_str("the message that the notes reach to is not in the list")
            }
            Fallback::NotCovered { tokens } => {
                write!(
                    f,
                    "{tokens} tokens are not covered by the notes, too many to keep"
                )
            }
            Fallback::NoCut => f.write_str("there is no place to cut"),
            Fallback::TooManyImages { count, max } => {
                write!(f, "{count} images would be kept, and a request takes {max}")
            }
            Fallback::DoesNotShrink { before, after } => {
                write!(f, "{after} tokens would not be fewer than {before}")
            }
            Fallback::TooLarge { after, threshold } => {
                write!(f, "{after} tokens would reach the threshold of {threshold}")
            }
        }
    }
}

impl std::error::Error for Fallback {}

/// What will be done. Nothing has been changed yet.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Plan {
    /// The messages that stay.
    pub kept: Range<usize>,
    /// Messages in that range that do not.
    pub left_out: Vec<usize>,
    /// Why the tail begins there.
    pub stop: Stop,
    /// What comes before the kept messages.
    pub insert: Message,
    /// The record.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_json"))]
    pub boundary: Boundary,
    /// Sections of the notes that were cut.
    pub cuts: Vec<SectionCut>,
    /// What the conversation holds. In tokens.
    pub before: u64,
    /// What it will hold. In tokens, estimated.
    pub after: u64,
    /// The list that the plan is made for.
    #[cfg_attr(feature = "serde", serde(skip))]
    messages: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    shape: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) summarized: Summarized,
}

#[cfg(feature = "serde")]
fn as_json<S: serde::Serializer>(boundary: &Boundary, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&boundary.to_json(), serializer)
}

/// The compacted conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Applied {
    /// The summary, then what was kept. The kept messages have no usage any more, because theirs
    /// tells of the conversation before.
    pub messages: Vec<Message>,
    /// The record.
    pub boundary: Boundary,
    /// How far the notes reach in this list: for the next compaction, until notes are taken again.
    pub summarized: Summarized,
    /// How many messages were left out.
    pub dropped: usize,
    /// What the conversation held. In tokens.
    pub before: u64,
    /// What it holds. In tokens, estimated.
    pub after: u64,
}

/// A plan that could not be carried out, and the list as it was.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Unapplied {
    /// The messages, untouched.
    pub messages: Vec<Message>,
    /// Why.
    pub error: Error,
}

impl fmt::Display for Unapplied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Unapplied {}

/// Plans a compaction from notes, without a model and without changing anything.
///
/// Linear in the list; nothing of it is copied.
///
/// # Errors
///
/// Why the notes will not do. The conversation stays as it is; a summary by a model may do better.
pub fn from_notes(
    messages: &[Message],
    notes: &Notes,
    options: &FromNotes,
    counter: &dyn Counter,
) -> Result<Plan, Fallback> {
    usable(notes, options)?;
    let kept = tail(messages, notes, options, counter)?;
    let (count, max) = (
        images(&messages[kept.range.clone()]),
        options.max_images.unwrap_or(MAX_IMAGES),
    );
    if count > max {
        return Err(Fallback::TooManyImages { count, max });
    }
    // Together with the most that is kept, this stays below any threshold.
    let total = options
        .threshold
        .map_or(u64::MAX, |threshold| threshold / 3);
    let total = total.min(TOTAL_NOTES_TOKENS);
    let section = total.min(SECTION_TOKENS);
    let path = notes.path.as_deref();
    let (fitted, cuts) = fit(&notes.text, path, section, total, counter);
    let insert = insert(&fitted, options);
    let Measure {
        all,
        overhead,
        before,
    } = measure(messages, options.used, counter);
    let stays = kept.tokens.saturating_add(counter.message(&insert));
    if stays >= all {
        return Err(Fallback::DoesNotShrink {
            before: all,
            after: stays,
        });
    }
    let after = overhead.saturating_add(stays);
    if let Some(threshold) = options.threshold
        && after >= threshold
    {
        return Err(Fallback::TooLarge { after, threshold });
    }
    let summarized = match covered(messages, &notes.summarized) {
        None => Summarized::Unknown,
        Some(count) => {
            let stays = kept.range.clone().take_while(|at| *at < count);
            let stays = stays.filter(|at| kept.left_out.binary_search(at).is_err());
            Summarized::Count(1 + stays.count())
        }
    };
    Ok(Plan {
        boundary: boundary(messages, &kept, options, before, after),
        kept: kept.range,
        left_out: kept.left_out,
        stop: kept.stop,
        insert,
        cuts,
        before,
        after,
        messages: messages.len(),
        shape: shape(messages),
        summarized,
    })
}

fn usable(notes: &Notes, options: &FromNotes) -> Result<(), Fallback> {
    let instructions = options.instructions.as_deref().unwrap_or_default();
    if !instructions.trim().is_empty() {
        return Err(Fallback::Instructions);
    }
    if notes.text.trim().is_empty() {
        return Err(Fallback::NoNotes);
    }
    if notes.is_template() {
        return Err(Fallback::Template);
    }
    if notes.says_nothing() {
        return Err(Fallback::SaysNothing);
    }
    Ok(())
}

fn tail(
    messages: &[Message],
    notes: &Notes,
    options: &FromNotes,
    counter: &dyn Counter,
) -> Result<Kept, Fallback> {
    let is_mark = matches!(notes.summarized, Summarized::Uuid(_));
    let drops = options.not_covered == NotCovered::Drop;
    if is_mark && covered(messages, &notes.summarized).is_none() && !drops {
        return Err(Fallback::UnknownMark);
    }
    // Notes that end before a summary do not know what it stands for, and it would be lost.
    let floor = floor(messages);
    let lags = covered(messages, &notes.summarized).is_some_and(|count| count < floor);
    if lags && !drops {
        let tokens = counter.message(&messages[floor - 1]);
        return Err(Fallback::NotCovered { tokens });
    }
    let mut kept = keep_window(messages, &notes.summarized, &options.keep, counter);
    if kept.stop == Stop::NotCovered && drops {
        kept = keep_window(messages, &Summarized::Unknown, &options.keep, counter);
    }
    match kept.stop {
        Stop::NotCovered => Err(Fallback::NotCovered {
            tokens: kept.tokens,
        }),
        Stop::NoCut => Err(Fallback::NoCut),
        _ => Ok(kept),
    }
}

fn insert(notes: &str, options: &FromNotes) -> Message {
    let text = prompt::summary(notes, options.transcript.as_deref());
    let text = match options.form {
        Form::Record => text,
        Form::Text => boundary_text(&text),
    };
    let mut message = Message::user(text).origin(Origin::Summary);
    message.uuid.clone_from(&options.summary_uuid);
    message
}

fn boundary(
    messages: &[Message],
    kept: &Kept,
    options: &FromNotes,
    before: u64,
    after: u64,
) -> Boundary {
    let stays = kept.range.clone();
    let stays = stays.filter(|at| kept.left_out.binary_search(at).is_err());
    let uuids = stays.filter_map(|at| messages[at].uuid.clone());
    record(messages, uuids.collect(), options, before, after)
}

/// The record of a compaction after which the lines of these ids stay.
pub(crate) fn record(
    messages: &[Message],
    uuids: Vec<String>,
    options: &FromNotes,
    before: u64,
    after: u64,
) -> Boundary {
    let dropped = before.saturating_sub(after);
    let mut boundary = Boundary {
        trigger: options.trigger,
        pre_tokens: Some(before),
        post_tokens: Some(after),
        dropped_tokens: Some(options.dropped_before.saturating_add(dropped)),
        logical_parent_uuid: messages.last().and_then(|message| message.uuid.clone()),
        ..Boundary::default()
    };
    if let (Some(anchor), [head, ..]) = (&options.summary_uuid, uuids.as_slice()) {
        boundary.segment = Some(Segment {
            head: head.clone(),
            anchor: anchor.clone(),
            tail: uuids.last().unwrap_or(head).clone(),
        });
        boundary.kept_all.clone_from(&uuids);
        boundary.kept = uuids;
    }
    boundary
}

impl Plan {
    /// Carries the plan out. What is not kept is freed; nothing is copied.
    ///
    /// # Errors
    ///
    /// If the list is not the one that the plan was made for: the list comes back as it was.
    pub fn apply(self, mut messages: Vec<Message>) -> Result<Applied, Unapplied> {
        let is_it = messages.len() == self.messages
            && shape(&messages) == self.shape
            && messages.get(self.kept.clone()).is_some();
        if !is_it {
            let error = Error::new(ErrorKind::OtherHistory {
                planned: self.messages,
                given: messages.len(),
            });
            return Err(Unapplied { messages, error });
        }
        let mut list = Vec::with_capacity(self.kept.len() + 1);
        list.push(self.insert);
        let mut left_out = self.left_out.iter().copied().peekable();
        let tail = messages.drain(self.kept.clone());
        for (at, mut message) in self.kept.zip(tail) {
            if left_out.next_if_eq(&at).is_none() {
                message.usage = None;
                list.push(message);
            }
        }
        Ok(Applied {
            dropped: self.messages + 1 - list.len(),
            messages: list,
            boundary: self.boundary,
            summarized: self.summarized,
            before: self.before,
            after: self.after,
        })
    }
}
