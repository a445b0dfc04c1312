//! A small agent: one conversation over HTTP, in requests that the strict server takes.

use compact_sm::{
    Block, Decision, Estimator, Flags, Message, Overrides, Policy, Settings, Source,
    SummarizeError, SummaryReply, SummaryRequest, Window,
};
use memdir_recall::{Auth, ClientOptions, MessagesClient};
use serde_json::{Value, json};

use crate::Result;
use crate::server::Server;

/// The window of the model, in tokens. Small, so that three hundred turns fill it several times.
pub(super) const WINDOW: u64 = 100_000;
/// The longest answer, in tokens.
const MAX_OUTPUT: u64 = 32_000;

pub(super) struct Agent {
    pub(super) client: MessagesClient,
    /// What stands in front of every request: instructions, and what hooks say.
    pub(super) context: Message,
    pub(super) messages: Vec<Message>,
    pub(super) policy: Policy,
    pub(super) counter: Estimator,
    pub(super) system: String,
    pub(super) tools: Vec<Value>,
    /// Counts the messages, so that each has a name of its own.
    spoken: u64,
}

impl Agent {
    pub(super) fn new(server: &Server, system: String, context: Message) -> Result<Agent> {
        let options = ClientOptions::default()
            .base_url(server.url())
            .retries(2)
            .backoff(std::time::Duration::from_millis(5));
        let client = MessagesClient::new(Auth::ApiKey("no real key".to_owned()), options)?;
        let flags = Flags::default().session_memory(true).notes_compaction(true);
        let policy = Policy::new(
            &Window::new(WINDOW, MAX_OUTPUT),
            &Overrides::default(),
            &Settings::default(),
            &flags,
        );
        let tool = |name: &str, what: &str| {
            json!({
                "name": name, "description": what,
                "input_schema": { "type": "object", "properties": { "file_path": { "type": "string" } } },
            })
        };
        Ok(Agent {
            client,
            context,
            messages: Vec::new(),
            policy,
            counter: Estimator::default(),
            system,
            tools: vec![
                tool("Read", "Reads a file."),
                tool("Edit", "Changes a file."),
            ],
            spoken: 0,
        })
    }

    /// A request of some messages; the prefix of all of them is the same, byte for byte.
    pub(super) fn request(&self, messages: &[Message], max_tokens: u64) -> String {
        let messages: Value = [&self.context]
            .into_iter()
            .chain(messages)
            .map(Message::to_request)
            .collect();
        let mut body = json!({
            "model": "claude-small", "max_tokens": max_tokens, "tools": self.tools,
            "system": [{
                "type": "text", "text": self.system, "cache_control": { "type": "ephemeral" },
            }],
            "messages": messages,
        });
        mark_last(&mut body["messages"]);
        body.to_string()
    }

    fn say(&mut self, message: Message) {
        self.spoken += 1;
        self.messages
            .push(message.uuid(format!("m{}", self.spoken)));
    }

    /// Asks the model, and keeps its answer.
    async fn ask(&mut self) -> Result<()> {
        let body = self.request(&self.messages, MAX_OUTPUT);
        let answer = self.client.send(body).await?;
        self.say(serde_json::from_str(&answer)?);
        Ok(())
    }

    /// One turn: what the person says, and the calls that follow from it.
    pub(super) async fn turn(&mut self, says: &str, run: &dyn Fn(&Value) -> String) -> Result<()> {
        self.say(Message::user(says));
        loop {
            self.ask().await?;
            let Some(answer) = self.messages.last() else {
                return Ok(());
            };
            let results: Vec<Block> = answer
                .content
                .blocks
                .iter()
                .filter_map(|block| match block {
                    Block::ToolUse { id, input, .. } => Some(Block::tool_result(id, run(input))),
                    _ => None,
                })
                .collect();
            if results.is_empty() {
                return Ok(());
            }
            self.say(Message::user(results));
        }
    }

    pub(super) fn decide(&self) -> Decision {
        self.policy
            .decide(&self.messages, &self.counter, Source::Main)
    }

    /// The port of `compact-sm`, over the same client.
    pub(super) async fn summarize(
        &self,
        request: SummaryRequest,
    ) -> std::result::Result<SummaryReply, SummarizeError> {
        let body = self.request(&request.messages, request.max_tokens);
        let answer = match self.client.send(body).await {
            Ok(answer) => answer,
            Err(error) => return Err(SummarizeError::read(&error.to_string())),
        };
        let value: Value = serde_json::from_str(&answer).map_err(SummarizeError::other)?;
        let stop = value["stop_reason"].as_str().unwrap_or_default().to_owned();
        let message = serde_json::from_value(value).map_err(SummarizeError::other)?;
        Ok(SummaryReply::from_message(message).stop_reason(stop))
    }
}

/// The mark of the cache on the last block of the last message.
fn mark_last(messages: &mut Value) {
    let Some(last) = messages.as_array_mut().and_then(|list| list.last_mut()) else {
        return;
    };
    if let Value::String(text) = &last["content"] {
        last["content"] = json!([{ "type": "text", "text": text }]);
    }
    if let Some(block) = last["content"]
        .as_array_mut()
        .and_then(|blocks| blocks.last_mut())
    {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}
