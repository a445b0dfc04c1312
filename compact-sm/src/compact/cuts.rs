//! Where a list may be cut: no pair of call and result, and no response, is parted.

use std::collections::HashMap;
use std::ops::Range;

use crate::keep::{is_command, splits_response};
use crate::summary::open_calls;
use crate::tokens::Counter;
use crate::transcript::images;
use crate::{Block, Message, Role};

/// For each place before a message, and for the end, whether the list may be cut there. Linear.
pub(crate) fn safe_cuts(messages: &[Message], floor: usize) -> Vec<bool> {
    let len = messages.len();
    // Pairs that are open at a place, as differences.
    let mut open = vec![0_i64; len + 2];
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate().skip(floor) {
        for block in &message.content.blocks {
            match block {
                Block::ToolUse { id, .. } => {
                    calls.insert(id, at);
                }
                Block::ToolResult { tool_use_id, .. } => {
                    if let Some(call) = calls.remove(tool_use_id.as_str()) {
                        open[call + 1] += 1;
                        open[at + 1] -= 1;
                    }
                }
                _ => {}
            }
        }
    }
    let mut depth = 0;
    let mut safe = Vec::with_capacity(len + 1);
    for (at, change) in open.iter().enumerate().take(len + 1) {
        depth += change;
        let splits = at > floor && at < len && splits_response(messages, at, floor);
        safe.push(at >= floor && depth == 0 && !splits);
    }
    safe
}

/// What a tail that stays word for word may have.
pub(super) struct Most {
    /// In tokens.
    pub(super) tokens: u64,
    /// In items.
    pub(super) images: usize,
}

/// Where the tail begins that stays word for word: at least so many messages, unless they have
/// more than they may; then fewer, and at last none.
pub(super) fn tail(
    messages: &[Message],
    floor: usize,
    count: usize,
    most: &Most,
    counter: &dyn Counter,
) -> usize {
    let safe = safe_cuts(messages, floor);
    let len = messages.len();
    let said = |at: &usize| !is_command(&messages[*at]);
    let wanted = (floor..len).rev().filter(said).nth(count.saturating_sub(1));
    let wanted = wanted.unwrap_or(floor);
    let end = waiting(messages, &safe, floor);
    let wanted = wanted.min(end);
    let cut = (floor..=wanted).rev().find(|at| safe[*at]).unwrap_or(floor);
    // Something has to be left to summarize.
    let least = (floor..len).filter(said).nth(1).map_or(len, |at| at + 1);
    let mut tokens = (cut..len).map(|at| counter.message(&messages[at]));
    let mut left = tokens.by_ref().fold(0_u64, u64::saturating_add);
    let mut pictures = images(&messages[cut..]);
    for at in cut..end {
        if safe[at] && at >= least && left <= most.tokens && pictures <= most.images {
            return at;
        }
        pictures -= images(&messages[at..=at]).min(pictures);
        left = left.saturating_sub(counter.message(&messages[at]));
    }
    end
}

/// Where the turn begins whose calls wait for their results, which have to find them; the end of
/// the list if none waits.
fn waiting(messages: &[Message], safe: &[bool], floor: usize) -> usize {
    let len = messages.len();
    if open_calls(messages).is_empty() {
        return len;
    }
    let back = |end: usize, role: Role| {
        let run = messages[..end].iter().rev();
        end - run.take_while(|message| message.role == role).count()
    };
    let start = back(back(len, Role::User), Role::Assistant);
    let cut = (floor..=start.max(floor)).rev().find(|at| safe[*at]);
    cut.unwrap_or(floor)
}

/// The same for a list of which nothing is known yet.
pub(crate) fn not_waiting(messages: &[Message], floor: usize) -> usize {
    if open_calls(messages).is_empty() {
        return messages.len();
    }
    waiting(messages, &safe_cuts(messages, floor), floor)
}

/// A run of messages, widened to places where the list may be cut, and without a turn whose calls
/// wait for their results; none if nothing is in it.
pub(super) fn widened(
    messages: &[Message],
    floor: usize,
    run: &Range<usize>,
) -> Option<Range<usize>> {
    let len = messages.len();
    if run.start >= run.end || run.start >= len || run.end <= floor {
        return None;
    }
    let safe = safe_cuts(messages, floor);
    let start = (floor..=run.start.max(floor)).rev().find(|at| safe[*at]);
    let end = (run.end.min(len)..=len).find(|at| safe[*at]);
    let end = end.unwrap_or(len).min(waiting(messages, &safe, floor));
    let run = start.unwrap_or(floor)..end;
    (!run.is_empty()).then_some(run)
}
