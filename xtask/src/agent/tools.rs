//! The tools of the small agent: files of the project, and memories, which pass the write gate and
//! come into the index with the file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_index::{ENTRYPOINT, Fingerprint, Shrink, Store, StoreOptions, local_date_time};
use memdir_paths::MemoryDir;
use memdir_types::{Audience, Memory, Scope, gate, gate_text};
use serde_json::{Value, json};

/// The most of a file that a tool returns, in bytes.
const MAX_BYTES: usize = 60_000;

pub(super) fn definitions() -> Vec<Value> {
    let text = json!({ "type": "string" });
    let tool = |name: &str, what: &str, fields: &[&str]| {
        let properties: serde_json::Map<String, Value> = fields
            .iter()
            .map(|field| ((*field).to_owned(), text.clone()))
            .collect();
        json!({
            "name": name, "description": what,
            "input_schema": { "type": "object", "properties": properties, "required": fields },
        })
    };
    vec![
        tool("Read", "Reads a file.", &["file_path"]),
        tool(
            "Edit",
            "Replaces a text that occurs once in a file.",
            &["file_path", "old_string", "new_string"],
        ),
        tool("Write", "Writes a whole file.", &["file_path", "content"]),
    ]
}

/// What a tool did.
pub(super) struct Done {
    pub(super) text: String,
    pub(super) is_error: bool,
    /// The file that it was about, and whether it was written.
    pub(super) touched: Option<(PathBuf, Touch)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    Read,
    Wrote,
}

pub(super) struct Tools {
    pub(super) cwd: PathBuf,
    pub(super) memory: Option<MemoryDir>,
    pub(super) team: Option<MemoryDir>,
}

impl Tools {
    pub(super) fn run(&self, name: &str, input: &Value, now: SystemTime) -> Done {
        let of = |key: &str| input[key].as_str();
        let Some(path) = of("file_path").map(|path| self.cwd.join(path)) else {
            return fail("`file_path` is missing");
        };
        let done = match (name, of("content"), of("old_string"), of("new_string")) {
            ("Read", ..) => return self.read(&path),
            ("Write", Some(content), ..) => self.write(&path, content, now),
            ("Edit", _, Some(old), Some(new)) => self.edit(&path, old, new, now),
            _ => Err(format!("there is no tool `{name}` with this input")),
        };
        match done {
            Ok(text) => Done {
                text,
                is_error: false,
                touched: Some((path, Touch::Wrote)),
            },
            Err(why) => fail(&why),
        }
    }

    fn read(&self, path: &Path) -> Done {
        match std::fs::read(path) {
            Ok(bytes) => Done {
                text: String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_BYTES)]).into_owned(),
                is_error: false,
                touched: Some((path.to_owned(), Touch::Read)),
            },
            Err(error) => fail(&error.to_string()),
        }
    }

    fn edit(&self, path: &Path, old: &str, new: &str, now: SystemTime) -> Result<String, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        match text.matches(old).count() {
            1 => self.write(path, &text.replacen(old, new, 1), now),
            count => Err(format!("the text occurs {count} times, expected once")),
        }
    }

    fn write(&self, path: &Path, content: &str, now: SystemTime) -> Result<String, String> {
        let stores = [(&self.team, Scope::Team), (&self.memory, Scope::Private)];
        for (dir, scope) in stores {
            let below = dir.as_ref().and_then(|dir| {
                let below = path.strip_prefix(dir.path()).ok()?.to_str()?;
                Some((dir, below))
            });
            if let Some((dir, below)) = below {
                return remember(dir, scope, below, content, now);
            }
        }
        if !path.starts_with(&self.cwd) {
            return Err("only files of the project and memories are written".to_owned());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        std::fs::write(path, content).map_err(|error| error.to_string())?;
        Ok("written".to_owned())
    }
}

fn fail(why: &str) -> Done {
    Done {
        text: why.to_owned(),
        is_error: true,
        touched: None,
    }
}

/// A write below the memory directory: a memory, the index, or a line of the day's log.
fn remember(
    dir: &MemoryDir,
    scope: Scope,
    below: &str,
    content: &str,
    now: SystemTime,
) -> Result<String, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let options = StoreOptions::default().scope(scope);
    let store = Store::open_with(dir.path(), options).map_err(|e| told(&e))?;
    let audience = match scope {
        Scope::Team => Audience::Team,
        Scope::Private => Audience::Private,
    };
    let (date, time) = local_date_time(now, 0);
    if dir.daily_log(date) == dir.path().join(below) {
        let line = content.trim_end().lines().last().unwrap_or_default();
        let line = line.strip_prefix("- ").unwrap_or(line);
        // The time stands in front of a line already, if the model kept the form.
        let line = line
            .split_once(' ')
            .filter(|(clock, _)| clock.len() == 5 && clock.contains(':'))
            .map_or(line, |(_, rest)| rest);
        let cleared = gate_text(line, audience).map_err(|e| told(&e))?;
        store
            .append_log(date, time, cleared)
            .map_err(|e| told(&e))?;
        return Ok("logged".to_owned());
    }
    if below == ENTRYPOINT {
        let cleared = gate_text(content, audience).map_err(|e| told(&e))?;
        let written = store
            .replace_index(cleared, None, Shrink::Refuse)
            .map_err(|e| told(&e))?;
        let near = written.budget.map(|budget| format!("; {budget:?}"));
        return Ok(format!("index written{}", near.unwrap_or_default()));
    }
    let memory = Memory::parse(content);
    let cleared = gate(&memory, audience).map_err(|e| told(&e))?;
    // What a private memory may hold is still said to whoever wrote it.
    let findings = cleared.findings().iter();
    let warning: String = findings.map(|it| format!("; mind the {it}")).collect();
    let expected: Option<Fingerprint> = None;
    let saved = store
        .save_as(below, cleared, expected)
        .map_err(|e| told(&e))?;
    Ok(format!("saved as {}{warning}", saved.file))
}
