//! The kinds of `compact-sm` that ask for a summary: the record and what comes back, and which
//! answers are one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use compact_sm::{
    Block, Breaker, Cause, Compact, Compaction, Estimate, Estimator, Flags, Images, Margin,
    Message, NoHooks, NotCompacted, Overrides, Oversize, Policy, Recency, Restore, Settings,
    Source, SummaryReply, Usage, Window, compact, files_fn, summarizer_fn,
};
use serde_json::{Map, Value, json};

use super::case::{Case, Outcome};
use super::compare::Comparison;
use super::peer::{answer, text};
use super::tree::{Fill, Names, Root, Unsupported};

/// The keys of a record that the crate owns; the rest is the host's envelope.
const OWNED: [&str; 9] = [
    "compactMetadata",
    "content",
    "isMeta",
    "level",
    "logicalParentUuid",
    "parentUuid",
    "subtype",
    "timestamp",
    "type",
];
const UUID: &str = "uuid";

pub(super) fn run(case: &Case, setup: &Value, observed: &Value, no_make: bool) -> Outcome {
    let mut comparison = Comparison::default();
    let own = ["reads_in_order", "turns", "model", "reported_usage"];
    let known = [&super::interop::SETUP[..], &own].concat();
    comparison.unknown("setup", &super::unknown_keys(setup, &known));
    comparison.unknown("observed", &super::unknown_keys(observed, &["boundaries"]));
    match boundary(case, setup, observed, no_make, &mut comparison) {
        Ok(()) => comparison.outcome(),
        Err(Unsupported(reason)) => Outcome::Unsupported(reason),
    }
}

fn boundary(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let [wanted] = observed["boundaries"]
        .as_array()
        .map_or(&[][..], Vec::as_slice)
    else {
        return Err("more than one boundary, or none".into());
    };
    let empty = Map::new();
    let files = setup["files"].as_object().unwrap_or(&empty);
    if files.keys().any(|name| is_instruction(name)) {
        return Err("instruction files below the cwd".into());
    }
    let reads: Vec<&str> = setup["reads_in_order"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if reads.iter().any(|path| path.ends_with(".png")) {
        return Err("images".into());
    }
    let root = Root::new(&case.id, Names::Expanded)?;
    root.build(setup, Fill::X, no_make)?;
    let paths: Vec<PathBuf> = reads.iter().map(|path| root.path_of(path)).collect();
    let is_one_process = setup["turns"]
        .as_array()
        .is_some_and(|turns| !turns.is_empty());
    let done = compacted(setup, &paths, is_one_process)?;

    comparison.unknown(
        "boundaries",
        &super::unknown_keys(
            wanted,
            &[
                "trigger",
                "metadata_fields",
                "line_fields",
                "kept_messages",
                "restored",
            ],
        ),
    );
    let mut record = done.boundary.clone().ok_or("no boundary")?;
    // What only the host knows.
    record.uuid = Some("record".to_owned());
    record.timestamp = Some("2026-06-01T12:00:00.000Z".to_owned());
    record.duration = Some(Duration::from_millis(5));
    let line = record.to_json();
    comparison.field(
        "trigger",
        &wanted["trigger"],
        line["compactMetadata"]["trigger"].clone(),
    );
    comparison.field(
        "metadata_fields",
        &set(&wanted["metadata_fields"]),
        keys(&line["compactMetadata"]),
    );
    let owned = |value: Value| -> Value {
        let list = value.as_array().cloned().unwrap_or_default();
        let is_owned = |key: &Value| {
            let key = key.as_str().unwrap_or_default();
            OWNED.contains(&key) || key == UUID
        };
        list.into_iter().filter(is_owned).collect()
    };
    comparison.field(
        "line_fields",
        &owned(set(&wanted["line_fields"])),
        owned(keys(&line)),
    );
    comparison.field("kept_messages", &wanted["kept_messages"], done.kept.len());
    let expected: Value = wanted["restored"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|entry| entry[0] != "invoked_skills")
        .cloned()
        .collect();
    let own: Value = done
        .restored
        .attachments
        .iter()
        .map(|attachment| json!([attachment.kind.as_str(), root.shown(&attachment.name)]))
        .collect();
    match is_one_process.then(|| Times::of(files, &reads)) {
        Some(times) if !times.say_the_order() => {
            comparison.field("restored", &times.known(&expected), times.known(&own));
        }
        _ => comparison.field("restored", &expected, own),
    }
    Ok(())
}

/// An instruction or rule file below the working directory, other than `CLAUDE.md` at its root.
fn is_instruction(name: &str) -> bool {
    let below = !name.starts_with('~') && !name.starts_with('/') && !name.starts_with("{R}");
    let file = name.rsplit('/').next().unwrap_or_default();
    let is_rule = name.contains(".claude/rules/");
    below && name != "CLAUDE.md" && (is_rule || matches!(file, "CLAUDE.md" | "CLAUDE.local.md"))
}

/// The times of the read files, in days ago; none where the setup gives none.
struct Times<'a>(Vec<(&'a str, Option<f64>)>);

