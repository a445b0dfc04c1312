//! One line of a transcript.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::message::{Key, Keys, MaybeMessage};
use crate::{Boundary, Extra, Message, Origin, Role};

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// A message of the user, results of tools among them.
    User,
    /// A message of the model; a response may take several lines.
    Assistant,
    /// What the host notes: boundaries, local commands, times.
    System,
    /// Something that the host put beside a message.
    Attachment,
    /// A title of the session.
    Summary,
    /// How far a tool is; stands in the chain of parents.
    Progress,
    /// Another kind, by its name; empty if it has none.
    Other(String),
}

impl LineKind {
    /// The word in the JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            LineKind::User => "user",
            LineKind::Assistant => "assistant",
            LineKind::System => "system",
            LineKind::Attachment => "attachment",
            LineKind::Summary => "summary",
            LineKind::Progress => "progress",
            LineKind::Other(name) => name,
        }
    }

    fn new(name: String) -> LineKind {
        match name.as_str() {
            "user" => LineKind::User,
            "assistant" => LineKind::Assistant,
            "system" => LineKind::System,
            "attachment" => LineKind::Attachment,
            "summary" => LineKind::Summary,
            "progress" => LineKind::Progress,
            _ => LineKind::Other(name),
        }
    }
}

/// Whose conversation a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Chain {
    /// The session's own.
    #[default]
    Main,
    /// A subagent's: `isSidechain`.
    Side,
}

/// One line. What has no name here stays in `extra`, so that a line that is read and written is
/// the same JSON.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// What it is: the field `type`.
    pub kind: LineKind,
    /// Its id.
    pub uuid: Option<String>,
    /// The line that it follows.
    pub parent: Parent,
    /// Whose conversation.
    pub chain: Option<Chain>,
    /// When, as RFC 3339.
    pub timestamp: Option<String>,
    /// What was said.
    pub message: Option<Message>,
    /// Everything else.
    pub extra: Extra,
}

/// What `parentUuid` says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Parent {
    /// Nothing: the field is missing, and the line follows the one above.
    #[default]
    Unsaid,
    /// Null: a conversation begins here.
    None,
    /// The line with this id.
    Uuid(String),
}

impl Line {
    /// The line of a message: its `uuid` and what it is to the host move to the line.
    #[must_use]
    pub fn from_message(mut message: Message, parent: Parent) -> Line {
        let mut extra = Extra::default();
        match std::mem::take(&mut message.origin) {
            Origin::Said => {}
            Origin::Summary => extra.insert("isCompactSummary", true.into()),
            Origin::Meta => extra.insert("isMeta", true.into()),
        }
        Line {
            kind: match message.role {
                Role::User => LineKind::User,
                Role::Assistant => LineKind::Assistant,
            },
            uuid: message.uuid.take(),
            parent,
            chain: Some(Chain::Main),
            timestamp: None,
            message: Some(message),
            extra,
        }
    }

    /// The message, with the line's `uuid` and what the line says that it is.
    #[must_use]
    pub fn into_message(self) -> Option<Message> {
        let mut message = self.message?;
        message.uuid = self.uuid;
        let is = |key: &str| self.extra.field(key) == Some(&Value::Bool(true));
        if is("isCompactSummary") {
            message.origin = Origin::Summary;
        } else if is("isMeta") {
            message.origin = Origin::Meta;
        }
        Some(message)
    }

    /// The boundary, if the line is one and is whole.
    #[must_use]
    pub fn boundary(&self) -> Option<Boundary> {
        if self.kind != LineKind::System || self.extra.field("subtype")? != "compact_boundary" {
            return None;
        }
        match self.to_json() {
            Value::Object(map) => Boundary::from_map(map),
            _ => None,
        }
    }

    /// The JSON of the line; `to_string` of it is one line.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map: Map<String, Value> = self
            .extra
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        if !self.kind.as_str().is_empty() {
            put("type", self.kind.as_str().into());
        }
        if let Some(uuid) = &self.uuid {
            put("uuid", uuid.as_str().into());
        }
        match &self.parent {
            Parent::Unsaid => {}
            Parent::None => put("parentUuid", Value::Null),
            Parent::Uuid(uuid) => put("parentUuid", uuid.as_str().into()),
        }
        if let Some(chain) = self.chain {
            put("isSidechain", (chain == Chain::Side).into());
        }
        if let Some(timestamp) = &self.timestamp {
            put("timestamp", timestamp.as_str().into());
        }
        if let Some(message) = &self.message {
            put("message", serde_json::to_value(message).unwrap_or_default());
        }
        Value::Object(map)
    }
}

const KEYS: &[&str] = &[
    "type",
    "uuid",
    "parentUuid",
    "isSidechain",
    "timestamp",
    "message",
];

/// What a conversation needs of a line; the rest may be large and is passed over.
const LEAN: &[&str] = &[
    "subtype",
    "compactMetadata",
    "compact_metadata",
    "logicalParentUuid",
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
    "summary",
];

/// How much of a line is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Whole,
    Lean,
}

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Line;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Line, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let mut extra = Map::new();
        let mut line = Line {
            kind: LineKind::Other(String::new()),
            uuid: None,
            parent: Parent::Unsaid,
            chain: None,
            timestamp: None,
            message: None,
            extra: Extra::default(),
        };
        while let Some(key) = map.next_key_seed(Keys(KEYS))? {
            let name = match key {
                Key::Known("message") => {
                    match map.next_value()? {
                        MaybeMessage::Message(message) => line.message = Some(*message),
                        MaybeMessage::Not(value) => {
                            extra.insert("message".to_owned(), value);
                        }
                    }
                    continue;
                }
                Key::Known(name) => name.to_owned(),
                Key::Other(name) if self == Depth::Lean && !LEAN.contains(&name.as_str()) => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                Key::Other(name) => name,
            };
            match (name.as_str(), map.next_value()?) {
                ("type", Value::String(kind)) => line.kind = LineKind::new(kind),
                ("uuid", Value::String(uuid)) => line.uuid = Some(uuid),
                ("parentUuid", Value::String(uuid)) => line.parent = Parent::Uuid(uuid),
                ("parentUuid", Value::Null) => line.parent = Parent::None,
                ("isSidechain", Value::Bool(true)) => line.chain = Some(Chain::Side),
                ("isSidechain", Value::Bool(false)) => line.chain = Some(Chain::Main),
                ("timestamp", Value::String(time)) => line.timestamp = Some(time),
                (_, value) => {
                    extra.insert(name, value);
                }
            }
        }
        line.extra = extra.into();
        Ok(line)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        Depth::Whole.deserialize(deserializer)
    }
}

/// A line without what a conversation does not need.
pub(crate) struct Lean(pub(crate) Line);

impl<'de> Deserialize<'de> for Lean {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lean, D::Error> {
        Depth::Lean.deserialize(deserializer).map(Lean)
    }
}
