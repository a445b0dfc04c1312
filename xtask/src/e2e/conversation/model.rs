//! The scripted model of the long session: reads the file that it is asked about, says what it holds,
//! writes a summary when it is asked for one, and takes notes, beyond what it may.

use std::path::Path;

use serde_json::{Value, json};

use crate::server::{Action, Answer};

/// The line below a heading of the template, where the scripted model writes.
const BELOW: &str = "# Current State\n";

/// The scripted model: reads the file that it is asked about, then says what it holds; writes a
/// summary when it is asked for one.
pub(super) fn answer(request: &Value, shop: &Path) -> Action {
    let last = request["messages"].as_array().and_then(|list| list.last());
    let blocks = last.and_then(|last| last["content"].as_array());
    let Some(block) = blocks.and_then(|blocks| blocks.last()) else {
        return Action::text("What is it about?");
    };
    if block["type"] == "tool_result" {
        return Action::text("It holds one constant, written sixty times.");
    }
    let text = block["text"].as_str().unwrap_or_default();
    if let Some(notes) = take_notes(text) {
        return notes;
    }
    if text.contains("<summary>") {
        let summary = "1. Primary request and intent:\n   Read the shop's files.\n\
                       3. Files and code sections:\n   the flag stands in file 7.";
        let answer =
            format!("<analysis>\nTwelve files.\n</analysis>\n\n<summary>\n{summary}\n</summary>");
        return Action::text(answer);
    }
    let turn = text.split([' ', ':']).nth(1).unwrap_or_default();
    let named = text
        .split_whitespace()
        .find(|word| Path::new(word).starts_with(shop));
    match named {
        Some(path) => Action::Answer(Answer::call(
            &format!("call_{turn}"),
            "Read",
            json!({ "file_path": path }),
        )),
        None => Action::text("Which file?"),
    }
}

/// What the scripted model answers to the task: one good edit, and three that it may not do.
fn take_notes(task: &str) -> Option<Action> {
    let current = task.split("<current-notes>").nth(1)?;
    let path = task.split("The notes are in ").nth(1)?.split(',').next()?;
    let below = current.split(BELOW).nth(1)?.lines().next()?;
    let edit = |id: u32, file: &str, new: &str| {
        let input = json!({ "file_path": file, "old_string": below, "new_string": new });
        json!({ "type": "tool_use", "id": format!("note_{id}"), "name": "Edit", "input": input })
    };
    let line = format!("{below}\nFile 7 holds the flag that breaks the build.");
    let token = format!("{below}\nghp_{}", "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk0LmNbVc");
    let blocks: Vec<Value> = vec![
        json!({ "type": "tool_use", "id": "note_0", "name": "Read", "input": { "file_path": path } }),
        edit(1, "/etc/hosts", &line),
        edit(2, path, &token),
        edit(3, path, &line),
    ];
    Some(Action::Answer(Answer {
        blocks,
        stop_reason: "tool_use",
    }))
}
