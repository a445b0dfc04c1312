//! Planning and reading conversations, beside what cannot be left out.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time and memory, starts itself for that, and may stop at the first surprise"
)]

mod table;

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::process::Command;

use compact_sm::{
    Block, Counter, Estimate, Estimator, FromNotes, KeepConfig, Line, Message, MicroOptions, Notes,
    Parent, Reader, Summarized, SummaryOptions, Tokenizer, Transcript, Trim, Usage, When, estimate,
    from_notes, keep_window, micro, summary_request, validate,
};
use serde_json::{Value, json};
use table::{Table, times};

fn main() {
    if let Some((what, path)) = std::env::var("COMPACT_PEAK")
        .ok()
        .as_deref()
        .and_then(|v| v.split_once(':'))
    {
        return peak(what, path);
    }
    let table = Table::begin();
    let size = if table.is_quick() { 400 } else { 20_000 };
    let list = conversation(size);
    plans(&table, &list);
    keep(&table, if table.is_quick() { 1_000 } else { 100_000 });
    summaries(&table, if table.is_quick() { 1_000 } else { 100_000 });
    texts(&table);
    transcripts(&table, &list);
    table.end();
    memory(&list);
}

/// Prose and code as tools return them.
const PIECE: &str = "The queue was full twice in March, and both times the retries made it worse.\n\
    fn next_delay(&self, attempt: u32) -> Option<Duration> {\n    \
    let factor = 2_u32.saturating_pow(attempt); // 120 ms\n}\n";

/// How much of it a result has, in bytes.
const PIECES: [usize; 4] = [10, 20, 30, 50];

/// A user's text, then calls with results; about 50 tokens a message with its charges, no usage
/// reported.
fn conversation(messages: usize) -> Vec<Message> {
    let mut list = vec![Message::user("please look into the retries")];
    let mut at = 0;
    while list.len() + 1 < messages {
        let id = format!("toolu_{at:08}");
        let input =
            json!({"file_path": format!("/home/me/project/src/module_{at}.rs"), "limit": 200});
        let call = Block::tool_use(id.as_str(), "Read", input);
        list.push(
            Message::assistant([Block::text("Let me look."), call]).id(format!("msg_{at:08}")),
        );
        list.push(Message::user([Block::tool_result(
            id,
            &PIECE[..PIECES[at % PIECES.len()]],
        )]));
        at += 1;
    }
    for (at, message) in list.iter_mut().enumerate() {
        message.uuid = Some(format!("00000000-0000-4000-8000-{at:012}"));
    }
    list
}

fn plans(table: &Table, list: &[Message]) {
    let counter = Estimator::new(Estimate::ByClass(Tokenizer::V4_7));
    let tokens = compact_sm::used(list, &counter).pending * 3 / 4;
    println!("conversation: {} messages, {tokens} tokens", list.len());
    let notes = Notes::new("# Current State\n\nThe retries need jitter.\n");
    let options = FromNotes::default();
    let plan = || {
        let plan = from_notes(list, &notes, &options, &counter).unwrap();
        assert!(black_box(plan).kept.len() < list.len());
    };
    let text: Vec<u8> = list
        .iter()
        .flat_map(|m| serde_json::to_vec(m).unwrap())
        .collect();
    let pass = || {
        black_box(text.iter().map(|byte| u64::from(*byte)).sum::<u64>());
    };
    table.row(
        "plan of the whole conversation",
        21,
        "one pass over its JSON",
        plan,
        pass,
    );
    let mut reported = list.to_vec();
    let last = reported.len() - 2;
    reported[last].usage = Some(Usage::new(1_000_000, 10));
    let decide = || {
        black_box(compact_sm::used(&reported, &counter));
    };
    let walk = || {
        black_box(
            reported
                .iter()
                .map(|m| m.content.blocks.len())
                .sum::<usize>(),
        );
    };
    table.row(
        "tokens in use, reported, x100",
        31,
        "count its blocks, x100",
        times(100, decide),
        times(100, walk),
    );
    let law = || {
        assert!(validate(list).is_empty());
    };
    let walk = || {
        black_box(list.iter().map(|m| m.content.blocks.len()).sum::<usize>());
    };
    table.row("validate it", 21, "count its blocks", law, walk);
    let options = MicroOptions::default().protect_tokens(1_000);
    let old = || {
        assert!(
            !micro(list, When::Budget, &options, &counter)
                .clear
                .is_empty()
        );
    };
    table.row(
        "micro-compaction plan",
        21,
        "one pass over its JSON",
        old,
        pass,
    );
}

