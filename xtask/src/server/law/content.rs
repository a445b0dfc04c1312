//! The blocks of a message: their fields, their places, and what they hold.

use base64::Engine as _;
use serde_json::Value;

use super::{Checked, MAX_IMAGE_BYTES, Seen, invalid, is_name, only, signature_of};

pub(super) fn mark(block: &Value, place: &str, seen: &mut Seen) -> Checked {
    match &block["cache_control"] {
        Value::Null => Ok(()),
        control => {
            seen.marks += 1;
            let ttl = &control["ttl"];
            let known = ttl.is_null() || ttl == "5m" || ttl == "1h";
            if control["type"] == "ephemeral" && known {
                Ok(())
            } else {
                Err(invalid(format!(
                    "{place}.cache_control: expected type ephemeral and ttl 5m or 1h"
                )))
            }
        }
    }
}

pub(super) fn text_block(block: &Value, place: &str, seen: &mut Seen) -> Checked {
    let fields = block
        .as_object()
        .ok_or_else(|| invalid(format!("{place}: expected an object")))?;
    only(
        fields,
        &format!("{place}."),
        &["type", "text", "cache_control", "citations"],
    )?;
    let text = block["text"]
        .as_str()
        .ok_or_else(|| invalid(format!("{place}.text: Field required")))?;
    if text.is_empty() {
        return Err(invalid(format!(
            "{place}: text content blocks must be non-empty"
        )));
    }
    if text.trim().is_empty() {
        return Err(invalid(format!(
            "{place}: text content blocks must contain non-whitespace text"
        )));
    }
    mark(block, place, seen)
}

pub(super) fn content(block: &Value, role: &str, place: &str, seen: &mut Seen) -> Checked {
    let fields = block
        .as_object()
        .ok_or_else(|| invalid(format!("{place}: expected an object")))?;
    let kind = block["type"].as_str().unwrap_or_default();
    let wrong_role = || {
        invalid(format!(
            "{place}: `{kind}` blocks may not stand in a message of {role}"
        ))
    };
    let text_of = |key: &str| block[key].as_str().filter(|text| !text.is_empty());
    match kind {
        "text" => text_block(block, place, seen),
        "thinking" | "redacted_thinking" if role != "assistant" => Err(wrong_role()),
        "thinking" => {
            only(
                fields,
                &format!("{place}."),
                &["type", "thinking", "signature"],
            )?;
            let signature = text_of("signature");
            let thinking = block["thinking"].as_str().unwrap_or_default();
            if signature != Some(signature_of(thinking).as_str()) {
                return Err(invalid(format!(
                    "{place}: Invalid `signature` in `thinking` block"
                )));
            }
            Ok(())
        }
        "redacted_thinking" => {
            only(fields, &format!("{place}."), &["type", "data"])?;
            text_of("data")
                .map(|_| ())
                .ok_or_else(|| invalid(format!("{place}.data: Field required")))
        }
        "tool_use" if role != "assistant" => Err(wrong_role()),
        "tool_use" => {
            only(
                fields,
                &format!("{place}."),
                &["type", "id", "name", "input", "cache_control", "caller"],
            )?;
            let id = text_of("id").filter(|id| is_name(id, 256));
            let id = id.ok_or_else(|| {
                invalid(format!(
                    "{place}.id: String should match '^[a-zA-Z0-9_-]+$'"
                ))
            })?;
            if !block["input"].is_object() {
                return Err(invalid(format!("{place}.input: Input should be an object")));
            }
            if text_of("name").is_none_or(|name| !is_name(name, 200)) {
                return Err(invalid(format!("{place}.name: expected a tool's name")));
            }
            if !seen.ids.insert(id.to_owned()) {
                return Err(invalid(format!("{place}: `tool_use` ids must be unique")));
            }
            mark(block, place, seen)
        }
        "tool_result" if role != "user" => Err(wrong_role()),
        "tool_result" => {
            only(
                fields,
                &format!("{place}."),
                &[
                    "type",
                    "tool_use_id",
                    "content",
                    "is_error",
                    "cache_control",
                ],
            )?;
            if let Value::Array(inner) = &block["content"] {
                for (at, block) in inner.iter().enumerate() {
                    let place = format!("{place}.content.{at}");
                    match block["type"].as_str() {
                        Some("text" | "image" | "document" | "search_result") => {
                            content(block, role, &place, seen)?;
                        }
                        _ => {
                            return Err(invalid(format!(
                                "{place}.type: expected text, image or document"
                            )));
                        }
                    }
                }
            } else if !matches!(block["content"], Value::Null | Value::String(_)) {
                return Err(invalid(format!(
                    "{place}.content: expected a string or blocks"
                )));
            }
            mark(block, place, seen)
        }
        "image" | "document" => {
            seen.media += 1;
            only(
                fields,
                &format!("{place}."),
                &[
                    "type",
                    "source",
                    "cache_control",
                    "title",
                    "context",
                    "citations",
                ],
            )?;
            media(block, kind, place)?;
            mark(block, place, seen)
        }
        "search_result" => Ok(()),
        _ => Err(invalid(format!(
            "{place}.type: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        ))),
    }
}

fn media(block: &Value, kind: &str, place: &str) -> Checked {
    let source = &block["source"];
    if source["type"] != "base64" {
        let known = matches!(source["type"].as_str(), Some("url" | "file" | "text"));
        return known
            .then_some(())
            .ok_or_else(|| invalid(format!("{place}.source.type: unknown")));
    }
    let types: &[&str] = match kind {
        "image" => &["image/jpeg", "image/png", "image/gif", "image/webp"],
        _ => &["application/pdf", "text/plain"],
    };
    if !source["media_type"]
        .as_str()
        .is_some_and(|media| types.contains(&media))
    {
        return Err(invalid(format!(
            "{place}.source.media_type: expected one of {types:?}"
        )));
    }
    let data = source["data"].as_str().unwrap_or_default();
    if data.is_empty()
        || base64::engine::general_purpose::STANDARD
            .decode(data)
            .is_err()
    {
        return Err(invalid(format!("{place}.source.data: invalid base64 data")));
    }
    if kind == "image" && data.len() > MAX_IMAGE_BYTES {
        return Err(invalid(format!(
            "{place}.source.data: image exceeds the maximum size"
        )));
    }
    Ok(())
}
