//! The tools: each judged first, then done as the verdict says, with an answer of bounded size.

mod edit;
mod grep;
mod input;
mod lines;
mod list;
mod read;
mod shell;
mod walk;
mod write;

use serde_json::{Map, Value};

use super::execute::{Execute, ExecuteLimits};
use super::judge::Judge;
use crate::{Allowed, ToolUse, Verdict};

/// What a use of a tool needs to know.
pub(super) struct Context<'a> {
    pub(super) judge: &'a dyn Judge,
    pub(super) executor: &'a dyn Execute,
    pub(super) limits: ExecuteLimits,
    /// The most bytes of an answer.
    pub(super) result_bytes: usize,
}

/// What a tool answers.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Outcome {
    fn good(text: impl Into<String>) -> Outcome {
        Outcome {
            text: text.into(),
            is_error: false,
        }
    }

    pub(super) fn bad(text: impl Into<String>) -> Outcome {
        Outcome {
            text: text.into(),
            is_error: true,
        }
    }
}

/// Judges and does one use of a tool. Always answers.
pub(super) fn apply(context: &Context<'_>, name: &str, input: &str) -> Outcome {
    let tool = match ToolUse::from_json(name, input) {
        Ok(tool) => tool,
        Err(refusal) => return Outcome::bad(format!("Refused: {refusal}")),
    };
    let allowed = match context.judge.judge(&tool) {
        Verdict::Allow(allowed) => allowed,
        Verdict::Refuse(refusal) => return Outcome::bad(format!("Refused: {refusal}")),
    };
    let fields = match serde_json::from_str(input) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let done = match (name, allowed) {
        ("Read", Allowed::Read(path)) => read::read(context, &path, &fields),
        ("Grep", Allowed::Read(path)) => grep::grep(context, &path, &fields),
        ("Glob", Allowed::Read(path)) => list::glob(context, &path, &fields),
        ("LS", Allowed::Read(path)) => list::folder(context, &path),
        ("Edit" | "MultiEdit", Allowed::Write(path)) => {
            edit::edit(context, &path, name, input, &fields)
        }
        ("Write", Allowed::Write(path)) => write::write(context, &path, input, &fields),
        ("Bash", Allowed::Run(script)) => Ok(shell::run(context, &script)),
        // A judge that allows something else than it was asked.
        _ => Err("Refused: this tool does nothing here".to_owned()),
    };
    let mut outcome = match done {
        Ok(outcome) => outcome,
        Err(why) => Outcome::bad(why),
    };
    bound(&mut outcome.text, context.result_bytes);
    outcome
}

/// At most so many bytes, with a word about the rest.
fn bound(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let all = text.len();
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&format!("\n[cut off: {end} of {all} bytes; ask for less]"));
}

/// A path on one line, whatever its name holds.
fn shown(path: &std::path::Path) -> String {
    let text = path.to_string_lossy();
    if text.contains(char::is_control) {
        text.escape_debug().to_string()
    } else {
        text.into_owned()
    }
}
