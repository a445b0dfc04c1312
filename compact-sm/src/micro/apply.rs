//! Does what a plan says: clears, or saves and clears.

use std::collections::{BTreeMap, HashSet};
use std::io;

use serde_json::Value;

use super::options::{CLEARED_MARK, MARK};
use super::{Clearing, MicroDone, MicroPlan, NotSaved};
use crate::error::{Error, ErrorKind};
use crate::from_notes::Unapplied;
use crate::transcript::shape;
use crate::{Block, Content, Message};

impl MicroPlan {
    /// Clears. What was cleared is freed, and so is what the host keeps of it beside the blocks,
    /// such as `toolUseResult`. The usages that were reported after it are lowered by it, so that
    /// the next decision sees what will be sent.
    ///
    /// # Errors
    ///
    /// If the list is not the one that the plan was made for: it comes back as it was.
    pub fn apply(self, messages: Vec<Message>) -> Result<MicroDone, Unapplied> {
        self.run(messages, |_, _| Ok(None))
    }

    /// Clears what could be saved: `save` gets each result and its text, stores it and answers
    /// where, as the model can find it.
    ///
    /// # Errors
    ///
    /// If the list is not the one that the plan was made for: it comes back as it was.
    pub fn apply_saving(
        self,
        messages: Vec<Message>,
        mut save: impl FnMut(&Clearing, &str) -> io::Result<String>,
    ) -> Result<MicroDone, Unapplied> {
        self.run(messages, |clearing, block| {
            save(clearing, &text_of(block)).map(Some)
        })
    }

    fn run(
        self,
        mut messages: Vec<Message>,
        mut save: impl FnMut(&Clearing, &Block) -> io::Result<Option<String>>,
    ) -> Result<MicroDone, Unapplied> {
        let stands = |clearing: &Clearing| {
            let block = messages
                .get(clearing.message)?
                .content
                .blocks
                .get(clearing.block)?;
            match block {
                Block::ToolResult { tool_use_id, .. } => Some(tool_use_id == &clearing.tool_use_id),
                _ => None,
            }
        };
        let is_it = self.messages == messages.len()
            && self.shape == shape(&messages)
            && self
                .clear
                .iter()
                .all(|clearing| stands(clearing) == Some(true));
        if !is_it {
            let error = Error::new(ErrorKind::OtherHistory {
                planned: self.messages,
                given: messages.len(),
            });
            return Err(Unapplied { messages, error });
        }
        let mut done = MicroDone {
            messages: Vec::new(),
            cleared: Vec::new(),
            saved_tokens: self.saved_tokens,
            not_saved: Vec::new(),
        };
        // What the host keeps beside the blocks may be the same text under any name.
        let mut freed: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
        for clearing in self.clear {
            let message = &mut messages[clearing.message];
            let block = &mut message.content.blocks[clearing.block];
            let mark = match save(&clearing, block) {
                Ok(None) => CLEARED_MARK.to_owned(),
                Ok(Some(place)) => format!("{MARK}; it is in {place}]"),
                Err(error) => {
                    done.saved_tokens = done.saved_tokens.saturating_sub(clearing.saves(self.mark));
                    done.not_saved.push(NotSaved { clearing, error });
                    continue;
                }
            };
            let texts = clear(block, mark);
            if !message.extra.is_empty() {
                freed.entry(clearing.message).or_default().extend(texts);
            }
            message.extra.remove("toolUseResult");
            message.extra.remove("tool_use_result");
            done.cleared.push(clearing);
        }
        for (at, texts) in freed {
            let fields = messages[at].extra.values_mut();
            fields.for_each(|value| forget(value, &texts));
        }
        lower_usage(&mut messages, &done.cleared, self.mark);
        done.messages = messages;
        Ok(done)
    }
}

/// A usage was reported for a request that still had what is cleared now. Left as it was, the next
/// decision would see a window as full as before.
fn lower_usage(messages: &mut [Message], cleared: &[Clearing], mark: u64) {
    let mut cleared = cleared.iter().peekable();
    let mut gone = 0_u64;
    for (at, message) in messages.iter_mut().enumerate() {
        while let Some(clearing) = cleared.next_if(|clearing| clearing.message < at) {
            gone = gone.saturating_add(clearing.saves(mark));
        }
        if let Some(usage) = message.usage.as_mut().filter(|_| gone > 0) {
            usage.lower(gone);
        }
    }
}

/// Whatever else stands in the block may repeat the text; only the cache mark cannot. Hands out the
/// texts that are longer than the mark.
fn clear(block: &mut Block, mark: String) -> Vec<String> {
    let mut texts = Vec::new();
    if let Block::ToolResult { content, extra, .. } = block {
        let old = content.replace(Content::from(mark));
        for block in old.into_iter().flat_map(|content| content.blocks) {
            match block {
                Block::Text { text, .. } if text.len() > CLEARED_MARK.len() => texts.push(text),
                _ => {}
            }
        }
        let cache = extra.remove("cache_control");
        *extra = crate::Extra::default();
        if let Some(cache) = cache {
            extra.insert("cache_control", cache);
        }
    }
    texts
}

/// Frees every string that is one of the texts.
fn forget(value: &mut Value, texts: &HashSet<String>) {
    match value {
        Value::String(text) if texts.contains(text) => *text = CLEARED_MARK.to_owned(),
        Value::Array(list) => list.iter_mut().for_each(|value| forget(value, texts)),
        Value::Object(map) => map.values_mut().for_each(|value| forget(value, texts)),
        _ => {}
    }
}

fn text_of(block: &Block) -> String {
    let Block::ToolResult {
        content: Some(content),
        ..
    } = block
    else {
        return String::new();
    };
    let parts = content.blocks.iter().map(|block| match block {
        Block::Text { text, .. } => text.clone(),
        other => other.to_json().to_string(),
    });
    parts.collect::<Vec<_>>().join("\n")
}
