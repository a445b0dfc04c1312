//! The model of the fortnight: scripted, but it sees only what a request holds. What it was not
//! sent it cannot say, so what it still knows after a compaction says what survived.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::Result;
use crate::agent::MODEL;
use crate::server::{Action, Answer, Server, pick};

/// How lines of a conversation begin that a model takes over into notes and summaries.
pub(crate) const DECISION: &str = "DECISION:";

/// The line below a heading of the notes, where the model writes.
const BELOW: &str = "# Current State\n";

/// What the model says next in a turn.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Say(String),
    /// Tools and their inputs, in one answer.
    Call(Vec<(&'static str, Value)>),
    /// Lists the decisions that stand in what it was sent.
    Recite,
    /// Something that goes wrong in the service.
    Fault(Action),
}

impl Step {
    pub(crate) fn say(text: &str) -> Step {
        Step::Say(text.to_owned())
    }

    pub(crate) fn read(path: &std::path::Path) -> Step {
        Step::Call(vec![("Read", json!({ "file_path": path }))])
    }

    pub(crate) fn write(path: &std::path::Path, content: &str) -> Step {
        let input = json!({ "file_path": path, "content": content });
        Step::Call(vec![("Write", input)])
    }
}

/// Answers the requests of a dream, which works in this directory.
type Dreamer = Box<dyn FnMut(&Value, &str) -> Action + Send>;

#[derive(Default)]
struct Plan {
    steps: VecDeque<Step>,
    calls: u64,
    /// What requests for a summary meet before they are answered.
    summaries: VecDeque<Action>,
    /// What the model that picks memories meets.
    picks: VecDeque<Action>,
    dream: Option<Dreamer>,
}

/// The plan of the model, shared with the server.
#[derive(Clone, Default)]
pub(crate) struct Brain(Arc<Mutex<Plan>>);

impl Brain {
    pub(crate) fn on(server: &Server) -> Brain {
        let brain = Brain::default();
        let thinking = brain.clone();
        server.script(move |request| Some(thinking.answer(request)));
        brain
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the model says in the next turn, and last this text.
    pub(crate) fn will(&self, steps: impl IntoIterator<Item = Step>) {
        self.plan().steps.extend(steps);
    }

    pub(crate) fn when_asked_for_a_summary(&self, actions: impl IntoIterator<Item = Action>) {
        self.plan().summaries.extend(actions);
    }

    pub(crate) fn when_asked_to_pick(&self, actions: impl IntoIterator<Item = Action>) {
        self.plan().picks.extend(actions);
    }

    /// How dreams go from now on; until then there is nothing to do.
    pub(crate) fn will_dream(&self, dreamer: impl FnMut(&Value, &str) -> Action + Send + 'static) {
        self.plan().dream = Some(Box::new(dreamer));
    }

    /// Dreams find nothing to do again.
    pub(crate) fn will_dream_of_nothing(&self) {
        self.plan().dream = None;
    }

    /// Drops what was planned: whoever was to ask has died.
    pub(crate) fn forget(&self) {
        self.plan().steps.clear();
    }

    /// Steps that were not taken.
    pub(crate) fn left(&self) -> usize {
        self.plan().steps.len()
    }

    fn answer(&self, request: &Value) -> Action {
        let mut plan = self.plan();
        let last = last_text(request);
        if request["model"] != MODEL {
            return match plan.picks.pop_front() {
                Some(action) => action,
                None => Action::text(json!({ "selected_memories": pick(request) }).to_string()),
            };
        }
        if let Some(action) = notes(request, &last) {
            return action;
        }
        if last.contains("<summary>") {
            return match plan.summaries.pop_front() {
                Some(action) => action,
                None => Action::text(summary(request)),
            };
        }
        if let Some(directory) = dreams_in(request) {
            return match &mut plan.dream {
                Some(dreamer) => dreamer(request, &directory),
                None => looks_around(request, &directory),
            };
        }
        let step = plan.steps.pop_front();
        match step {
            Some(Step::Say(text)) => Action::text(text),
            Some(Step::Recite) => Action::text(recited(request)),
            Some(Step::Fault(action)) => action,
            Some(Step::Call(calls)) => {
                let blocks = calls.into_iter().map(|(name, input)| {
                    plan.calls += 1;
                    json!({
                        "type": "tool_use", "id": format!("toolu_{}", plan.calls),
                        "name": name, "input": input,
                    })
                });
                Action::Answer(Answer {
                    blocks: blocks.collect(),
                    stop_reason: "tool_use",
                })
            }
            None => Action::text("Done."),
        }
    }
}

/// The last text block of the last message.
fn last_text(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|list| list.last());
    let content = last.map_or(&Value::Null, |last| &last["content"]);
    let block = content.as_array().and_then(|blocks| blocks.last());
    let text = block.and_then(|block| block["text"].as_str());
    text.or_else(|| content.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// A dream that finds nothing to do: it looks, and says so.
fn looks_around(request: &Value, directory: &str) -> Action {
    if dream_answers(request) > 0 {
        return Action::text("All is in order already.");
    }
    let input = json!({ "file_path": format!("{directory}/MEMORY.md") });
    Action::Answer(Answer::call("dream_0", "Read", input))
}

/// How far a dream is: the answers that it has given.
pub(crate) fn dream_answers(request: &Value) -> usize {
    let messages = request["messages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let from = messages
        .iter()
        .rposition(|message| message.to_string().contains("# Consolidate the memory"));
    let behind = &messages[from.unwrap_or(0)..];
    let answers = behind
        .iter()
        .filter(|message| message["role"] == "assistant");
    answers.count()
}

/// The directory of the dream that a request belongs to, if it is one.
fn dreams_in(request: &Value) -> Option<String> {
    let texts = texts(request);
    let task = texts
        .iter()
        .rev()
        .find(|text| text.starts_with("# Consolidate the memory"))?;
    let after = task.split("The memory is in `").nth(1)?;
    after.split('`').next().map(str::to_owned)
}

/// Every text of the messages, results of tools too.
fn texts(request: &Value) -> Vec<String> {
    fn collect(content: &Value, into: &mut Vec<String>) {
        match content {
            Value::String(text) => into.push(text.clone()),
            Value::Array(blocks) => {
                for block in blocks {
                    match block["text"].as_str() {
                        Some(text) => into.push(text.to_owned()),
                        None => collect(&block["content"], into),
                    }
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        collect(&message["content"], &mut all);
    }
    all
}

/// The decisions of a conversation, each once, in order.
fn decisions(request: &Value) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let texts = texts(request);
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .filter_map(|line| line.find(DECISION).map(|at| line[at..].trim().to_owned()))
        .filter(|line| seen.insert(line.clone()))
        .collect()
}

fn recited(request: &Value) -> String {
    let all = decisions(request);
    format!("{} decisions:\n{}", all.len(), all.join("\n"))
}

fn summary(request: &Value) -> String {
    let facts = decisions(request).join("\n   ");
    format!(
        "<analysis>\nA long session about the shop.\n</analysis>\n\n<summary>\n\
         1. Primary request and intent:\n   Work on the shop, file by file.\n\
         5. Problem solving:\n   {facts}\n\
         7. Pending tasks:\n   None.\n</summary>"
    )
}

/// One edit of the notes, with the decisions that do not stand there yet; and a read that the
/// guard refuses, because a fork may do nothing but edit its file.
fn notes(request: &Value, last: &str) -> Option<Action> {
    let current = last.split("<current-notes>").nth(1)?;
    let path = last.split("The notes are in ").nth(1)?.split(',').next()?;
    let below = current.split(BELOW).nth(1)?.lines().next()?;
    let new: Vec<String> = decisions(request)
        .into_iter()
        .filter(|line| !current.contains(line.as_str()))
        .collect();
    let text = format!("{below}\n{}", new.join("\n"));
    let input = json!({ "file_path": path, "old_string": below, "new_string": text });
    let call = |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    Some(Action::Answer(Answer {
        blocks: vec![
            call("note_0", "Read", json!({ "file_path": path })),
            call("note_1", "Edit", input),
        ],
        stop_reason: "tool_use",
    }))
}

/// A server with a window, and its model.
pub(crate) fn start(window: u64) -> Result<(Server, Brain)> {
    let server = Server::start()?;
    server.window(window);
    let brain = Brain::on(&server);
    Ok((server, brain))
}