/// So many files come back.
const CUT: usize = 5;

impl<'a> Times<'a> {
    fn of(files: &Map<String, Value>, reads: &[&'a str]) -> Times<'a> {
        let time = |path: &str| {
            let name = path.strip_prefix("{W}/").unwrap_or(path);
            files.get(name)?["mtime_days_ago"].as_f64()
        };
        Times(reads.iter().map(|path| (*path, time(path))).collect())
    }

    /// The time that files on both sides of the cut have.
    fn tie_at_the_cut(&self) -> Option<f64> {
        let mut times: Vec<f64> = self.0.iter().filter_map(|(_, time)| *time).collect();
        times.sort_by(f64::total_cmp);
        let (last, next) = (times.get(CUT - 1)?, times.get(CUT)?);
        last.total_cmp(next).is_eq().then_some(*last)
    }

    fn say_the_order(&self) -> bool {
        self.0.iter().all(|(_, time)| time.is_some()) && self.tie_at_the_cut().is_none()
    }

    /// What came back, without its order. Of files that tie at the cut nobody can say which come
    /// back; only how many.
    fn known(&self, restored: &Value) -> Value {
        let tie = self.tie_at_the_cut();
        let is_tied = |path: &Value| {
            let found = self.0.iter().find(|(name, _)| path == name);
            tie.is_some() && found.is_some_and(|(_, time)| *time == tie)
        };
        let mut entries: Vec<String> = restored
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| match is_tied(&entry[1]) {
                true => json!([entry[0], "one of those that tie"]).to_string(),
                false => entry.to_string(),
            })
            .collect();
        entries.sort();
        entries.into()
    }
}

fn set(list: &Value) -> Value {
    let entries: BTreeSet<String> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| {
            entry
                .as_str()
                .map_or_else(|| entry.to_string(), str::to_owned)
        })
        .collect();
    entries.into_iter().map(Value::from).collect()
}

fn keys(object: &Value) -> Value {
    let keys = object.as_object().into_iter().flatten();
    set(&keys.map(|(key, _)| Value::from(key.as_str())).collect())
}

/// The history of the setup: one text, a call of Read and its result for each file, a last text.
fn history(paths: &[PathBuf], tokens: u64) -> Vec<Message> {
    let mut messages = vec![Message::user("begin").uuid("u")];
    for (n, path) in paths.iter().enumerate() {
        let id = format!("call-{n}");
        let call = Block::tool_use(&id, "Read", json!({ "file_path": path }));
        messages.push(
            Message::assistant(vec![Block::text("next"), call])
                .id(format!("message-{n}"))
                .uuid(format!("a{n}")),
        );
        let result = Block::tool_result(&id, "what it held then");
        messages.push(Message::user(vec![result]).uuid(format!("r{n}")));
    }
    let last = Message::assistant("All of it was read. ".repeat(200))
        .id("last")
        .uuid("l");
    messages.push(last.usage(Usage::new(tokens, 10)));
    messages
}

