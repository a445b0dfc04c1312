//! How whole messages and their usage are read.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::de::{Key, Keys, MaybeContent};
use super::{Extra, Message, Origin, Role, Usage};

pub(super) const CREATED: &str = "cache_creation_input_tokens";
pub(super) const READ: &str = "cache_read_input_tokens";

impl Usage {
    /// What is no whole number of tokens stays where it is. So does a zero of the cache, because
    /// a zero is written only where one was read.
    pub(crate) fn from_map(mut map: Map<String, Value>) -> Usage {
        let mut take = |key: &str, least: u64| {
            let tokens = map.get(key).and_then(Value::as_u64).filter(|n| *n >= least);
            if tokens.is_some() {
                map.remove(key);
            }
            tokens.unwrap_or_default()
        };
        Usage {
            input_tokens: take("input_tokens", 0),
            output_tokens: take("output_tokens", 0),
            cache_creation_input_tokens: take(CREATED, 1),
            cache_read_input_tokens: take(READ, 1),
            extra: map.into(),
        }
    }
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
        Map::deserialize(deserializer).map(Usage::from_map)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extra, D::Error> {
        Map::deserialize(deserializer).map(Extra::from)
    }
}

/// What should be a message, or what stands there instead.
pub(crate) enum MaybeMessage {
    Message(Box<Message>),
    Not(Value),
}

const MESSAGE_KEYS: &[&str] = &[
    "role",
    "content",
    "id",
    "usage",
    "uuid",
    "isCompactSummary",
    "isMeta",
];

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = MaybeMessage;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message: an object with `role` and `content`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MaybeMessage, A::Error> {
        let mut content = None;
        let mut rest = Map::new();
        while let Some(key) = map.next_key_seed(Keys(MESSAGE_KEYS))? {
            match key {
                Key::Known("content") => content = Some(map.next_value()?),
                Key::Known(name) => {
                    rest.insert(name.to_owned(), map.next_value()?);
                }
                Key::Other(name) => {
                    rest.insert(name, map.next_value()?);
                }
            }
        }
        Ok(build(content, rest))
    }

    fn visit_unit<E: Error>(self) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(Value::Null))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<MaybeMessage, A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(MaybeMessage::Not(value))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<MaybeMessage, E> {
        Ok(MaybeMessage::Not(value.into()))
    }
}

fn build(content: Option<MaybeContent>, mut rest: Map<String, Value>) -> MaybeMessage {
    let role = match rest.get("role").and_then(Value::as_str) {
        Some("user") => Some(Role::User),
        Some("assistant") => Some(Role::Assistant),
        _ => None,
    };
    let (content, role) = match (content, role) {
        (Some(MaybeContent::Content(content)), Some(role)) => (content, role),
        (content, _) => {
            if let Some(content) = content {
                rest.insert("content".to_owned(), content.into_value());
            }
            return MaybeMessage::Not(Value::Object(rest));
        }
    };
    rest.remove("role");
    let mut string = |key: &str| match rest.remove(key) {
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            rest.insert(key.to_owned(), other);
            None
        }
        None => None,
    };
    let (id, uuid) = (string("id"), string("uuid"));
    let usage = match rest.remove("usage") {
        Some(Value::Object(map)) => Some(Usage::from_map(map)),
        Some(other) => {
            rest.insert("usage".to_owned(), other);
            None
        }
        None => None,
    };
    let mut origin = Origin::Said;
    for (key, meaning) in [
        ("isMeta", Origin::Meta),
        ("isCompactSummary", Origin::Summary),
    ] {
        if rest.get(key) == Some(&Value::Bool(true)) {
            // The word of the origin that is not the message's stays in the JSON.
            if origin == Origin::Meta {
                rest.insert("isMeta".to_owned(), Value::Bool(true));
            }
            rest.remove(key);
            origin = meaning;
        }
    }
    MaybeMessage::Message(Box::new(Message {
        role,
        content,
        id,
        usage,
        uuid,
        origin,
        extra: rest.into(),
    }))
}

impl<'de> Deserialize<'de> for MaybeMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MaybeMessage, D::Error> {
        deserializer.deserialize_any(MessageVisitor)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Message, D::Error> {
        match MaybeMessage::deserialize(deserializer)? {
            MaybeMessage::Message(message) => Ok(*message),
            MaybeMessage::Not(_) => Err(D::Error::custom(
                "expected a message: a `role` of user or assistant, and `content`",
            )),
        }
    }
}
