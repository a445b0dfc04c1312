//! What the API refuses, from its documentation: fields, roles, pairs of calls and results,
//! thinking, empty text, marks of the cache, pictures and sizes.

mod content;

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::http::Request;
use content::{content, mark, text_block};

/// The largest request, in bytes.
const MAX_REQUEST_BYTES: usize = 32 << 20;
/// The most pictures and documents of a request to a model with this window.
const MAX_MEDIA: usize = 100;
/// The most cache marks of a request.
const MAX_MARKS: usize = 4;
/// The largest picture, in bytes of base64.
const MAX_IMAGE_BYTES: usize = 10 << 20;

/// An error of the API.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(crate) message: String,
}

impl Refused {
    pub(super) fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Refused {
        Refused {
            status,
            kind,
            message: message.into(),
        }
    }
}

type Checked = Result<(), Refused>;

fn invalid(message: impl Into<String>) -> Refused {
    Refused::new(400, "invalid_request_error", message)
}

pub(super) fn not_json(error: &serde_json::Error) -> Refused {
    invalid(format!("the body is not JSON: {error}"))
}

pub(super) fn check_request(request: &Request, body: &Value) -> Checked {
    if !matches!(
        request.path.as_str(),
        "/v1/messages" | "/v1/messages/count_tokens"
    ) {
        return Err(Refused::new(404, "not_found_error", "no such path"));
    }
    if request.method != "POST" {
        return Err(Refused::new(405, "invalid_request_error", "only POST"));
    }
    let bearer = request
        .header("authorization")
        .is_some_and(|value| value.starts_with("Bearer "));
    if request.header("x-api-key").is_none_or(str::is_empty) && !bearer {
        return Err(Refused::new(
            401,
            "authentication_error",
            "x-api-key header is required",
        ));
    }
    if request.header("anthropic-version") != Some("2023-06-01") {
        return Err(invalid("anthropic-version: header is required"));
    }
    if !request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/json"))
    {
        return Err(invalid("content-type: expected application/json"));
    }
    if request.body.len() > MAX_REQUEST_BYTES {
        return Err(Refused::new(
            413,
            "request_too_large",
            "Request exceeds the maximum size",
        ));
    }
    if request.path.ends_with("/count_tokens") {
        let mut body = body.clone();
        body["max_tokens"] = json!(1);
        return check(&body);
    }
    check(body)
}

/// The body of a request.
pub(crate) fn check(body: &Value) -> Checked {
    let fields = body
        .as_object()
        .ok_or_else(|| invalid("expected an object"))?;
    only(
        fields,
        "",
        &[
            "model",
            "messages",
            "max_tokens",
            "system",
            "tools",
            "tool_choice",
            "thinking",
            "temperature",
            "top_p",
            "top_k",
            "stop_sequences",
            "stream",
            "metadata",
            "output_config",
            "output_format",
            "service_tier",
            "context_management",
            "cache_control",
        ],
    )?;
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(invalid("model: Field required"));
    }
    let max_tokens = body["max_tokens"].as_u64().filter(|tokens| *tokens > 0);
    let max_tokens = max_tokens.ok_or_else(|| invalid("max_tokens: Field required"))?;
    let mut seen = Seen::default();
    system(&body["system"], &mut seen)?;
    let tools = tools(&body["tools"], &mut seen)?;
    let thinks = thinking_config(&body["thinking"], max_tokens)?;
    messages(&body["messages"], &tools, thinks, &mut seen)?;
    if seen.marks > MAX_MARKS {
        return Err(invalid(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {}.",
            seen.marks
        )));
    }
    if seen.media > MAX_MEDIA {
        return Err(invalid(format!(
            "Too many images and documents: {} > {MAX_MEDIA}",
            seen.media
        )));
    }
    Ok(())
}

/// What is counted over the whole request.
#[derive(Default)]
struct Seen {
    marks: usize,
    media: usize,
    ids: HashSet<String>,
}

