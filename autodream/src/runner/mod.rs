//! A ready subagent for hosts that have none: a loop over a model that uses tools.
//!
//! In reading order: `chat` is the port to the model and `wire` its JSON form, `judge` says what
//! may be done, `tools` do it, `execute` is the port for command lines and `process` the ready
//! executor, and `prompt` is what the model is told.

mod chat;
mod execute;
mod judge;
#[cfg(unix)]
mod process;
mod prompt;
mod tools;
mod wire;

use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

use serde_json::Value;

use crate::subagent::{
    Cap, Caps, EndReason, Subagent, SubagentEnd, SubagentTask, Turn, TurnTool, Usage,
};

pub use chat::{
    Chat, ChatBlock, ChatFn, ChatMessage, ChatReply, ChatRequest, ChatRole, StopReason,
    ToolDefinition, chat_fn,
};
pub use execute::{
    Execute, ExecuteEnd, ExecuteLimits, ExecuteOutput, MAX_MEMORY_BYTES, MAX_OUTPUT_BYTES,
    MAX_RUN_SECONDS, NoShell,
};
pub use judge::{Judge, PlannedWrite};
#[cfg(unix)]
pub use process::ProcessExecutor;

/// The most bytes that a tool answers. Our own choice: about 8,000 tokens.
pub const MAX_RESULT_BYTES: usize = 32_000;

/// The most tokens of one answer of the model. Our own choice: enough to write a memory file.
pub const MAX_ANSWER_TOKENS: u64 = 16_384;

/// 40 uses of tools in one turn: more are answered without being done.
const MAX_CALLS: usize = 40;
/// 4 answers of a turn may be as long as an answer can be; the others get what is left.
const FULL_RESULTS: usize = 4;
/// 1,000 bytes are left for every answer.
const LEAST_RESULT_BYTES: usize = 1_000;
/// 3 answers in a row that are cut off: then the run ends.
const MAX_CUT_OFF: usize = 3;

/// The tools that the runner knows, for the list of a request.
///
/// Judged by [`ToolPolicy`](crate::ToolPolicy) or by another [`Judge`]; whatever else a model asks
/// for is refused.
#[must_use]
pub fn tools() -> &'static [ToolDefinition] {
    prompt::TOOLS
}

/// A [`Subagent`] made of a model and of something that runs command lines.
///
/// As a subagent it takes a run that ends without a single use of a tool that succeeded for
/// [declined](EndReason::Declined), whatever the model says: it has looked at nothing.
///
/// File tools and command lines are done in between two answers of the model, by the thread that
/// polls the run: give it one that may block. Between two of them it gives way, so that a run that
/// is stopped ends with the one at hand.
#[derive(Clone)]
pub struct Runner<C, E> {
    chat: C,
    executor: E,
    limits: ExecuteLimits,
    result_bytes: usize,
    answer_tokens: u64,
}

impl<C, E> fmt::Debug for Runner<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("limits", &self.limits)
            .field("result_bytes", &self.result_bytes)
            .field("answer_tokens", &self.answer_tokens)
            .finish_non_exhaustive()
    }
}

/// What [`Runner::run_with`] works through: a [`SubagentTask`] with a judge of any kind.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct RunTask<'a> {
    /// The one message that it starts with.
    pub prompt: &'a str,
    /// Who says what may be done.
    pub judge: &'a dyn Judge,
    /// What the run is called.
    pub label: &'a str,
    /// When it is stopped.
    pub caps: Caps,
    /// The names of the tools that are offered; empty for all.
    pub tools: &'a [&'a str],
}

impl fmt::Debug for RunTask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunTask")
            .field("label", &self.label)
            .field("caps", &self.caps)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

impl<'a> RunTask<'a> {
    /// A task under this label, with the caps of this crate and all tools.
    #[must_use]
    pub fn new(prompt: &'a str, judge: &'a dyn Judge, label: &'a str) -> RunTask<'a> {
        RunTask {
            prompt,
            judge,
            label,
            caps: Caps::default(),
            tools: &[],
        }
    }

    /// Sets when it is stopped.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> RunTask<'a> {
        self.caps = caps;
        self
    }

