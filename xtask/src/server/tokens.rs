//! The server's own count of tokens: simple, steady, and nobody else's.

use serde_json::Value;

use super::reply::Answer;

/// What an image counts as.
const IMAGE: u64 = 1_600;
/// What a document counts as, for each page of so many bytes of base64.
const PAGE: u64 = 2_000;
const PAGE_BYTES: u64 = 50_000;
/// What stands around a message or a block.
const FRAME: u64 = 4;

/// Three letters of an alphabet are a token, one character of Chinese is one.
pub(super) fn text(text: &str) -> u64 {
    let (mut narrow, mut wide) = (0_u64, 0_u64);
    for c in text.chars() {
        match c.len_utf8() {
            1 => narrow += 1,
            _ => wide += 1,
        }
    }
    narrow.div_ceil(3) + wide
}

/// A request: tools, system, messages.
pub(super) fn request(body: &Value) -> u64 {
    let tools = body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| text(&tool.to_string()));
    let messages = body["messages"].as_array().into_iter().flatten();
    let messages = messages.map(|message| FRAME + content(&message["content"]));
    tools.sum::<u64>() + content(&body["system"]) + messages.sum::<u64>()
}

pub(super) fn content(value: &Value) -> u64 {
    match value {
        Value::String(plain) => text(plain),
        Value::Array(blocks) => blocks.iter().map(block).sum(),
        _ => 0,
    }
}

pub(super) fn block(block: &Value) -> u64 {
    let of = |key: &str| text(block[key].as_str().unwrap_or_default());
    FRAME
        + match block["type"].as_str().unwrap_or_default() {
            "text" => of("text"),
            "thinking" => of("thinking"),
            "redacted_thinking" => of("data"),
            "tool_use" => of("name") + text(&block["input"].to_string()),
            "tool_result" => content(&block["content"]),
            "image" => IMAGE,
            "document" => {
                let bytes = block["source"]["data"].as_str().map_or(0, str::len) as u64;
                PAGE * bytes.div_ceil(PAGE_BYTES).max(1)
            }
            _ => text(&block.to_string()),
        }
}

pub(super) fn answer(answer: &Answer) -> u64 {
    answer.blocks.iter().map(block).sum()
}
