//! `xtask show`: what the crates see in a real project and home. It reads and never writes.

mod conversation;
mod gates;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use claudemd::{Operation, Roots, Session};
use memdir_index::{Access, LoadOptions, Measure, Store, StoreOptions, load_memory_prompt};
use memdir_paths::{Env, MemoryDir, Resolution, Settings, SettingsOptions, TeamLayout};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::text::{COLUMNS, counted, fit, pad, wrap};
use crate::{Result, tell};

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let request = Request::parse(args)?;
    let shown = match request.what.as_str() {
        "paths" => paths(&request)?,
        "index" => index(&request)?,
        "memories" => memories(&request)?,
        "prompt" => prompt(&request)?,
        "claudemd" => instructions(&request)?,
        "recall" => recall(&request)?,
        "gates" => gates::gates(&request)?,
        "window" => conversation::window(&request)?,
        "compact" => conversation::compact(&request)?,
        other => {
            let known = "paths | index | memories | prompt | claudemd [FILE] | recall QUERY | \
                         gates | window FILE | compact FILE";
            return Err(format!("show knows {known}, not `{other}`").into());
        }
    };
    if request.json {
        say!("{}", serde_json::to_string_pretty(&shown.value)?);
    } else {
        tell(&shown.text);
    }
    Ok(if shown.sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

struct Request {
    what: String,
    /// A file, or words, that are asked about.
    about: Option<String>,
    cwd: PathBuf,
    env: Env,
    json: bool,
    /// The context window, in tokens.
    window: Option<u64>,
}

/// What is printed, in both forms, and whether all is well.
struct Shown {
    text: String,
    value: Value,
    sound: bool,
}

impl Request {
    fn parse(args: &[String]) -> Result<Request> {
        let mut what = None;
        let (mut about, mut cwd, mut home, mut json) = (None, None, None, false);
        let mut window = None;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next()
                    .map(PathBuf::from)
                    .ok_or(format!("{arg} needs a value"))
            };
            match arg.as_str() {
                "--cwd" => cwd = Some(value()?),
                "--home" => home = Some(value()?),
                "--json" => json = true,
                "--window" => window = Some(value()?.to_string_lossy().parse()?),
                flag if flag.starts_with("--") => return Err(format!("no option `{flag}`").into()),
                word if what.is_none() => what = Some(word.to_owned()),
                word if about.is_none()
                    && matches!(
                        what.as_deref(),
                        Some("claudemd" | "recall" | "window" | "compact")
                    ) =>
                {
                    about = Some(word.to_owned());
                }
                word => return Err(format!("one thing at a time, got `{word}` too").into()),
            }
        }
        let here = std::env::current_dir()?;
        let env = match home {
            // Another home is another person: nothing of this process's environment is theirs.
            Some(home) => {
                let home = here.join(home).into_os_string();
                Env::from_lookup(|name| (name == "HOME").then(|| home.clone()))
            }
            None => Env::from_process(),
        };
        Ok(Request {
            what: what.ok_or(
                "show needs one of paths, index, memories, prompt, claudemd, recall, gates, window, compact",
            )?,
            about,
            cwd: here.join(cwd.unwrap_or_default()),
            env,
            json,
            window,
        })
    }

    fn resolve(&self) -> Result<Resolution> {
        let settings = Settings::read(&self.env, &self.cwd, &SettingsOptions::default());
        Ok(memdir_paths::resolve(&self.env, &settings, &self.cwd)?)
    }

    /// The directory and a store that touches nothing, or why there is none.
    fn store(&self) -> Result<(MemoryDir, Store)> {
        let found = self.resolve()?;
        let dir = found
            .dir
            .ok_or_else(|| format!("memory is {}", found.switch))?;
        let options = StoreOptions::default().access(Access::ReadOnly);
        let store = Store::open_with(dir.path(), options)?;
        Ok((dir, store))
    }
}

