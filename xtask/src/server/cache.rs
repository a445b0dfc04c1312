//! The prompt cache: prefixes by blocks, up to four marks, and a look back over twenty blocks.

use std::collections::HashSet;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::tokens;

/// How many blocks before a mark are tried, as documented.
const LOOK_BACK: usize = 20;

type Key = [u8; 32];

/// What was written so far. Nothing ages here: a story has no five minutes.
#[derive(Default)]
pub(super) struct Cache {
    written: HashSet<Key>,
}

/// A block of the prompt, in the order in which the API looks at it.
struct Part {
    /// Of this block and all before it.
    key: Key,
    /// Tokens up to and with this block.
    tokens: u64,
    marked: bool,
}

impl Cache {
    /// The usage of a request, which is remembered up to its last mark.
    pub(super) fn usage(&mut self, body: &Value, input: u64, output: u64) -> Value {
        let parts = parts(body);
        let marks: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].marked).collect();
        let mut read = 0;
        for mark in &marks {
            let from = mark.saturating_sub(LOOK_BACK);
            let hit = (from..=*mark)
                .rev()
                .find(|at| self.written.contains(&parts[*at].key));
            read = hit.map_or(read, |at| read.max(parts[at].tokens));
        }
        let marked = marks.last().map_or(0, |mark| parts[*mark].tokens);
        for mark in &marks {
            self.written.insert(parts[*mark].key);
        }
        json!({
            "input_tokens": input.saturating_sub(read.max(marked)),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": marked.saturating_sub(read),
            "output_tokens": output,
        })
    }
}

/// Tools, then the system prompt, then the messages, block by block.
fn parts(body: &Value) -> Vec<Part> {
    let mut digest = Sha256::new();
    digest.update(body["model"].to_string());
    let mut tokens = 0;
    let mut parts = Vec::new();
    let mut add = |label: &str, block: &Value, count: u64| {
        let mut bare = block.clone();
        let marked = bare
            .as_object_mut()
            .is_some_and(|fields| fields.remove("cache_control").is_some());
        digest.update(label);
        digest.update(bare.to_string());
        tokens += count;
        parts.push(Part {
            key: digest.clone().finalize().into(),
            tokens,
            marked,
        });
    };
    for tool in body["tools"].as_array().into_iter().flatten() {
        add("tool", tool, tokens::text(&tool.to_string()));
    }
    each(&body["system"], |block| {
        add("system", block, tokens::block(block));
    });
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        each(&message["content"], |block| {
            add(role, block, tokens::block(block));
        });
    }
    parts
}

/// The blocks of a content, a string being one text.
fn each(content: &Value, mut visit: impl FnMut(&Value)) {
    match content {
        Value::String(text) => visit(&json!({ "type": "text", "text": text })),
        Value::Array(blocks) => blocks.iter().for_each(visit),
        _ => {}
    }
}
