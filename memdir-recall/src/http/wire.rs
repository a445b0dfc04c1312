//! The JSON of the Messages API: the request that is written, the answer that is read.

use serde_json::{Value, json};

use super::{HttpError, HttpErrorKind, SchemaField};
use crate::text::one_line;
use crate::{SelectReply, SelectRequest};

pub(super) fn request(request: &SelectRequest, model: &str, field: SchemaField) -> Vec<u8> {
    let mut body = json!({
        "model": request.model.as_deref().unwrap_or(model),
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
    });
    let schema: Value = serde_json::from_str(request.schema).unwrap_or(Value::Null);
    let format = json!({"type": "json_schema", "schema": schema});
    match field {
        SchemaField::OutputConfig => body["output_config"] = json!({"format": format}),
        SchemaField::OutputFormat => body["output_format"] = format,
        SchemaField::Absent => {}
    }
    body.to_string().into_bytes()
}

/// Reads the body of an answer with status 200.
pub(super) fn reply(body: &[u8]) -> Result<SelectReply, HttpError> {
    let unexpected = |what: &str| HttpError::new(HttpErrorKind::Unexpected, what);
    if body.trim_ascii().is_empty() {
        return Err(unexpected("the body is empty"));
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Err(unexpected(&excerpt(body)));
    };
    if value["type"] == "error" {
        // Some gateways answer 200 and say the rest in the body.
        return Err(status(200, body));
    }
    let Some(blocks) = value["content"].as_array() else {
        return Err(unexpected("there is no content"));
    };
    let texts = blocks.iter().filter(|block| block["type"] == "text");
    let text: String = texts.filter_map(|block| block["text"].as_str()).collect();
    let usage = &value["usage"];
    let count = |key: &str| usage[key].as_u64();
    let input = count("input_tokens").map(|input| {
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
        cached
            .iter()
            .filter_map(|key| count(key))
            .fold(input, u64::saturating_add)
    });
    let mut reply = SelectReply::new(text);
    reply.stop_reason = value["stop_reason"].as_str().map(str::to_owned);
    reply.input_tokens = input;
    reply.output_tokens = count("output_tokens");
    Ok(reply)
}

/// The error that an answer with another status is.
pub(super) fn status(status: u16, body: &[u8]) -> HttpError {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let error = &value["error"];
    let kind = HttpErrorKind::Status {
        status,
        error_type: error["type"]
            .as_str()
            .map(|text| one_line(text, MAX_TYPE_CHARS)),
    };
    match error["message"].as_str() {
        Some(message) => HttpError::new(kind, message),
        None => HttpError::new(kind, &excerpt(body)),
    }
}

/// How much of the type of an error is kept: 60 characters.
const MAX_TYPE_CHARS: usize = 60;

fn excerpt(body: &[u8]) -> String {
    // Four bytes per character are enough for what is shown of it.
    String::from_utf8_lossy(&body[..body.len().min(1_024)]).into_owned()
}