fn keep(table: &Table, messages: usize) {
    let list = conversation(messages);
    let counter = Estimator::new(Estimate::ByClass(Tokenizer::V4_7));
    let default = KeepConfig::default();
    let walk = || {
        black_box(list.iter().filter(|m| m.uuid.is_some()).count());
    };
    let tail = || {
        black_box(keep_window(&list, &Summarized::Unknown, &default, &counter));
    };
    table.row(
        &format!("keep-window, {messages} messages"),
        31,
        "look at each message",
        tail,
        walk,
    );
    let by_uuid = Summarized::Uuid(list[messages - 20].uuid.clone().unwrap());
    let marked = || {
        black_box(keep_window(&list, &by_uuid, &default, &counter));
    };
    table.row(
        "the same, mark found by its id",
        31,
        "look at each message",
        marked,
        walk,
    );
    let everything = KeepConfig::default()
        .min_tokens(u64::MAX)
        .max_tokens(u64::MAX);
    let bytes = Estimator::new(Estimate::BytesDiv4);
    let all = || {
        assert!(
            keep_window(&list, &Summarized::Unknown, &everything, &bytes)
                .range
                .len()
                > messages - 3
        );
    };
    table.row(
        "the same, everything is kept",
        11,
        "look at each message",
        all,
        walk,
    );
}

fn summaries(table: &Table, messages: usize) {
    let list = conversation(messages);
    let counter = Estimator::new(Estimate::ByClass(Tokenizer::V4_7));
    let options = SummaryOptions::default();
    let all = 0..list.len();
    let text: Vec<u8> = list
        .iter()
        .flat_map(|m| serde_json::to_vec(m).unwrap())
        .collect();
    let pass = || {
        black_box(text.iter().map(|byte| u64::from(*byte)).sum::<u64>());
    };
    let copy = || {
        black_box(list.clone());
    };
    let count = || {
        black_box(list.iter().map(|m| counter.message(m)).sum::<u64>());
    };
    let build = || {
        black_box(summary_request(&list, &all, &options, &counter));
    };
    let name = format!("summary request, {messages} messages");
    table.row(&name, 11, "one pass over its JSON", build, pass);
    table.row("the same", 11, "copy the messages", build, copy);
    let fit = SummaryOptions::default().room(1_000);
    let shorten = || {
        black_box(summary_request(&list, &all, &fit, &counter));
    };
    table.row("the same, to a size", 11, "copy and count", shorten, || {
        copy();
        count();
    });
    let request = summary_request(&list, &all, &options, &counter);
    let trim = |over: Option<u64>| {
        let mut request = request.clone();
        assert!(matches!(request.trim(over, &counter), Trim::Dropped { .. }));
        black_box(request);
    };
    let own = || {
        black_box(request.clone());
    };
    table.row("trim it by a fifth", 11, "copy it", || trim(None), own);
    let half = list.iter().map(|m| counter.message(m)).sum::<u64>() / 2;
    table.row(
        "trim it by half its tokens",
        11,
        "copy and count",
        || trim(Some(half)),
        || {
            own();
            count();
        },
    );
}

fn texts(table: &Table) {
    let ascii = PIECE.repeat(10_000_000 / PIECE.len());
    let han = "上下文窗口快满的时候，程序会先检查用量。".repeat(10_000_000 / 60);
    let mixed = format!("{PIECE}// “done” — 好\n");
    let mixed = mixed.repeat(10_000_000 / mixed.len());
    let copy = |text: &str| {
        black_box(text.as_bytes().to_vec());
    };
    for (name, text) in [
        ("estimate, 10 MB of ASCII", &ascii),
        ("estimate, 10 MB of Chinese", &han),
        ("estimate, 10 MB, mixed", &mixed),
    ] {
        let ours = || {
            black_box(estimate(text, Estimate::ByClass(Tokenizer::V4_7)));
        };
        table.row(name, 11, "copy it", ours, || copy(text));
    }
    let count = || {
        black_box(han.chars().filter(|c| c.is_alphabetic()).count());
    };
    let ours = || {
        black_box(estimate(&han, Estimate::ByClass(Tokenizer::V4_7)));
    };
    table.row("the same", 11, "classify its characters", ours, count);
}