fn compacted(
    setup: &Value,
    paths: &[PathBuf],
    is_one_process: bool,
) -> Result<Compaction, Unsupported> {
    let asks = |value: &Value| value.to_string().contains("\"/compact");
    let is_manual = asks(&setup["turns"]) || asks(&setup["args"]);
    let overrides = Overrides::from_lookup(|name| {
        setup["env"]
            .get(name)
            .and_then(Value::as_str)
            .map(Into::into)
    });
    let window = Window::new(200_000, 32_000);
    let policy = Policy::new(&window, &overrides, &Settings::default(), &Flags::default());
    let full = policy
        .thresholds()
        .map_or(0, |thresholds| thresholds.blocking);
    let mut messages = history(paths, if is_manual { 30_000 } else { full });
    // Long enough that the files have room, as they had in the conversation that was observed.
    messages[0] = Message::user("A long question. ".repeat(2_000)).uuid("u");
    let counter = compatible();
    let decision = policy.decide(&messages, &counter, Source::Main);
    let cause = match is_manual {
        true => Cause::manual(None),
        false => Cause::Auto(&decision),
    };
    let recency = match is_one_process {
        true => Recency::ModifiedTime,
        false => Recency::default(),
    };
    let restore = Restore::default()
        .recency(recency)
        .oversize(Oversize::Reference);
    let told = format!("<summary>{}</summary>", "Files were read. ".repeat(60));
    let summarizer = summarizer_fn(async |_| Ok(SummaryReply::text(told.clone())));
    let files = Disk;
    let breaker = Breaker::new();
    let how = Compact::new(&breaker, &counter)
        .images(Images::Keep)
        .summary_uuid("summary")
        .restore(restore)
        .files(&files);
    let done = wait(compact(&messages, &cause, &how, &summarizer, &NoHooks))?;
    done.map_err(|why| Unsupported(format!("not compacted: {why}")))
}

/// Bytes over four, without a margin: what tokens mean in the vectors.
fn compatible() -> Estimator {
    Estimator::new(Estimate::BytesDiv4).margin(Margin::NONE)
}

/// The files of the tree.
struct Disk;

impl compact_sm::Files for Disk {
    fn read(&self, path: &str, most: usize) -> std::io::Result<compact_sm::FileText> {
        files_fn(|path| std::fs::read_to_string(path)).read(path, most)
    }

    fn modified(&self, path: &str) -> Option<std::time::SystemTime> {
        Path::new(path)
            .metadata()
            .and_then(|file| file.modified())
            .ok()
    }
}

fn wait<T>(future: impl Future<Output = T>) -> Result<T, Unsupported> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(future))
}

/// The peer kind: is such an answer a summary?
pub(super) fn result_check(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let says = text(input, "summary")?.to_owned();
    let mut messages = history(&[PathBuf::from("/a"), PathBuf::from("/b")], 30_000);
    messages.insert(0, Message::user("A long question. ".repeat(2_000)));
    let counter = compatible();
    let before = messages.clone();
    let summarizer = summarizer_fn(async |_| Ok(SummaryReply::text(says.clone())));
    let breaker = Breaker::new();
    let how = Compact::new(&breaker, &counter);
    let done: Result<Compaction, NotCompacted> = wait(compact(
        &messages,
        &Cause::manual(None),
        &how,
        &summarizer,
        &NoHooks,
    ))?;
    let (status, history) = match done {
        Ok(_) => ("compacted", "replaced"),
        Err(_) if messages == before => ("failed", "unchanged"),
        Err(_) => ("failed", "changed"),
    };
    answer([("status", status.into()), ("history", history.into())])
}
