//! A model that is a script, and what a run over it sends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use autodream::{
    Chat, ChatBlock, ChatMessage, ChatReply, ChatRequest, ChatRole, NoShell, Runner, StopReason,
    Subagent, SubagentEnd, SubagentTask, ToolPolicy, Turn,
};
use serde_json::Value;

use super::shell_world::ShellWorld;
use crate::world::{Broken, now_or_never};

/// A model that answers from a list, and keeps what it was sent.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    replies: Arc<Mutex<VecDeque<ChatReply>>>,
    pub(crate) sent: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Scripted {
    pub(crate) fn new(replies: impl IntoIterator<Item = ChatReply>) -> Scripted {
        let scripted = Scripted::default();
        scripted.replies.lock().unwrap().extend(replies);
        scripted
    }

    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.sent.lock().unwrap().clone()
    }

    /// What the tools answered to the turn of this number, from 0: text, and whether it is an
    /// error.
    #[track_caller]
    pub(crate) fn results(&self, turn: usize) -> Vec<(String, bool)> {
        let requests = self.requests();
        let last = requests[turn + 1].messages.last().unwrap().clone();
        assert_eq!(last.role, ChatRole::User);
        last.blocks
            .into_iter()
            .map(|block| match block {
                ChatBlock::ToolResult { text, is_error, .. } => (text, is_error),
                other => panic!("{other:?}"),
            })
            .collect()
    }
}

impl Chat for Scripted {
    type Error = Broken;

    async fn send(&self, request: &ChatRequest) -> Result<ChatReply, Broken> {
        self.sent.lock().unwrap().push(request.clone());
        self.replies.lock().unwrap().pop_front().ok_or(Broken)
    }
}

/// A turn that looks at something.
pub(crate) fn looks() -> ChatReply {
    uses([call("LS", &serde_json::json!({"path": "."}))])
}

pub(crate) fn says(text: &str) -> ChatReply {
    ChatReply::new([ChatBlock::Text(text.to_owned())], StopReason::EndTurn)
}

pub(crate) fn call(name: &str, input: &Value) -> ChatBlock {
    raw_call(name, &input.to_string())
}

pub(crate) fn raw_call(name: &str, input: &str) -> ChatBlock {
    ChatBlock::ToolUse {
        id: format!("use-{name}-{}", input.len()),
        name: name.to_owned(),
        input: input.to_owned(),
    }
}

pub(crate) fn uses(blocks: impl Into<Vec<ChatBlock>>) -> ChatReply {
    ChatReply::new(blocks, StopReason::ToolUse)
}

/// The least that a memory is.
pub(crate) const MEMORY: &str = "---\nname: A\ndescription: d\ntype: user\n---\n\nbody\n";

pub(crate) fn policy(world: &ShellWorld) -> ToolPolicy {
    ToolPolicy::new(world.roots(), &world.project)
}

pub(crate) fn task(world: &ShellWorld) -> SubagentTask {
    SubagentTask::new("Put it in order.", policy(world))
}

/// Runs a script over a model, with everything that the run reported.
pub(crate) fn run_task(
    chat: &Scripted,
    task: SubagentTask,
) -> (Result<SubagentEnd, Broken>, Vec<Turn>) {
    let mut turns = Vec::new();
    let runner = Runner::new(chat.clone(), NoShell::new());
    let mut on_turn = |turn: &Turn| turns.push(turn.clone());
    let end = now_or_never(runner.run(task, &mut on_turn));
    (end, turns)
}

#[track_caller]
pub(crate) fn end_of(replies: impl IntoIterator<Item = ChatReply>) -> SubagentEnd {
    let world = ShellWorld::new();
    run_task(&Scripted::new(replies), task(&world)).0.unwrap()
}

/// Roles take turns, every use has one result right behind it, and nothing is empty: what a
/// strict service asks for.
#[track_caller]
pub(crate) fn check_messages(messages: &[ChatMessage]) {
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 {
            ChatRole::User
        } else {
            ChatRole::Assistant
        };
        assert_eq!(message.role, role, "message {at}");
        assert!(!message.blocks.is_empty(), "message {at}");
        let uses: Vec<&str> = message
            .blocks
            .iter()
            .filter_map(|block| match block {
                ChatBlock::ToolUse { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        let Some(next) = messages.get(at + 1) else {
            continue;
        };
        let results: Vec<&str> = next
            .blocks
            .iter()
            .filter_map(|block| match block {
                ChatBlock::ToolResult { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(uses, results, "message {at}");
    }
}