fn paths(request: &Request) -> Result<Shown> {
    let found = request.resolve()?;
    let mut rows = vec![
        (
            "memory",
            found
                .dir
                .as_ref()
                .map_or("none".into(), |dir| dir.announced()),
        ),
        (
            "exists",
            if found.dir.as_ref().is_some_and(MemoryDir::exists) {
                "yes"
            } else {
                "no"
            }
            .into(),
        ),
        (
            "because",
            found
                .source
                .map_or("-".to_owned(), |source| source.to_string()),
        ),
        ("switch", found.switch.to_string()),
        ("project", found.project.display().to_string()),
        ("root", found.root.kind.to_string()),
        (
            "transcripts",
            memdir_paths::transcript_dir(&request.env, &request.cwd)?
                .display()
                .to_string(),
        ),
    ];
    let mut collision = Value::Null;
    if let Some(dir) = &found.dir {
        rows.push(("team", dir.team(TeamLayout::Inside).announced()));
        let shared = memdir_paths::collisions(dir);
        if shared.is_shared() {
            rows.push((
                "COLLISION",
                "two living projects share this directory".into(),
            ));
        }
        collision = serde_json::to_value(&shared)?;
    }
    for note in &found.root.notes {
        rows.push(("note", note.to_string()));
    }
    for rejected in &found.rejected {
        rows.push(("refused", rejected.to_string()));
    }
    for problem in &found.problems {
        rows.push(("settings", problem.to_string()));
    }
    let mut value = serde_json::to_value(&found)?;
    value["collisions"] = collision;
    let mut text = String::new();
    for (name, value) in &rows {
        wrap(&format!("{name:<12} "), value, &mut text);
    }
    Ok(Shown {
        text,
        value,
        sound: true,
    })
}

fn index(request: &Request) -> Result<Shown> {
    let (dir, store) = request.store()?;
    let loaded = store.load(Measure::Bytes)?;
    let check = store.check()?;
    let mut text = format!("{}\n\n", dir.entrypoint().display());
    match (&loaded.text, &loaded.missing) {
        (Some(index), _) => {
            text.push_str(index);
            text.push_str("\n\n");
        }
        (None, Some(reason)) => text.push_str(&format!("{reason}\n\n")),
        (None, None) => {}
    }
    if let Some(notice) = &loaded.notice {
        text.push_str(&format!("{notice}\n\n"));
    }
    for fault in &check.faults {
        wrap("fault: ", &fault.to_string(), &mut text);
    }
    if let Some(budget) = &check.budget {
        for line in budget.to_string().lines() {
            wrap("advice: ", line, &mut text);
        }
    }
    text.push_str(&format!(
        "check: {} memories, {} entries, {} faults\n",
        check.memories,
        check.entries,
        check.faults.len()
    ));
    let value = json!({ "loaded": loaded, "check": check });
    Ok(Shown {
        text,
        value,
        sound: check.is_clean(),
    })
}

fn prompt(request: &Request) -> Result<Shown> {
    let found = request.resolve()?;
    let mut options = LoadOptions::default().index_text(found.index_text);
    if let Some(text) = &found.extra_guidelines {
        options = options.extra_guidelines(text.clone());
    }
    let Some(loaded) = load_memory_prompt(found.dir.as_ref(), &options) else {
        let text = format!("no prompt: memory is {}\n", found.switch);
        return Ok(Shown {
            text,
            value: Value::Null,
            sound: true,
        });
    };
    let mut text = format!("{}\n", loaded.instructions.trim_end());
    for index in &loaded.indexes {
        text.push_str(&format!("\n--- user context ---\n{}\n", index.text));
    }
    for skipped in &loaded.skipped {
        text.push_str(&format!(
            "\nnot loaded: {}: {}\n",
            skipped.path.display(),
            skipped.reason
        ));
    }
    Ok(Shown {
        text,
        value: serde_json::to_value(&loaded)?,
        sound: true,
    })
}

/// What is loaded at the start, and what a file would bring.
fn instructions(request: &Request) -> Result<Shown> {
    let found = request.resolve()?;
    let mut roots =
        Roots::new(&found.root.cwd).config_home(request.env.config_home(&found.root.cwd)?);
    if let Some(home) = &request.env.home {
        roots = roots.home(home);
    }
    roots = roots.managed_dir(request.env.managed_dir.clone());
    if found.root.is_repository() {
        roots = roots.git_root(&found.root.path);
    }
    let session = Session::load(&roots, &claudemd::Options::default());
    let Some(file) = &request.about else {
        let value = serde_json::to_value(session.report())?;
        let text = format!("{}\n", session.report().to_string().trim_end());
        return Ok(Shown {
            text,
            value,
            sound: session.report().warnings.is_empty(),
        });
    };
    let file = request.cwd.join(file);
    let brought = session.preview(&file, Operation::Write);
    let mut text = format!("{} would bring\n", file.display());
    for loaded in &brought {
        let globs = loaded.globs.join(", ");
        wrap(
            "  ",
            &format!("{} ({}) {globs}", loaded.path.display(), loaded.reason),
            &mut text,
        );
    }
    if brought.is_empty() {
        text.push_str("  nothing\n");
    }
    Ok(Shown {
        text,
        value: serde_json::to_value(&brought)?,
        sound: true,
    })
}

