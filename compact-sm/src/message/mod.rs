//! Messages in the JSON shape of the Messages API, with everything unknown kept.

mod block;
mod content;
mod de;
mod de_message;
mod ser;

pub use block::Block;
pub use content::Content;
pub(crate) use de::{Key, Keys};
pub(crate) use de_message::MaybeMessage;

use serde_json::{Map, Value};

/// Who speaks. The API knows these two, and no third will come: instructions travel apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or what the host says in the person's place: results of tools, reminders.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word in the JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// What a message is to the host. The API is never told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Origin {
    /// Somebody said it.
    #[default]
    Said,
    /// It stands for what was compacted; nothing before it is kept again. `isCompactSummary`.
    Summary,
    /// The host put it there: reminders, files, caveats. `isMeta`.
    Meta,
}

/// JSON fields that this crate has no name for, kept as they are. Empty ones cost a pointer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extra(Option<Box<Map<String, Value>>>);

impl Extra {
    /// Is there no such field?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }

    /// The value of one field.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.0.as_ref()?.get(key)
    }

    /// All fields.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().flat_map(|map| map.iter())
    }

    /// The values of all fields, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.0.iter_mut().flat_map(|map| map.values_mut())
    }

    /// Sets a field.
    pub fn insert(&mut self, key: impl Into<String>, value: Value) {
        self.0.get_or_insert_default().insert(key.into(), value);
    }

    /// Removes a field and hands it out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.as_mut()?.remove(key)
    }
}

impl From<Map<String, Value>> for Extra {
    fn from(map: Map<String, Value>) -> Extra {
        Extra((!map.is_empty()).then(|| Box::new(map)))
    }
}

/// What a response cost, as the API reports it. In tokens.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Input that was neither read from the cache nor written to it.
    pub input_tokens: u64,
    /// The response itself.
    pub output_tokens: u64,
    /// Input written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input read from the cache.
    pub cache_read_input_tokens: u64,
    /// Everything else that the API reports.
    pub extra: Extra,
}

impl Usage {
    /// A usage with these two figures; set the cache's with the setters.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        }
    }

    /// Sets the tokens that were written to the cache.
    #[must_use]
    pub fn cache_creation(mut self, tokens: u64) -> Usage {
        self.cache_creation_input_tokens = tokens;
        self
    }

    /// Sets the tokens that were read from the cache.
    #[must_use]
    pub fn cache_read(mut self, tokens: u64) -> Usage {
        self.cache_read_input_tokens = tokens;
        self
    }

    /// All three inputs and the output: what the conversation holds once the response is part
    /// of it. In tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.output_tokens)
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }

    /// Takes what is not sent any more from the input: first from what was read from the cache,
    /// where the oldest is.
    pub(crate) fn lower(&mut self, tokens: u64) {
        let mut rest = tokens;
        for part in [
            &mut self.cache_read_input_tokens,
            &mut self.cache_creation_input_tokens,
            &mut self.input_tokens,
        ] {
            let taken = rest.min(*part);
            *part -= taken;
            rest -= taken;
        }
    }
}

/// One message of a conversation.
///
/// It reads from and writes to the JSON of the Messages API, of requests as well as of responses;
/// fields without a name here stay in `extra`. What is sent is [`Message::to_request`].
///
/// A response that was streamed may stand in several messages with one `id`, as in transcripts.
/// Together they are one response, which is never split.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// The API's id of the response (`msg_…`).
    pub id: Option<String>,
    /// What the response cost.
    pub usage: Option<Usage>,
    /// The host's own id: the `uuid` of a transcript line.
    pub uuid: Option<String>,
    /// What the message is to the host.
    pub origin: Origin,
    /// Everything else that stands in the JSON.
    pub extra: Extra,
}

impl Message {
    /// A message of any role.
    pub fn new(role: Role, content: impl Into<Content>) -> Message {
        Message {
            role,
            content: content.into(),
            id: None,
            usage: None,
            uuid: None,
            origin: Origin::Said,
            extra: Extra::default(),
        }
    }

    /// A message of the user: a text, or blocks.
    pub fn user(content: impl Into<Content>) -> Message {
        Message::new(Role::User, content)
    }

    /// A message of the model: a text, or blocks.
    pub fn assistant(content: impl Into<Content>) -> Message {
        Message::new(Role::Assistant, content)
    }

    /// Sets the API's id of the response.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Message {
        self.id = Some(id.into());
        self
    }

    /// Sets what the response cost.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Message {
        self.usage = Some(usage);
        self
    }

    /// Sets the host's own id.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Message {
        self.uuid = Some(uuid.into());
        self
    }

    /// Sets what the message is to the host.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Message {
        self.origin = origin;
        self
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.blocks.iter().filter_map(Block::as_text)
    }

    /// Does it hold a text that is more than white space?
    #[must_use]
    pub fn has_text(&self) -> bool {
        self.texts().any(|text| !text.trim().is_empty())
    }

    /// The ids of the tool calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.content.blocks.iter().filter_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// The ids of the calls whose results are here, in order.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.content.blocks.iter().filter_map(|block| match block {
            Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
            _ => None,
        })
    }

    /// The JSON that a request takes: role and content, without what only responses and hosts
    /// have. The API refuses a request with more.
    #[must_use]
    pub fn to_request(&self) -> Value {
        let mut map = Map::new();
        map.insert("role".to_owned(), Value::from(self.role.as_str()));
        map.insert("content".to_owned(), self.content.to_json());
        Value::Object(map)
    }
}
