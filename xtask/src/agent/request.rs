//! Requests: every one of a session, forks too, has the same prefix, byte for byte.

use compact_sm::{Message, SummarizeError, SummaryReply, SummaryRequest};
use serde_json::{Value, json};

use super::Agent;
use super::host::MODEL;
use super::ledger::Purpose;
use crate::Result;

impl Agent {
    /// The body of a request of some messages.
    ///
    /// Four marks of the cache: behind what everybody shares, behind what the project shares,
    /// behind the person's context, and at the end.
    pub(super) fn body(&self, messages: &[Message], max_tokens: u64) -> Value {
        self.body_of(messages.iter().map(Message::to_request), max_tokens)
    }

    /// The same of messages as the service takes them.
    pub(super) fn body_of(
        &self,
        messages: impl IntoIterator<Item = Value>,
        max_tokens: u64,
    ) -> Value {
        let mut list = vec![self.context.opening().to_request()];
        list.extend(messages);
        let end = list.len() - 1;
        mark(&mut list[0]);
        mark(&mut list[end]);
        json!({
            "model": MODEL, "max_tokens": max_tokens, "tools": self.context.tools(),
            "system": self.context.system(), "messages": list,
        })
    }

    /// Sends it, and books what it cost.
    pub(super) async fn send(
        &self,
        purpose: Purpose,
        messages: &[Message],
        max_tokens: u64,
    ) -> Result<Message, memdir_recall::HttpError> {
        let body = self.body(messages, max_tokens).to_string();
        let answer = self.client.send(body).await?;
        let value: Value = serde_json::from_str(&answer).unwrap_or_default();
        self.book(purpose, &value["usage"]);
        Ok(serde_json::from_value(value).unwrap_or_else(|_| Message::assistant(Vec::new())))
    }

    pub(super) fn book(&self, purpose: Purpose, usage: &Value) {
        let mut ledger = self.ledger.lock().unwrap_or_else(|e| e.into_inner());
        ledger.add(&self.id, self.turns, purpose, usage);
    }

    /// The port of `compact-sm`, over the same client and with the same prefix.
    pub(super) async fn summarize(
        &self,
        request: SummaryRequest,
    ) -> std::result::Result<SummaryReply, SummarizeError> {
        match self
            .send(Purpose::Summary, &request.messages, request.max_tokens)
            .await
        {
            Ok(answer) => Ok(SummaryReply::from_message(answer)),
            Err(error) => Err(SummarizeError::read(&error.to_string())),
        }
    }
}

/// The mark of the cache on the last block of a message.
fn mark(message: &mut Value) {
    if let Value::String(text) = &message["content"] {
        message["content"] = json!([{ "type": "text", "text": text }]);
    }
    let blocks = message["content"].as_array_mut();
    if let Some(block) = blocks.and_then(|blocks| blocks.last_mut()) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}
