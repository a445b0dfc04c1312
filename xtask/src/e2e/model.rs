//! What the small model of the recall chapter says.

use serde_json::{Value, json};

use crate::Result;
use crate::server::{Action, Server};

/// A server whose model names, of these files, the first whose line in the list shares a word
/// with the query.
pub(super) fn that_picks_from(files: Vec<String>) -> Result<Server> {
    let server = Server::start()?;
    server.script(move |request| {
        let picks = json!({ "selected_memories": choose(request, &files) });
        Some(Action::text(picks.to_string()))
    });
    Ok(server)
}

/// A server that takes a request and never answers.
pub(super) fn that_hangs() -> Result<Server> {
    let server = Server::start()?;
    server.script(|_| Some(Action::Hang));
    Ok(server)
}

/// Of the files that the model knows, those whose line of the list says what the query says.
fn choose(request: &Value, files: &[String]) -> Vec<String> {
    let content = &request["messages"][0]["content"];
    let text = content
        .as_str()
        .or_else(|| content[0]["text"].as_str())
        .unwrap_or_default();
    let (query, list) = text.split_once("\n\nMemories:\n").unwrap_or((text, ""));
    let words: Vec<&str> = query
        .lines()
        .last()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 4 || !word.is_ascii())
        .collect();
    let shares = |line: &str| {
        words.iter().any(|word| {
            line.contains(word)
                || (!word.is_ascii() && word.contains("上海") && line.contains("上海"))
        })
    };
    let named = list.lines().filter(|line| shares(line));
    let known = named.filter_map(|line| files.iter().find(|file| line.contains(file.as_str())));
    known.take(1).cloned().collect()
}
