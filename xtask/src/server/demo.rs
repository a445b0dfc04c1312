//! The model of `xtask serve`: enough of one to try an agent by hand. It saves what it is asked to
//! remember, picks memories that share words with a question, and says what it was sent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Action, Answer};

/// What the model does with a request.
pub(super) fn answer(request: &Value) -> Action {
    if request["output_config"].is_object() || request["output_format"].is_object() {
        return Action::text(json!({ "selected_memories": pick(request) }).to_string());
    }
    let all = request["messages"].as_array();
    let dream = all.and_then(|list| dream(list));
    if let Some(action) = dream {
        return action;
    }
    let last = all.and_then(|list| list.last());
    let texts = texts(last.map_or(&Value::Null, |last| &last["content"]));
    let is_said = |text: &&String| !text.starts_with("<system-reminder>");
    let said = texts.iter().rev().find(is_said);
    let said = said.map(String::as_str).unwrap_or_default();
    let is_result = last.is_some_and(|last| last["content"][0]["type"] == "tool_result");
    if is_result {
        return Action::text(format!("Done: {said}."));
    }
    if let Some(rest) = remembers(said)
        && let Some(directory) = directory(request)
    {
        return Action::Answer(save(rest, &directory));
    }
    // The first text is the context in front, with the whole index; what was recalled comes behind.
    let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let shown: Vec<&str> = texts
        .iter()
        .skip(1)
        .filter(|text| text.starts_with("<system-reminder>"))
        .filter_map(|text| {
            let mut words = text.split(|c| !is_name(c));
            words.find(|word| word.ends_with(".md"))
        })
        .collect();
    Action::text(match shown.as_slice() {
        [] => format!("You said: {said} No memory came with it."),
        files => format!("You said: {said} I was reminded of {}.", files.join(", ")),
    })
}

/// A consolidation, of the simplest kind: lines of the index whose file is not there are dropped.
fn dream(messages: &[Value]) -> Option<Action> {
    let task = texts(&messages.first()?["content"]).join("\n");
    let rest = task.strip_prefix("# Consolidate the memory")?;
    let directory = rest.split("The memory is in `").nth(1)?.split('`').next()?;
    let index = format!("{directory}/MEMORY.md");
    let call = |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    let calls = |blocks: Vec<Value>| {
        Some(Action::Answer(Answer {
            blocks,
            stop_reason: "tool_use",
        }))
    };
    let results = texts(&messages.last()?["content"]);
    match messages.len() {
        1 => calls(vec![
            call("toolu_ls", "LS", json!({ "path": directory })),
            call("toolu_read", "Read", json!({ "file_path": index })),
        ]),
        3 => {
            let there: BTreeSet<&str> = results.first()?.lines().map(str::trim).collect();
            // The tool answers with numbered lines.
            let lines = results
                .get(1)?
                .lines()
                .filter_map(|line| line.split_once('\t'));
            let lines: Vec<&str> = lines.map(|(_, line)| line).collect();
            let is_dead = |line: &&str| {
                let file = line
                    .split("](")
                    .nth(1)
                    .and_then(|rest| rest.split(')').next());
                file.is_some_and(|file| !file.contains('/') && !there.contains(file))
            };
            let kept: Vec<&str> = lines
                .iter()
                .filter(|line| !is_dead(line))
                .copied()
                .collect();
            if kept.len() == lines.len() {
                return Some(Action::text("Every line of the index points at a memory."));
            }
            let text = format!("{}\n", kept.join("\n"));
            let input = json!({ "file_path": index, "content": text });
            calls(vec![call("toolu_write", "Write", input)])
        }
        _ => Some(Action::text("Lines that pointed at nothing are gone.")),
    }
}

/// What follows "remember that", in any case.
fn remembers(said: &str) -> Option<&str> {
    let at = said.to_ascii_lowercase().find("remember")?;
    let rest = said.get(at + "remember".len()..)?;
    let rest = rest.trim_start_matches([':', ',', ' ']);
    let rest = rest.strip_prefix("that ").unwrap_or(rest);
    (rest.split_whitespace().count() >= 2 && !said.trim_end().ends_with('?')).then_some(rest)
}

/// The memory directory that the system prompt names.
fn directory(request: &Value) -> Option<String> {
    let system = texts(&request["system"]).join("\n");
    let has_tool = request["tools"]
        .as_array()
        .is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "Write"));
    let named = system
        .split('`')
        .find(|part| part.starts_with('/') && part.ends_with("/memory"));
    named.filter(|_| has_tool).map(str::to_owned)
}

/// A call that writes a memory of the person.
fn save(fact: &str, directory: &str) -> Answer {
    let fact = fact.trim().trim_end_matches('.');
    let words: Vec<String> = fact
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(5)
        .map(str::to_lowercase)
        .collect();
    let name = words.join(" ");
    let content = format!(
        "---\nname: {name}\ndescription: {}\ntype: user\n---\n\n{fact}.\n",
        json!(fact)
    );
    let path = format!("{directory}/user_{}.md", words.join("_"));
    let input = json!({ "file_path": path, "content": content });
    Answer::call("toolu_demo", "Write", input)
}

/// The files whose line in the list shares most words with the question, at most two.
pub(crate) fn pick(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().and_then(|list| list.last());
    let text = texts(messages.map_or(&Value::Null, |last| &last["content"])).concat();
    let (query, list) = text.split_once("\n\nMemories:\n").unwrap_or((&text, ""));
    let question = query.lines().last().unwrap_or_default().to_lowercase();
    let words: BTreeSet<&str> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 && word.is_ascii())
        .collect();
    // Two characters of Chinese in a row are as good as a word.
    let chars: Vec<char> = question.chars().collect();
    let pairs: BTreeSet<String> = chars
        .windows(2)
        .filter(|pair| pair.iter().all(|c| ('\u{4e00}'..='\u{9fff}').contains(c)))
        .map(|pair| pair.iter().collect())
        .collect();
    let mut scored: Vec<(usize, String)> = list
        .lines()
        .filter(|line| line.starts_with("- ["))
        .filter_map(|line| {
            let lower = line.to_lowercase();
            let words = words.iter().filter(|word| lower.contains(**word)).count();
            let pairs = pairs.iter().filter(|pair| lower.contains(pair.as_str()));
            let shared = words + pairs.count();
            let file = line.split("] ").nth(1)?.split(" (").next()?;
            (shared >= 2).then(|| (shared, file.to_owned()))
        })
        .collect();
    scored.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    scored.into_iter().take(2).map(|(_, file)| file).collect()
}

/// The texts of a content, results of tools too.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks
            .iter()
            .flat_map(|block| match block["text"].as_str() {
                Some(text) => vec![text.to_owned()],
                None => texts(&block["content"]),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::remembers;

    #[test]
    fn only_a_request_to_remember_is_one() {
        assert_eq!(
            remembers("Remember that I work in UTC+8"),
            Some("I work in UTC+8")
        );
        assert_eq!(
            remembers("Please remember: tabs, not spaces"),
            Some("tabs, not spaces")
        );
        assert_eq!(remembers("What do you remember of me?"), None);
        assert_eq!(remembers("I like tea"), None);
    }
}
