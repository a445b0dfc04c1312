//! Answers: as one JSON body, or as a stream of events.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{http, law};

/// What the model of the server says.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<Value>,
    pub(crate) stop_reason: &'static str,
}

impl Answer {
    pub(crate) fn text(text: impl Into<String>) -> Answer {
        Answer {
            blocks: vec![json!({ "type": "text", "text": text.into() })],
            stop_reason: "end_turn",
        }
    }

    /// Nothing at all.
    pub(crate) fn empty() -> Answer {
        Answer {
            blocks: Vec::new(),
            stop_reason: "end_turn",
        }
    }

    /// Reasoning and no answer, signed as the server signs.
    pub(crate) fn reasoning(thinking: &str) -> Answer {
        Answer {
            blocks: vec![law::thinking_block(thinking)],
            stop_reason: "end_turn",
        }
    }

    /// A call of a tool.
    pub(crate) fn call(id: &str, name: &str, input: Value) -> Answer {
        Answer {
            blocks: vec![json!({ "type": "tool_use", "id": id, "name": name, "input": input })],
            stop_reason: "tool_use",
        }
    }
}

pub(super) fn send(
    out: &mut impl Write,
    body: &Value,
    id: &str,
    answer: &Answer,
    usage: &Value,
) -> io::Result<()> {
    let message = json!({
        "id": id, "type": "message", "role": "assistant", "model": body["model"],
        "content": answer.blocks, "stop_reason": answer.stop_reason, "stop_sequence": null,
        "usage": usage,
    });
    if body["stream"] == true {
        stream(out, message, answer, usage)
    } else {
        http::write(out, 200, &[], message.to_string().as_bytes())
    }
}

/// A stream of events that ends in the middle of a text.
pub(super) fn send_cut(out: &mut impl Write) -> io::Result<()> {
    http::write_stream_head(out)?;
    let message = json!({
        "id": "msg_cut", "type": "message", "role": "assistant", "content": [],
        "stop_reason": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    for (name, data) in [
        (
            "message_start",
            json!({ "type": "message_start", "message": message }),
        ),
        (
            "content_block_start",
            json!({
                "type": "content_block_start", "index": 0,
                "content_block": { "type": "text", "text": "" },
            }),
        ),
        (
            "content_block_delta",
            json!({
                "type": "content_block_delta", "index": 0,
                "delta": { "type": "text_delta", "text": "It be" },
            }),
        ),
    ] {
        http::write_chunk(out, &format!("event: {name}\ndata: {data}\n\n"))?;
    }
    Ok(())
}

fn stream(
    out: &mut impl Write,
    mut message: Value,
    answer: &Answer,
    usage: &Value,
) -> io::Result<()> {
    http::write_stream_head(out)?;
    let mut event = |name: &str, mut data: Value| {
        data["type"] = json!(name);
        http::write_chunk(out, &format!("event: {name}\ndata: {data}\n\n"))
    };
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    event("message_start", json!({ "message": message }))?;
    for (index, block) in answer.blocks.iter().enumerate() {
        let mut start = block.clone();
        let delta = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                start["text"] = json!("");
                json!({ "type": "text_delta", "text": block["text"] })
            }
            "thinking" => {
                start["thinking"] = json!("");
                json!({ "type": "thinking_delta", "thinking": block["thinking"] })
            }
            "tool_use" => {
                start["input"] = json!({});
                json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
            }
            _ => Value::Null,
        };
        event(
            "content_block_start",
            json!({ "index": index, "content_block": start }),
        )?;
        if !delta.is_null() {
            event(
                "content_block_delta",
                json!({ "index": index, "delta": delta }),
            )?;
        }
        event("content_block_stop", json!({ "index": index }))?;
    }
    let delta = json!({ "stop_reason": answer.stop_reason, "stop_sequence": null });
    event("message_delta", json!({ "delta": delta, "usage": usage }))?;
    event("message_stop", json!({}))?;
    http::write_chunk(out, "")
}
