//! What a session brings in later, and what it remembers: the kinds `nested` and `memo`.

use std::path::PathBuf;

use claudemd::{Date, Operation};
use serde_json::{Value, json};

use super::{Scene, globs, imports};
use crate::conform::compare::{Comparison, Deviation};
use crate::conform::tree::Unsupported;

pub(super) fn nested(
    scene: &Scene,
    setup: &Value,
    observed: &Value,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let calls = setup["tool_calls"].as_array().cloned().unwrap_or_default();
    if calls.is_empty() {
        return Err("no tool_calls".into());
    }
    let mut session = scene.session();
    let paths = |value: &Value| -> Vec<String> {
        let list = value.as_array().cloned().unwrap_or_default();
        list.iter()
            .filter_map(|path| path.as_str().map(str::to_owned))
            .collect()
    };
    let startup = paths(&observed["startup"]);
    let started: Vec<String> = scene
        .own(session.files())
        .iter()
        .map(|file| scene.shown(&file.path))
        .collect();
    let conditional = conditional_imports(scene, setup);
    let drop = |list: &[String]| -> Vec<String> {
        let dropped = |path: &String| conditional.iter().any(|(_, import)| import == path);
        list.iter().filter(|path| !dropped(path)).cloned().collect()
    };
    let rule = |value: Vec<String>| -> Deviation {
        (!conditional.is_empty()).then(|| ("conditional-import", Value::from(value)))
    };
    comparison.deviating(
        "startup",
        &Value::from(startup.clone()),
        started,
        rule(drop(&startup)),
    );

    let steps = observed["injected_after_each_step"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let steps: Vec<Vec<String>> = steps.iter().map(paths).collect();
    let mut got: Vec<Vec<String>> = Vec::new();
    for call in &calls {
        let brought = match touched(scene, call) {
            Some((path, operation)) => session.for_path(&path, operation),
            None => Vec::new(),
        };
        got.push(
            scene
                .own(&brought)
                .iter()
                .map(|file| scene.shown(&file.path))
                .collect(),
        );
    }
    if steps.iter().all(Vec::is_empty) && unexplained(scene, &calls) {
        return Err("the state of an earlier process, which the setup lacks".into());
    }
    if calls.len() > steps.len() {
        got = vec![got.concat()];
    }
    // An import of a conditional rule is delivered right behind it.
    let with_imports = steps.iter().map(|list| {
        let mut out = Vec::new();
        for path in list {
            out.push(path.clone());
            let own = conditional.iter().filter(|(rule, _)| rule == path);
            out.extend(own.map(|(_, import)| import.clone()));
        }
        out
    });
    let deviating: Vec<Vec<String>> = with_imports.collect();
    let rule: Deviation =
        (!conditional.is_empty()).then(|| ("conditional-import", json!(deviating)));
    comparison.deviating("injected_after_each_step", &json!(steps), json!(got), rule);
    Ok(())
}

/// The file that a tool call reads or writes, if the call is one that the crate is told of.
fn touched(scene: &Scene, call: &Value) -> Option<(PathBuf, Operation)> {
    let tool = call.get(0)?.as_str()?;
    let input = call.get(1)?;
    let path = input
        .get("file_path")
        .or_else(|| input.get("notebook_path"))?
        .as_str()?;
    let path = PathBuf::from(scene.root.expand(path));
    match tool {
        "Read" if path.is_file() => Some((path, Operation::Read)),
        "Write" | "Edit" | "NotebookEdit" => Some((path, Operation::Write)),
        _ => None,
    }
}

/// Was an existing file read below the working directory, past an instruction file of its own?
fn unexplained(scene: &Scene, calls: &[Value]) -> bool {
    calls.iter().any(|call| {
        let Some((path, Operation::Read)) = touched(scene, call) else {
            return false;
        };
        let folders = path.ancestors().skip(1);
        let mut below =
            folders.take_while(|dir| dir.starts_with(&scene.cwd) && **dir != *scene.cwd);
        below.any(|dir| dir.join("CLAUDE.md").is_file())
    })
}

/// Pairs of a conditional rule and a file that only it imports, as shown.
fn conditional_imports(scene: &Scene, setup: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for name in setup["files"]
        .as_object()
        .into_iter()
        .flat_map(|files| files.keys())
    {
        let path = scene.root.path_of(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !name.contains("rules/") || globs::Header::read(&text).is_none() {
            continue;
        }
        for (token, _) in imports::tokens(&text) {
            let target = imports::resolve(&token, &path, &scene.root.home());
            if target.is_file() {
                found.push((scene.shown(&path), scene.shown(&target)));
            }
        }
    }
    found
}

pub(super) fn memo(
    scene: &Scene,
    setup: &Value,
    observed: &Value,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    const INDEX: &str = "MEMORY.md";
    let (key, seen) = observed
        .as_object()
        .and_then(|map| map.iter().next())
        .ok_or("no answer")?;
    let names = key
        .split_once('[')
        .and_then(|(_, rest)| rest.strip_suffix(']'));
    let names: Vec<&str> = names
        .ok_or("no file names")?
        .split(',')
        .map(str::trim)
        .collect();
    // Both memo objects live for the whole case: the session, and the loaded index.
    let session = scene.session();
    let env = memdir_paths::Env::default().home(scene.root.home());
    let settings = memdir_paths::Settings::default();
    let found = memdir_paths::resolve(&env, &settings, &scene.cwd).map_err(|e| e.to_string())?;
    let dir = found.dir.ok_or("no memory directory")?;
    std::fs::create_dir_all(dir.path())?;
    let before = setup["files"]["MEMORY.md in the memory folder"]
        .as_str()
        .unwrap_or_default();
    std::fs::write(dir.entrypoint(), before)?;
    let index = memdir_index::load_memory_prompt(Some(&dir), &Default::default());
    let mut written: Vec<(String, String)> = Vec::new();
    let mut turns = Vec::new();
    for step in setup["steps"].as_array().ok_or("no steps")? {
        let step = step.as_str().ok_or("a step is not a string")?;
        if let Some((file, text)) = step.split_once(" := ") {
            let path = if file == INDEX {
                dir.entrypoint()
            } else {
                scene.root.path_of(file)
            };
            std::fs::write(path, text)?;
            written.push((file.to_owned(), text.to_owned()));
        } else if step.starts_with("turn ") {
            let context = session.user_context(Date::new(2026, 6, 1).ok_or("no date")?);
            let mut shown = context.to_message_text();
            for context in index.iter().flat_map(|prompt| &prompt.indexes) {
                shown.push_str(&context.text);
            }
            let visible = names.iter().map(|name| {
                let mut new = written.iter().rev().filter(|(file, _)| file == name);
                new.next()
                    .is_some_and(|(_, text)| shown.contains(text.as_str()))
            });
            turns.push(Value::from(visible.collect::<Vec<_>>()));
        } else {
            return Err(format!("step {step}").into());
        }
    }
    comparison.field(key, seen, turns);
    Ok(())
}