/// What a message would bring back, without a model, and why.
fn recall(request: &Request) -> Result<Shown> {
    let query = request
        .about
        .as_deref()
        .ok_or("show recall needs a query in quotes")?;
    let (dir, _) = request.store()?;
    let recall = memdir_recall::Recall::scan(dir.path(), &memdir_recall::Options::default())?;
    let picked = recall.pick(&memdir_recall::Query::new(query));
    let mut text = String::new();
    for memory in &picked.memories {
        let name = memory
            .description
            .as_deref()
            .or(memory.name.as_deref())
            .unwrap_or("-");
        wrap(&format!("{}: ", memory.file), name, &mut text);
    }
    if picked.memories.is_empty() {
        text.push_str("nothing\n");
    }
    text.push_str(&format!("\n{}\n", picked.receipt.to_string().trim_end()));
    Ok(Shown {
        text,
        value: serde_json::to_value(&picked.receipt)?,
        sound: true,
    })
}

/// One memory as a row.
struct Row {
    file: String,
    kind: String,
    age: String,
    description: String,
    warnings: Vec<String>,
}

fn memories(request: &Request) -> Result<Shown> {
    let (dir, store) = request.store()?;
    let now = SystemTime::now();
    let mut rows = Vec::new();
    for file in files(dir.path())? {
        rows.push(row(&store, dir.path(), &file, now));
    }
    let check = store.check()?;
    let mut text = format!("{}\n\n", dir.announced());
    text.push_str(&table(&rows));
    for row in &rows {
        for warning in &row.warnings {
            wrap("warning: ", &format!("{}: {warning}", row.file), &mut text);
        }
    }
    for fault in &check.faults {
        wrap("fault: ", &fault.to_string(), &mut text);
    }
    text.push_str(&format!(
        "{}, {}\n",
        counted(rows.len(), "memory", "memories"),
        counted(check.faults.len(), "fault", "faults")
    ));
    let values = rows.iter().map(|row| {
        json!({
            "file": row.file, "type": row.kind, "age": row.age,
            "description": row.description, "warnings": row.warnings,
        })
    });
    let value = json!({ "memories": values.collect::<Vec<_>>(), "check": check });
    Ok(Shown {
        text,
        value,
        sound: check.is_clean(),
    })
}

/// Relative names of the memories: Markdown files that are neither index, log nor hidden.
fn files(dir: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(dir.join(&folder)) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            let at_top = folder.as_os_str().is_empty();
            if name.starts_with('.') || (at_top && (name == "logs" || name == "team")) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if name.ends_with(".md") && name != memdir_index::ENTRYPOINT {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn row(store: &Store, dir: &Path, file: &str, now: SystemTime) -> Row {
    let modified = dir.join(file).metadata().and_then(|meta| meta.modified());
    let age = modified.map_or("?".to_owned(), |modified| {
        memdir_age::age_text(memdir_age::age_days(modified, now))
    });
    let file = file.to_owned();
    match store.read(&file) {
        Ok((memory, _)) => Row {
            kind: memory
                .kind()
                .map_or("-".to_owned(), |kind| kind.to_string()),
            description: memory.description().unwrap_or("-").to_owned(),
            warnings: memory.warnings().iter().map(ToString::to_string).collect(),
            file,
            age,
        },
        Err(error) => Row {
            kind: "-".to_owned(),
            description: "-".to_owned(),
            warnings: vec![error.to_string()],
            file,
            age,
        },
    }
}

fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let width = |of: fn(&Row) -> usize, least: usize, most: usize| {
        rows.iter()
            .map(of)
            .max()
            .unwrap_or_default()
            .clamp(least, most)
    };
    let (kind, age) = (9, width(|row| row.age.width(), 3, 14));
    let file = width(|row| row.file.width(), 4, 34);
    let rest = COLUMNS.saturating_sub(kind + age + file + 3).max(12);
    let line = |cells: [&str; 4]| {
        let [first, second, third, last] = cells;
        let (first, second, third) = (pad(first, kind), pad(second, file), pad(third, age));
        let row = format!("{first} {second} {third} {}", fit(last, rest));
        format!("{}\n", row.trim_end())
    };
    let mut out = line(["type", "file", "age", "description"]);
    for row in rows {
        out.push_str(&line([&row.kind, &row.file, &row.age, &row.description]));
    }
    out.push('\n');
    out
}
