//! Forks of the conversation: what they send begins with what the conversation last sent, byte for
//! byte, so that the service reads it from its cache.

use autodream::{Chat, ChatReply, ChatRequest};
use compact_sm::Message;
use serde_json::Value;

use super::{Agent, Purpose};

/// A port to the model that puts the conversation in front.
pub(super) struct Fork<'a> {
    agent: &'a Agent,
    purpose: Purpose,
    /// What stands before the first answer of the run, its prompt included; or nothing, if that is
    /// the conversation and then the prompt.
    opening: Option<&'a [Message]>,
}

impl<'a> Fork<'a> {
    pub(super) fn new(agent: &'a Agent, purpose: Purpose) -> Fork<'a> {
        Fork {
            agent,
            purpose,
            opening: None,
        }
    }

    /// A run whose task comes with messages that hold the prompt.
    pub(super) fn opening(mut self, messages: &'a [Message]) -> Fork<'a> {
        self.opening = Some(messages);
        self
    }
}

impl Chat for Fork<'_> {
    type Error = ForkError;

    async fn send(&self, request: &ChatRequest) -> Result<ChatReply, ForkError> {
        let run: Vec<Value> = serde_json::from_str(&request.messages_json()).unwrap_or_default();
        let list: Vec<Value> = match self.opening {
            Some(opening) => {
                let opening = opening.iter().map(Message::to_request);
                opening.chain(run.into_iter().skip(1)).collect()
            }
            None => {
                let conversation = self.agent.messages.iter().map(Message::to_request);
                conversation.chain(run).collect()
            }
        };
        let body = self.agent.body_of(list, request.max_output_tokens);
        let answer = self
            .agent
            .client
            .send(body.to_string())
            .await
            .map_err(|error| ForkError(error.to_string()))?;
        let value: Value = serde_json::from_str(&answer).unwrap_or_default();
        self.agent.book(self.purpose, &value["usage"]);
        ChatReply::from_json(&answer).map_err(|error| ForkError(error.to_string()))
    }
}

/// Why a fork got no answer.
#[derive(Debug)]
pub(super) struct ForkError(String);

impl std::fmt::Display for ForkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ForkError {}
