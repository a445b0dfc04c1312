//! What stays beside a summary that is in doubt: whatever a model answers, it never stands alone.

use std::ops::Range;

use super::cuts::{Most, safe_cuts};
use super::how::Cause;
use super::result::WhyNot;
use super::run::Run;
use crate::keep::is_command;
use crate::notes::head_of;
use crate::summary::prompt::{SAID_LAST, TOO_LONG};
use crate::summary::{BadSummary, Summary, TRUSTED_TOKENS, unframed};
use crate::tokens::Counter;
use crate::transcript::images;
use crate::{Block, Message, Origin, Role};

/// Messages of the person that stay word for word beside such a summary, in items; our own choice.
/// The last one always does, the others if there is room.
const WORDS: usize = 3;

/// Least that stays of the end of the conversation.
struct Least {
    /// In tokens.
    tokens: u64,
    /// Messages with text, in items.
    texts: usize,
}

/// A summary, and what stays beside it.
pub(super) struct Beside {
    /// The text of the summary.
    pub(super) text: String,
    /// Where it ends what it stands for.
    pub(super) end: usize,
    /// What the person said, as blocks of its message.
    pub(super) words: Vec<Block>,
}

impl Run<'_> {
    /// What stays beside a summary of these messages. One that is trusted stands alone.
    pub(super) fn beside(
        &self,
        summary: Summary,
        what: &Range<usize>,
        replaced: u64,
    ) -> Result<Beside, WhyNot> {
        let counter = self.counter;
        let mut beside = Beside {
            text: String::new(),
            end: what.end,
            words: Vec::new(),
        };
        if !summary.is_doubtful(counter) {
            beside.text = self.shortened(summary.text);
            return Ok(beside);
        }
        let told = counter.text(&summary.text);
        let from = what.start;
        let most = self.most_beside(from);
        let is_small = !summary.needs_tail(replaced);
        if !is_small {
            let keep = &self.how.figures.keep;
            let least = Least {
                tokens: keep.min_tokens,
                texts: keep.min_text_messages,
            };
            beside.end = tail(self.messages, from, &least, &most, counter).min(what.end);
        }
        let stays = &self.messages[beside.end..];
        let nothing_stays = stays.iter().all(is_command);
        if nothing_stays && !is_small && told < TRUSTED_TOKENS {
            let (before, after) = (replaced, told);
            return Err(WhyNot::BadSummary(BadSummary::Doubtful { before, after }));
        }
        let is_partial = matches!(self.cause, Cause::Partial { .. });
        let earlier = self.floor.checked_sub(1).filter(|_| !is_partial);
        let earlier = earlier.and_then(|at| self.messages.get(at));
        let taken = stays.iter().map(|message| counter.message(message));
        let taken = taken.fold(0_u64, u64::saturating_add);
        let room = most.tokens.saturating_sub(taken);
        let told = &self.messages[from..beside.end];
        beside.words = word_blocks(&words(told, earlier, stays, room, counter));
        let text = self.shortened(summary.text);
        beside.text = behind(earlier, text, self.longest(), counter);
        Ok(beside)
    }

    /// The most that may stay beside such a summary: half of the messages, so that the result is
    /// clearly shorter, and what else limits a tail.
    fn most_beside(&self, from: usize) -> Most {
        let messages = self.messages[from..].iter();
        let all = messages.map(|message| self.counter.message(message));
        let all = all.fold(0_u64, u64::saturating_add);
        let mut tokens = self.how.figures.keep.max_tokens.min(all / 2);
        if let Some(limit) = self.limit() {
            let free = limit.saturating_sub(self.measured.overhead) / 2;
            tokens = tokens.min(limit / 3).min(free);
        }
        Most {
            tokens,
            images: self.max_images(),
        }
    }
}

