//! The narrow port to a model that uses tools: one request, one answer.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::Usage;

/// A model, asked for the next answer of a run.
///
/// Implementations may be written as `async fn send`. They put whatever the host shares with the
/// run in front (system prompt, cached messages of the session), and wait and try again on their
/// own where the service is busy: an error here ends the run. A closure becomes one through
/// [`chat_fn`]; references and `Arc`s of one are ones.
pub trait Chat {
    /// What may go wrong.
    type Error: StdError + Send + Sync + 'static;

    /// Asks for the next answer. Dropping the future cancels the call.
    fn send(
        &self,
        request: &ChatRequest,
    ) -> impl Future<Output = Result<ChatReply, Self::Error>> + Send;
}

impl<C: Chat + Sync + ?Sized> Chat for &C {
    type Error = C::Error;

    fn send(
        &self,
        request: &ChatRequest,
    ) -> impl Future<Output = Result<ChatReply, Self::Error>> + Send {
        (**self).send(request)
    }
}

impl<C: Chat + Send + Sync + ?Sized> Chat for Arc<C> {
    type Error = C::Error;

    fn send(
        &self,
        request: &ChatRequest,
    ) -> impl Future<Output = Result<ChatReply, Self::Error>> + Send {
        (**self).send(request)
    }
}

/// A closure as a [`Chat`].
#[derive(Clone, Copy)]
pub struct ChatFn<F>(F);

impl<F> fmt::Debug for ChatFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChatFn")
    }
}

/// Turns a closure that returns a future into a [`Chat`]. What the future needs of the request it
/// takes with it, for example [`ChatRequest::messages_json`].
pub fn chat_fn<F, Fut, E>(closure: F) -> ChatFn<F>
where
    F: Fn(&ChatRequest) -> Fut,
    Fut: Future<Output = Result<ChatReply, E>> + Send,
    E: StdError + Send + Sync + 'static,
{
    ChatFn(closure)
}

impl<F, Fut, E> Chat for ChatFn<F>
where
    F: Fn(&ChatRequest) -> Fut,
    Fut: Future<Output = Result<ChatReply, E>> + Send,
    E: StdError + Send + Sync + 'static,
{
    type Error = E;

    fn send(&self, request: &ChatRequest) -> impl Future<Output = Result<ChatReply, E>> + Send {
        (self.0)(request)
    }
}

/// What the model is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChatRequest {
    /// What the run is called, for the host's accounts.
    pub label: String,
    /// The messages of the run, from its first. The user begins, and both take turns.
    pub messages: Vec<ChatMessage>,
    /// The tools that are offered.
    pub tools: Vec<ToolDefinition>,
    /// The most tokens of the answer.
    pub max_output_tokens: u64,
}

/// A tool, for the list of tools of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// The JSON schema of its input, as text.
    pub schema: &'static str,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChatMessage {
    /// Whose it is.
    pub role: ChatRole,
    /// What it holds; at least one block.
    pub blocks: Vec<ChatBlock>,
}

impl ChatMessage {
    pub(super) fn new(role: ChatRole, blocks: Vec<ChatBlock>) -> ChatMessage {
        ChatMessage { role, blocks }
    }
}

/// Whose a message is. Deliberately exhaustive: there are two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ChatRole {
    /// The prompt, and what tools answer.
    User,
    /// The model.
    Assistant,
}

/// A part of a message. Deliberately exhaustive: a host has to send all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ChatBlock {
    /// Text.
    Text(String),
    /// The model uses a tool.
    ToolUse {
        /// Names the use; its result bears the same.
        id: String,
        /// The name of the tool.
        name: String,
        /// Its input: a JSON object as text.
        input: String,
    },
    /// What a tool answered. There is exactly one for each use, in the message behind it.
    ToolResult {
        /// The id of the use.
        id: String,
        /// The answer.
        text: String,
        /// Whether it is one of failure or refusal.
        is_error: bool,
    },
    /// Any other block as JSON text, such as thinking with its signature: given back unchanged.
    Raw(String),
}

/// What the model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChatReply {
    /// Its blocks, in order.
    pub blocks: Vec<ChatBlock>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
}

impl ChatReply {
    /// An answer.
    #[must_use]
    pub fn new(blocks: impl Into<Vec<ChatBlock>>, stop: StopReason) -> ChatReply {
        ChatReply {
            blocks: blocks.into(),
            stop,
            usage: Usage::default(),
        }
    }

    /// Sets what it cost.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> ChatReply {
        self.usage = usage;
        self
    }
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It waits for the results of tools.
    ToolUse,
    /// The answer was cut off at its most tokens.
    MaxTokens,
    /// It would not answer.
    Refusal,
    /// The service made a pause; the same messages, with the answer, go on.
    Pause,
    /// Anything else, as the service calls it. Ends the run as one that failed.
    Other(String),
}
