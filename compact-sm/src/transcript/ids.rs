//! Ids and names that the API takes, and others made so.

use std::collections::{HashMap, HashSet};

use crate::{Block, Message};

/// Letters, digits, `_` and `-`, at least one.
pub(super) fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(is_sign)
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The word with `_` for every other character.
pub(super) fn word(text: &str) -> String {
    let sign = |c: char| u8::try_from(c).ok().filter(|byte| is_sign(*byte));
    let word: String = text
        .chars()
        .map(|c| sign(c).map_or('_', char::from))
        .collect();
    if word.is_empty() {
        "_".to_owned()
    } else {
        word
    }
}

/// New ids for those that the API does not take; different ones stay different.
#[derive(Default)]
pub(super) struct NewIds {
    taken: HashSet<String>,
    new: HashMap<String, String>,
    /// How often a word has been given, so that the next one is found at once.
    given: HashMap<String, u64>,
}

impl NewIds {
    /// For a list with such ids; none if there is nothing to do.
    pub(super) fn of<'a>(messages: impl Iterator<Item = &'a Message> + Clone) -> Option<NewIds> {
        let ids = |message: &'a Message| message.calls().chain(message.results());
        if messages.clone().flat_map(ids).all(is_word) {
            return None;
        }
        let taken = messages.flat_map(ids).filter(|id| is_word(id));
        Some(NewIds {
            taken: taken.map(str::to_owned).collect(),
            ..NewIds::default()
        })
    }

    /// Gives the call or result its new id; true if it needed one.
    pub(super) fn rename(&mut self, block: &mut Block) -> bool {
        let (Block::ToolUse { id, .. }
        | Block::ToolResult {
            tool_use_id: id, ..
        }) = block
        else {
            return false;
        };
        if is_word(id) {
            return false;
        }
        if let Some(new) = self.new.get(id) {
            id.clone_from(new);
            return true;
        }
        let base = word(id);
        let given = self.given.entry(base.clone()).or_default();
        let mut new = base.clone();
        while !self.taken.insert(new.clone()) {
            *given += 1;
            new = format!("{base}_{given}");
        }
        self.new.insert(std::mem::replace(id, new.clone()), new);
        true
    }
}