/// Lines with the envelope of a real transcript; results stand in them twice.
fn lines(list: &[Message]) -> String {
    let mut text = String::new();
    let mut parent = Parent::None;
    for message in list {
        let next = Parent::Uuid(message.uuid.clone().unwrap());
        let result = message.content.blocks.first().map(Block::to_json);
        let mut line = Line::from_message(message.clone(), std::mem::replace(&mut parent, next));
        line.timestamp = Some("2026-05-01T10:00:00.000Z".to_owned());
        for (key, value) in [
            ("sessionId", json!("6e0b7c1e-0000-4000-8000-000000000000")),
            ("cwd", json!("/home/me/project")),
            ("version", json!("2.1.197")),
            ("gitBranch", json!("main")),
            ("userType", json!("external")),
        ] {
            line.extra.insert(key, value);
        }
        if message.results().next().is_some() {
            line.extra.insert("toolUseResult", json!({"file": result}));
        }
        text.push_str(&line.to_json().to_string());
        text.push('\n');
    }
    text
}

fn transcripts(table: &Table, list: &[Message]) {
    let text = lines(list);
    println!("transcript: {:.1} MB", text.len() as f64 / 1e6);
    let values = || {
        for line in text.lines() {
            black_box(serde_json::from_str::<Value>(line).unwrap());
        }
    };
    let read = || {
        for line in Reader::new(text.as_bytes()) {
            black_box(line.unwrap());
        }
    };
    table.row(
        "transcript, whole lines",
        11,
        "serde_json alone, to Value",
        read,
        values,
    );
    let kept = || {
        let values: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        black_box(values);
    };
    let living = || {
        assert_eq!(Transcript::read(text.as_bytes()).messages.len(), list.len());
    };
    table.row(
        "transcript, its conversation",
        11,
        "serde_json alone, kept",
        living,
        kept,
    );
}

/// Peak memory of a process of its own, over that of one that does nothing.
fn memory(list: &[Message]) {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("session.jsonl");
    std::fs::write(&path, lines(list)).unwrap();
    let peak = |what: &str| -> f64 {
        let run = Command::new(std::env::current_exe().unwrap())
            .env("COMPACT_PEAK", format!("{what}:{}", path.display()))
            .output()
            .unwrap();
        assert!(run.status.success());
        String::from_utf8(run.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    };
    let nothing = peak("nothing");
    let parsed = peak("parsed") - nothing;
    for what in ["read", "compacted"] {
        let ours = peak(what) - nothing;
        println!(
            "peak memory, transcript {what:<10} {ours:>8.0} KiB   messages parsed and kept {parsed:>8.0} KiB   {:.2}x",
            ours / parsed
        );
    }
}

/// One of the processes.
fn peak(what: &str, path: &str) {
    let open = || BufReader::new(File::open(path).unwrap());
    match what {
        "nothing" => drop(black_box(open())),
        // The least: each line parsed alone, and nothing kept but its message.
        "parsed" => {
            let lines = Reader::new(open()).map(|line| line.unwrap().into_message());
            black_box(lines.collect::<Vec<_>>());
        }
        "read" => drop(black_box(Transcript::read(open()))),
        _ => {
            let messages = Transcript::read(open()).messages;
            let counter = Estimator::default();
            let notes = Notes::new("# State\n\nThe retries need jitter.\n");
            let plan = from_notes(&messages, &notes, &FromNotes::default(), &counter).unwrap();
            drop(black_box(plan.apply(messages).unwrap()));
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("{}", peak.unwrap_or("0 kB").trim().trim_end_matches(" kB"));
}