fn only(fields: &Map<String, Value>, place: &str, known: &[&str]) -> Checked {
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(invalid(format!(
            "{place}{key}: Extra inputs are not permitted"
        ))),
        None => Ok(()),
    }
}

fn system(value: &Value, seen: &mut Seen) -> Checked {
    match value {
        Value::Null | Value::String(_) => Ok(()),
        Value::Array(blocks) => {
            for (at, block) in blocks.iter().enumerate() {
                let place = format!("system.{at}");
                if block["type"] != "text" {
                    return Err(invalid(format!("{place}.type: expected text")));
                }
                text_block(block, &place, seen)?;
            }
            Ok(())
        }
        _ => Err(invalid("system: expected a string or blocks")),
    }
}

fn is_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn tools(value: &Value, seen: &mut Seen) -> Result<HashSet<String>, Refused> {
    let mut names = HashSet::new();
    let list = match value {
        Value::Null => return Ok(names),
        Value::Array(list) => list,
        _ => return Err(invalid("tools: expected a list")),
    };
    for (at, tool) in list.iter().enumerate() {
        let place = format!("tools.{at}");
        let fields = tool
            .as_object()
            .ok_or_else(|| invalid(format!("{place}: expected an object")))?;
        only(
            fields,
            &format!("{place}."),
            &[
                "name",
                "description",
                "input_schema",
                "type",
                "cache_control",
            ],
        )?;
        let name = tool["name"].as_str().filter(|name| is_name(name, 128));
        let name = name.ok_or_else(|| {
            invalid(format!(
                "{place}.name: expected 1 to 128 of A-Z a-z 0-9 _ -"
            ))
        })?;
        if tool["input_schema"]["type"] != "object" {
            return Err(invalid(format!(
                "{place}.input_schema.type: expected object"
            )));
        }
        if !names.insert(name.to_owned()) {
            return Err(invalid("tools: Tool names must be unique."));
        }
        mark(tool, &place, seen)?;
    }
    Ok(names)
}

fn thinking_config(value: &Value, max_tokens: u64) -> Result<bool, Refused> {
    match value["type"].as_str() {
        None if value.is_null() => Ok(false),
        Some("disabled") => Ok(false),
        Some("adaptive") => Ok(true),
        Some("enabled") => {
            let budget = value["budget_tokens"].as_u64().unwrap_or(0);
            if budget < 1_024 {
                return Err(invalid("thinking.budget_tokens: expected 1024 or more"));
            }
            if budget >= max_tokens {
                return Err(invalid(
                    "`max_tokens` must be greater than `thinking.budget_tokens`",
                ));
            }
            Ok(true)
        }
        _ => Err(invalid(
            "thinking.type: expected enabled, adaptive or disabled",
        )),
    }
}

/// A message with those of the same role right behind it, as the API joins them.
struct Turn<'a> {
    role: &'a str,
    first: usize,
    blocks: Vec<&'a Value>,
}

fn messages(value: &Value, tools: &HashSet<String>, thinks: bool, seen: &mut Seen) -> Checked {
    let list = value
        .as_array()
        .ok_or_else(|| invalid("messages: Field required"))?;
    if list.is_empty() {
        return Err(invalid("messages: at least one message is required"));
    }
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (at, message) in list.iter().enumerate() {
        let place = format!("messages.{at}");
        let fields = message
            .as_object()
            .ok_or_else(|| invalid(format!("{place}: expected an object")))?;
        only(fields, &format!("{place}."), &["role", "content"])?;
        let role = match message["role"].as_str() {
            Some(role @ ("user" | "assistant")) => role,
            _ => return Err(invalid(format!("{place}.role: expected user or assistant"))),
        };
        let blocks: Vec<&Value> = match &message["content"] {
            Value::String(text) if text.trim().is_empty() => {
                return Err(invalid(format!(
                    "{place}: all messages must have non-empty content"
                )));
            }
            Value::String(_) => Vec::new(),
            Value::Array(blocks) if blocks.is_empty() => {
                return Err(invalid(format!(
                    "{place}: all messages must have non-empty content"
                )));
            }
            Value::Array(blocks) => blocks.iter().collect(),
            _ => {
                return Err(invalid(format!(
                    "{place}.content: expected a string or blocks"
                )));
            }
        };
        for (index, block) in blocks.iter().enumerate() {
            content(block, role, &format!("{place}.content.{index}"), seen)?;
        }
        match turns.last_mut() {
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ => turns.push(Turn {
                role,
                first: at,
                blocks,
            }),
        }
    }
    if turns[0].role != "user" {
        return Err(invalid(
            "messages: first message must use the \"user\" role",
        ));
    }
    if turns.last().is_some_and(|turn| turn.role == "assistant") {
        return Err(invalid(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ));
    }
    pairs(&turns, tools)?;
    thinking(&turns, thinks)
}

