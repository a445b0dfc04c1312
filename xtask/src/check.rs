//! Looks at what is on disk with nothing but the standard library and a JSON reader: what the
//! crates wrote is judged by code that shares nothing with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The caps of an index, written down once more on purpose.
const LINES: usize = 200;
const BYTES: usize = 25_000;

/// What is wrong with a memory directory.
pub(crate) fn memory(dir: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let index = fs::read_to_string(dir.join("MEMORY.md")).unwrap_or_default();
    if index.lines().count() > LINES || index.len() > BYTES {
        wrong.push("the index is over its caps".to_owned());
    }
    let listed: Vec<String> = index.lines().filter_map(linked).collect();
    let names: BTreeSet<&String> = listed.iter().collect();
    if names.len() != listed.len() {
        wrong.push("a memory is listed twice".to_owned());
    }
    for name in &names {
        if !dir.join(name).is_file() {
            wrong.push(format!("{name} is listed and not there"));
        }
    }
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tmp") || name.ends_with(".journal") {
            wrong.push(format!("{name} was left behind"));
        }
        if !name.ends_with(".md") || name == "MEMORY.md" || name.starts_with('.') {
            continue;
        }
        if !names.contains(&name) {
            wrong.push(format!("{name} is not listed"));
        }
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let mut lines = text.lines();
        let opened = lines.next() == Some("---");
        let head: Vec<&str> = lines.by_ref().take_while(|line| *line != "---").collect();
        let has = |key: &str| head.iter().any(|line| line.trim_start().starts_with(key));
        if !opened || !has("description:") || !has("type:") {
            wrong.push(format!("{name} is torn"));
        }
    }
    wrong
}

/// The file of an index line: `- [title](file) — hook`.
fn linked(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (_, rest) = rest.split_once("](")?;
    Some(rest.split_once(')')?.0.to_owned())
}

/// The bytes of all memories and the index, by name: to compare two instants.
pub(crate) fn contents(dir: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name.ends_with(".md") && !name.starts_with('.'))
                .then(|| fs::read(entry.path()).ok().map(|bytes| (name, bytes)))
                .flatten()
        })
        .collect()
}

/// Every file below a folder but those of git, with its bytes.
pub(crate) fn tree(dir: &Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(entry.path());
            } else if kind.is_file()
                && let Ok(bytes) = fs::read(entry.path())
            {
                all.insert(entry.path(), bytes);
            }
        }
    }
    all
}

/// A copy of a folder and everything in it.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for (path, bytes) in tree(from) {
        let Ok(below) = path.strip_prefix(from) else {
            continue;
        };
        let path = to.join(below);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// What is wrong with a transcript: a line that is no JSON, but for one at the very end that a
/// crash cut.
pub(crate) fn transcript(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut wrong = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let is_last = at + 1 == lines.len();
        if serde_json::from_str::<Value>(line).is_err() && !is_last {
            wrong.push(format!("line {} of the transcript is no JSON", at + 1));
        }
    }
    wrong
}

/// What the API would say to these messages, and one more of the person, which is what the server
/// says.
pub(crate) fn messages(list: &[Value]) -> Vec<String> {
    let mut list = list.to_vec();
    if list.is_empty() {
        return Vec::new();
    }
    if list.last().is_some_and(|last| last["role"] == "assistant") {
        list.push(serde_json::json!({ "role": "user", "content": "Go on." }));
    }
    let body = serde_json::json!({
        "model": "m", "max_tokens": 1, "messages": list,
        "tools": [
            { "name": "Read", "input_schema": { "type": "object" } },
            { "name": "Edit", "input_schema": { "type": "object" } },
            { "name": "Write", "input_schema": { "type": "object" } },
        ],
    });
    match crate::server::judge(&body) {
        Some(refused) => vec![refused],
        None => Vec::new(),
    }
}

/// How the requests of forks relate to those of their conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Forks {
    /// They begin with its bytes.
    pub(crate) same: usize,
    /// The service had called a first try too long; they begin with tools and system prompt alone.
    pub(crate) trimmed: usize,
    /// A part is to be summarized, which a mark in the conversation shows: they begin with what
    /// stands before it.
    pub(crate) parts: usize,
    /// Anything else.
    pub(crate) other: usize,
}

/// Compares each request that takes notes, summarizes or dreams with the turns before it.
pub(crate) fn forks(seen: &[crate::server::Seen]) -> Forks {
    let mut forks = Forks::default();
    let mut turns: Vec<Value> = Vec::new();
    let mut was_too_long = false;
    for request in seen {
        let body = bare(&request.body);
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let last = messages.last().map(Value::to_string).unwrap_or_default();
        let is_fork = last.contains("<current-notes>") || last.contains("<summary>");
        if !is_fork {
            if body["tools"].is_array() {
                turns.push(body);
            }
            continue;
        }
        let is_same = turns.iter().rev().take(200).any(|turn| {
            let its = turn["messages"].as_array().cloned().unwrap_or_default();
            let shared = its
                .iter()
                .zip(&messages)
                .take_while(|(a, b)| a == b)
                .count();
            turn["tools"] == body["tools"]
                && turn["system"] == body["system"]
                // All but its own prompt is the turn's; or the turn, its answer, and the prompt.
                && (shared + 1 >= messages.len()
                    || (shared == its.len() && messages.len() <= its.len() + 2))
        });
        let mark = messages.iter().position(|message| {
            let text = message.to_string();
            text.contains("begins here]") && !text.contains("<summary>")
        });
        let is_part = mark.is_some_and(|mark| {
            turns.iter().rev().any(|turn| {
                let its = turn["messages"].as_array().cloned().unwrap_or_default();
                let shared = its
                    .iter()
                    .zip(&messages)
                    .take_while(|(a, b)| a == b)
                    .count();
                mark > 1 && shared >= mark && turn["system"] == body["system"]
            })
        });
        match (is_same, is_part, was_too_long) {
            (true, ..) => forks.same += 1,
            (_, true, _) => forks.parts += 1,
            (.., true) => forks.trimmed += 1,
            _ => forks.other += 1,
        }
        was_too_long = request
            .refused
            .as_ref()
            .is_some_and(|why| why.starts_with("prompt is too long"));
    }
    forks
}

/// A body without the marks of the cache, which move, and with each content as a list of blocks,
/// as the service sees it.
fn bare(body: &Value) -> Value {
    match body {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| *key != "cache_control")
            .map(|(key, value)| match value {
                Value::String(text) if key == "content" => {
                    let block = serde_json::json!([{ "type": "text", "text": text }]);
                    (key.clone(), block)
                }
                value => (key.clone(), bare(value)),
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(list) => list.iter().map(bare).collect(),
        other => other.clone(),
    }
}