/// Where the tail begins that stays beside such a summary: back to both minima in whole rounds, as
/// far as it has no more than it may; the end of the list if not even the last round has room.
fn tail(
    messages: &[Message],
    floor: usize,
    least: &Least,
    most: &Most,
    counter: &dyn Counter,
) -> usize {
    let safe = safe_cuts(messages, floor);
    let (mut tokens, mut texts, mut pictures) = (0_u64, 0, 0);
    let mut from = messages.len();
    for at in (floor + 1..messages.len()).rev() {
        let message = &messages[at];
        if is_command(message) {
            continue;
        }
        tokens = tokens.saturating_add(counter.message(message));
        texts += usize::from(message.has_text());
        pictures += images(std::slice::from_ref(message));
        if tokens > most.tokens || pictures > most.images {
            break;
        }
        if safe[at] {
            from = at;
            if tokens >= least.tokens && texts >= least.texts {
                break;
            }
        }
    }
    from
}

/// What the person said, text by text, if it is a message of the person.
fn words_of(message: &Message) -> Vec<&str> {
    if message.role != Role::User || message.origin != Origin::Said || is_command(message) {
        return Vec::new();
    }
    let texts = message.texts();
    let said = |text: &&str| {
        let text = text.trim_start();
        !text.is_empty() && !text.starts_with("<system-reminder>")
    };
    texts.filter(said).collect()
}

/// What the person said last and what does not stay as a message, in the order of the list: the
/// last message at any rate, older ones as far as there is room.
fn words<'a>(
    messages: &'a [Message],
    earlier: Option<&'a Message>,
    kept: &[Message],
    room: u64,
    counter: &dyn Counter,
) -> Vec<&'a str> {
    let stay = kept.iter().filter(|m| !words_of(m).is_empty()).count();
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut left = room;
    let said = messages.iter().rev().map(words_of);
    // Those that an earlier summary had beside it are older than everything behind it.
    let carried = earlier.into_iter().flat_map(carried_words);
    let all = said.chain(carried.map(|text| vec![text]));
    for group in all.filter(|group| !group.is_empty()) {
        if stay + groups.len() >= WORDS {
            break;
        }
        let tokens = group.iter().map(|text| counter.text(text));
        let tokens = tokens.fold(0_u64, u64::saturating_add);
        let is_last = stay + groups.len() == 0;
        if tokens > left && !is_last {
            break;
        }
        left = left.saturating_sub(tokens);
        groups.push(group);
    }
    groups.into_iter().rev().flatten().collect()
}

/// The words of the person that stand in a summary, the last first.
fn carried_words(summary: &Message) -> impl Iterator<Item = &str> {
    let blocks = summary.content.blocks.as_slice();
    let intro = blocks.iter().position(|b| b.as_text() == Some(SAID_LAST));
    let words = intro
        .and_then(|at| blocks.get(at + 1..))
        .unwrap_or_default();
    words.iter().rev().filter_map(Block::as_text)
}

/// The blocks that hold them.
fn word_blocks(words: &[&str]) -> Vec<Block> {
    if words.is_empty() {
        return Vec::new();
    }
    let intro = std::iter::once(Block::text(SAID_LAST));
    let words = words.iter().map(|text| Block::text(*text));
    intro.chain(words).collect()
}

/// The text of a summary in doubt behind that of the one before it, which it does not replace. The
/// new one has its place first.
fn behind(earlier: Option<&Message>, summary: String, most: u64, counter: &dyn Counter) -> String {
    let texts = earlier.into_iter().flat_map(Message::texts);
    let texts: Vec<&str> = texts.take_while(|text| *text != SAID_LAST).collect();
    let texts = texts.join("\n\n");
    let before = unframed(texts.trim());
    if before.is_empty() || summary.contains(before) {
        return summary;
    }
    if before.ends_with(&summary) {
        return before.to_owned();
    }
    let marks = counter.text(TOO_LONG).saturating_add(2);
    let room = most.saturating_sub(counter.text(&summary).saturating_add(marks));
    let head = head_of(before, room, counter);
    match head.len() == before.len() {
        true => format!("{before}\n\n{summary}"),
        false if head.is_empty() => summary,
        false => format!("{}{TOO_LONG}\n\n{summary}", head.trim_end()),
    }
}