    /// Sets which tools are offered. Others are refused.
    #[must_use]
    pub fn tools(mut self, names: &'a [&'a str]) -> RunTask<'a> {
        self.tools = names;
        self
    }
}

impl<C: Chat + Sync, E: Execute> Runner<C, E> {
    /// A runner over a model, with an executor such as `ProcessExecutor` or [`NoShell`].
    #[must_use]
    pub fn new(chat: C, executor: E) -> Runner<C, E> {
        Runner {
            chat,
            executor,
            limits: ExecuteLimits::default(),
            result_bytes: MAX_RESULT_BYTES,
            answer_tokens: MAX_ANSWER_TOKENS,
        }
    }

    /// Sets when a command line is stopped.
    #[must_use]
    pub fn limits(mut self, limits: ExecuteLimits) -> Runner<C, E> {
        self.limits = limits;
        self
    }

    /// Sets the most bytes that a tool answers; at least 1,000.
    #[must_use]
    pub fn result_bytes(mut self, bytes: usize) -> Runner<C, E> {
        self.result_bytes = bytes.max(LEAST_RESULT_BYTES);
        self
    }

    /// Sets the most tokens of one answer of the model.
    #[must_use]
    pub fn answer_tokens(mut self, tokens: u64) -> Runner<C, E> {
        self.answer_tokens = tokens;
        self
    }

    /// Runs a task with a judge of the host's own, such as one for an agent that edits a single
    /// file.
    ///
    /// # Errors
    ///
    /// Those of the model's port.
    pub async fn run_with(
        &self,
        task: &RunTask<'_>,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, C::Error> {
        let mut request = ChatRequest {
            label: task.label.to_owned(),
            messages: vec![ChatMessage::new(
                ChatRole::User,
                vec![ChatBlock::Text(task.prompt.to_owned())],
            )],
            tools: self.offered(task),
            max_output_tokens: self.answer_tokens,
        };
        let mut usage = Usage::default();
        let mut cut_off = 0;
        let mut text = String::new();
        for _ in 0..task.caps.turns {
            let reply = self.chat.send(&request).await?;
            usage.add(&reply.usage);
            let (blocks, said) = sayable(reply.blocks);
            if !said.is_empty() {
                text.clone_from(&said);
            }
            let mut turn = Turn::new(said).usage(reply.usage);
            let uses = blocks
                .iter()
                .any(|b| matches!(b, ChatBlock::ToolUse { .. }));
            let end = match reply.stop {
                StopReason::Refusal => Some(SubagentEnd::declined(text.clone())),
                StopReason::Other(why) => {
                    Some(SubagentEnd::declined(format!("the model stopped: {why}")))
                }
                StopReason::EndTurn | StopReason::ToolUse if !uses => {
                    Some(SubagentEnd::finished(text.clone()))
                }
                _ if usage.total() > task.caps.tokens => {
                    Some(SubagentEnd::cap_reached(Cap::Tokens, text.clone()))
                }
                StopReason::MaxTokens => {
                    cut_off += 1;
                    // Without text or a use there is nothing to go on from.
                    let is_empty = !uses && !has_text(&blocks);
                    (cut_off >= MAX_CUT_OFF || is_empty)
                        .then(|| SubagentEnd::cap_reached(Cap::Answer, text.clone()))
                }
                _ => {
                    cut_off = 0;
                    None
                }
            };
            if let Some(end) = end {
                for block in &blocks {
                    if let ChatBlock::ToolUse { name, input, .. } = block {
                        turn.tools.push(TurnTool::from_json(name, input).failed());
                    }
                }
                on_turn(&turn);
                return Ok(end);
            }
            let is_cut = cut_off > 0;
            let results = self.results(task, &blocks, is_cut, &mut turn).await;
            on_turn(&turn);
            if !blocks.is_empty() {
                request
                    .messages
                    .push(ChatMessage::new(ChatRole::Assistant, blocks));
            }
            if !results.is_empty() {
                request
                    .messages
                    .push(ChatMessage::new(ChatRole::User, results));
            } else if is_cut {
                let go_on = ChatBlock::Text(prompt::GO_ON.to_owned());
                request
                    .messages
                    .push(ChatMessage::new(ChatRole::User, vec![go_on]));
            }
        }
        Ok(SubagentEnd::cap_reached(Cap::Turns, text))
    }

