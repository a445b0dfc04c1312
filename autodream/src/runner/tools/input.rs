//! Fields of a tool's input.

use serde_json::{Map, Value};

pub(super) type Fields = Map<String, Value>;

pub(super) fn text<'a>(fields: &'a Fields, key: &str) -> Result<Option<&'a str>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}`: a text is expected")),
    }
}

pub(super) fn needed<'a>(fields: &'a Fields, key: &str) -> Result<&'a str, String> {
    text(fields, key)?.ok_or_else(|| format!("`{key}` is missing"))
}

/// A whole number, 0 or more; models write them as text too.
pub(super) fn number(fields: &Fields, key: &str) -> Result<Option<usize>, String> {
    let number = match fields.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    match number.map(usize::try_from) {
        Some(Ok(number)) => Ok(Some(number)),
        _ => Err(format!("`{key}`: a whole number, 0 or more, is expected")),
    }
}

pub(super) fn flag(fields: &Fields, key: &str) -> Result<bool, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(_) => Err(format!("`{key}`: true or false is expected")),
    }
}