/// Every call is answered in the very next turn, by results that stand first in it; no result
/// answers anything else.
fn pairs(turns: &[Turn<'_>], tools: &HashSet<String>) -> Checked {
    let mut open: Vec<&str> = Vec::new();
    for turn in turns {
        let place = format!("messages.{}", turn.first);
        if turn.role == "assistant" {
            let calls = turn
                .blocks
                .iter()
                .filter(|block| block["type"] == "tool_use");
            open = calls.filter_map(|block| block["id"].as_str()).collect();
            if tools.is_empty() && !open.is_empty() {
                return Err(invalid(
                    "Requests which include `tool_use` or `tool_result` blocks must define tools",
                ));
            }
            continue;
        }
        let mut answered = HashSet::new();
        let mut other = false;
        for block in &turn.blocks {
            if block["type"] != "tool_result" {
                other = true;
                continue;
            }
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if !open.contains(&id) {
                return Err(invalid(format!(
                    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )));
            }
            if !answered.insert(id) {
                return Err(invalid(format!(
                    "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                )));
            }
            if other {
                return Err(invalid(format!(
                    "{place}: `tool_result` blocks must come first in the content"
                )));
            }
        }
        if let Some(id) = open.iter().find(|id| !answered.contains(*id)) {
            return Err(invalid(format!(
                "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}"
            )));
        }
        open.clear();
    }
    Ok(())
}

/// With thinking on, the turn whose calls are being answered begins with its thinking.
fn thinking(turns: &[Turn<'_>], thinks: bool) -> Checked {
    let is_thinking = |block: &Value| {
        matches!(
            block["type"].as_str(),
            Some("thinking" | "redacted_thinking")
        )
    };
    for turn in turns.iter().filter(|turn| turn.role == "assistant") {
        if turn.blocks.last().is_some_and(|block| is_thinking(block)) {
            return Err(invalid(format!(
                "messages.{}: The final block in an assistant message cannot be `thinking`.",
                turn.first
            )));
        }
    }
    let last = turns.iter().rev().find(|turn| turn.role == "assistant");
    let answered = turns.last().is_some_and(|turn| {
        turn.blocks
            .first()
            .is_some_and(|block| block["type"] == "tool_result")
    });
    if let (true, true, Some(turn)) = (thinks, answered, last)
        && let Some(first) = turn.blocks.first()
        && !is_thinking(first)
    {
        return Err(invalid(format!(
            "messages.{}.content.0: Expected `thinking` or `redacted_thinking`, but found `{}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
            turn.first,
            first["type"].as_str().unwrap_or_default()
        )));
    }
    Ok(())
}

/// The signature that the server gives to its thinking, and finds again unless a word changed.
pub(crate) fn signature_of(thinking: &str) -> String {
    let digest = Sha256::digest(thinking.as_bytes());
    let bytes: Vec<String> = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sig{}", bytes.concat())
}

/// A signed block of thinking.
pub(crate) fn thinking_block(thinking: &str) -> Value {
    json!({ "type": "thinking", "thinking": thinking, "signature": signature_of(thinking) })
}