    fn offered(&self, task: &RunTask<'_>) -> Vec<ToolDefinition> {
        tools()
            .iter()
            .filter(|tool| is_offered(task, tool.name))
            .filter(|tool| tool.name != "Bash" || self.executor.is_available())
            .cloned()
            .collect()
    }

    /// One result for each use, in order, and the uses as a person wants to see them.
    async fn results(
        &self,
        task: &RunTask<'_>,
        blocks: &[ChatBlock],
        is_cut: bool,
        turn: &mut Turn,
    ) -> Vec<ChatBlock> {
        let uses: Vec<(&String, &String, &String)> = blocks
            .iter()
            .filter_map(|block| match block {
                ChatBlock::ToolUse { id, name, input } => Some((id, name, input)),
                _ => None,
            })
            .collect();
        let mut results = Vec::with_capacity(uses.len());
        let mut room = self.result_bytes.saturating_mul(FULL_RESULTS);
        for (at, (id, name, input)) in uses.iter().enumerate() {
            let outcome = if is_cut && at + 1 == uses.len() {
                // Its input may be valid and still lack its end.
                tools::Outcome::bad(prompt::CUT_OFF)
            } else if at >= MAX_CALLS {
                tools::Outcome::bad(prompt::TOO_MANY)
            } else if !is_offered(task, name) {
                tools::Outcome::bad(format!("Refused: `{name}` is not offered here."))
            } else {
                // Whoever stops the run does not wait for the other calls.
                give_way().await;
                let context = tools::Context {
                    judge: task.judge,
                    executor: &self.executor,
                    limits: self.limits,
                    result_bytes: self.result_bytes.min(room.max(LEAST_RESULT_BYTES)),
                };
                tools::apply(&context, name, input)
            };
            room = room.saturating_sub(outcome.text.len());
            let tool = TurnTool::from_json(name.as_str(), input);
            turn.tools.push(if outcome.is_error {
                tool.failed()
            } else {
                tool
            });
            results.push(ChatBlock::ToolResult {
                id: (*id).clone(),
                text: outcome.text,
                is_error: outcome.is_error,
            });
        }
        results
    }
}

/// Lets whoever polls the run look at something else once.
async fn give_way() {
    let mut has_given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn is_offered(task: &RunTask<'_>, name: &str) -> bool {
    task.tools.is_empty() || task.tools.contains(&name)
}

fn has_text(blocks: &[ChatBlock]) -> bool {
    blocks.iter().any(|b| matches!(b, ChatBlock::Text(_)))
}

/// The blocks that may be given back, and what was said in them. A service refuses empty texts,
/// what is no block, and results that the model made up.
fn sayable(mut blocks: Vec<ChatBlock>) -> (Vec<ChatBlock>, String) {
    blocks.retain(|block| match block {
        ChatBlock::Text(text) => !text.trim().is_empty(),
        ChatBlock::ToolResult { .. } => false,
        ChatBlock::Raw(text) => matches!(serde_json::from_str(text), Ok(Value::Object(_))),
        ChatBlock::ToolUse { .. } => true,
    });
    let said: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            ChatBlock::Text(text) => Some(text.trim()),
            _ => None,
        })
        .collect();
    let said = said.join("\n\n");
    (blocks, said)
}

impl<C: Chat + Sync, E: Execute> Subagent for Runner<C, E> {
    type Error = C::Error;

    async fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, C::Error> {
        let run = RunTask::new(&task.prompt, &task.policy, &task.label).caps(task.caps);
        let mut has_looked = false;
        let mut end = self
            .run_with(&run, &mut |turn: &Turn| {
                has_looked |= turn.tools.iter().any(|tool| tool.succeeded);
                on_turn(turn);
            })
            .await?;
        // Who has looked at nothing cannot know that there is nothing to do.
        if end.reason == EndReason::Finished && !has_looked {
            end.reason = EndReason::Declined;
        }
        Ok(end)
    }
}
