//! The speeds of `memdir-recall`, each beside its floor: see `memory.rs`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time and may stop at the first surprise"
)]

mod table;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memdir_recall::{Options, Query, Recall, ScanCache, ScanOptions, scan};
use memdir_types::{Memory, MemoryType};
use table::{Table, times};
use tempfile::TempDir;

/// What a reader of headers takes from a file at once.
const HEADER_BYTES: usize = 4_096;

fn main() {
    let table = Table::begin();
    let counts: &[usize] = if table.is_quick() {
        &[50]
    } else {
        &[200, 2_000, 20_000]
    };
    for count in counts {
        let dir = TempDir::new().unwrap();
        let files = write(dir.path(), *count);
        scans(&table, dir.path(), &files);
        queries(
            &table,
            dir.path(),
            &format!("query {count} memories"),
            "who owns the schema of the billing client, and why is the retry limit low?",
        );
        memory(dir.path(), &files);
        let dir = TempDir::new().unwrap();
        let files = write_chinese(dir.path(), *count);
        queries(
            &table,
            dir.path(),
            &format!("query {count} in Chinese"),
            "支付服务的重试上限为什么这么低，数据库结构由谁负责？",
        );
        memory(dir.path(), &files);
    }
    table.end();
}

fn write(dir: &Path, count: usize) -> Vec<PathBuf> {
    const SYSTEMS: [&str; 8] = [
        "billing", "search", "login", "catalog", "shipping", "mail", "reports", "支付",
    ];
    const TOPICS: [&str; 9] = [
        "cache", "deploy", "schema", "alerts", "budget", "owner", "backlog", "quota", "重试",
    ];
    let mut files = Vec::new();
    for at in 0..count {
        let (system, topic) = (SYSTEMS[at % SYSTEMS.len()], TOPICS[at / 8 % TOPICS.len()]);
        let kind = MemoryType::ALL[at % MemoryType::ALL.len()];
        let name = format!("{system} {topic} {at}");
        let description = format!("what was agreed about the {topic} of {system} in round {at}");
        let body = format!(
            "The {topic} of {system} stays until the review in week {}.\n\n**Why:** round {at} \
             showed that `retry_limit_{}` is read by {system}Client only.\n\
             **How to apply:** ask the owner of {system} before a change of the {topic}.\n",
            at % 52,
            at % 700
        );
        let path = dir.join(format!("memory_{at:05}.md"));
        fs::write(
            &path,
            Memory::new(kind, &name, &description, &body).render(),
        )
        .unwrap();
        files.push(path);
    }
    files
}

/// Memories in Chinese: words of the trade, and between them characters of which few are frequent
/// and many rare, as in texts.
fn write_chinese(dir: &Path, count: usize) -> Vec<PathBuf> {
    const WORDS: [&str; 24] = [
        "支付",
        "服务",
        "重试",
        "上限",
        "数据库",
        "结构",
        "负责",
        "迁移",
        "缓存",
        "部署",
        "日志",
        "接口",
        "超时",
        "用户",
        "登录",
        "测试",
        "回滚",
        "告警",
        "评审",
        "分支",
        "配置",
        "权限",
        "发布",
        "订单",
    ];
    let mut state = 1u64;
    let mut next = |of: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % of
    };
    let mut files = Vec::new();
    for at in 0..count {
        let mut text = |words: usize| {
            let mut text = String::new();
            for _ in 0..words {
                text.push_str(WORDS[next(24) as usize]);
                for _ in 0..2 {
                    let chance = next(1_000) + 1;
                    let rank = 300_000 / (chance * chance).max(100);
                    text.extend(char::from_u32(0x4e00 + rank as u32));
                }
            }
            text
        };
        let (name, description) = (format!("{} {at}", text(1)), text(3));
        let body = format!("{}。\n\n**原因：**{}。\n", text(8), text(8));
        let kind = MemoryType::ALL[at % MemoryType::ALL.len()];
        let path = dir.join(format!("memory_{at:05}.md"));
        let memory = Memory::new(kind, &name, &description, &body);
        fs::write(&path, memory.render()).unwrap();
        files.push(path);
    }
    files
}

fn scans(table: &Table, dir: &Path, files: &[PathBuf]) {
    let count = files.len();
    let rounds = if count > 5_000 { 5 } else { 21 };
    let all = ScanOptions::default().newest(usize::MAX);
    table.row(
        &format!("scan {count} memories"),
        rounds,
        "open, read 4 KiB, close",
        || assert_eq!(scan(dir, &all).unwrap().memories.len(), count),
        || {
            let mut buffer = [0; HEADER_BYTES];
            for entry in fs::read_dir(dir).unwrap() {
                let mut file = File::open(entry.unwrap().path()).unwrap();
                black_box(file.metadata().unwrap());
                black_box(file.read(&mut buffer).unwrap());
            }
        },
    );
    let mut cache = ScanCache::new();
    cache.scan(dir, &all).unwrap();
    table.row(
        &format!("scan {count} again, cached"),
        rounds,
        "readdir and bare stats",
        || assert_eq!(cache.scan(dir, &all).unwrap().opened, 0),
        || {
            for entry in fs::read_dir(dir).unwrap() {
                black_box(entry.unwrap().metadata().unwrap());
            }
        },
    );
}

fn queries(table: &Table, dir: &Path, what: &str, query: &str) {
    let recall = Recall::scan(dir, &Options::default()).unwrap();
    let query = Query::new(query);
    let ours = || {
        black_box(recall.pick(&query));
    };
    // The least that any ranking does: look once at every memory.
    let bare = || {
        let sum: u64 = recall
            .memories()
            .iter()
            .map(|memory| black_box(memory.bytes))
            .sum();
        black_box(sum);
    };
    table.row(
        &format!("{what}, x10"),
        21,
        "touch each memory once, x10",
        times(10, ours),
        times(10, bare),
    );
}

/// What the index takes, beside what it is over.
fn memory(dir: &Path, files: &[PathBuf]) {
    let recall = Recall::scan(dir, &Options::default()).unwrap();
    let bodies: usize = files
        .iter()
        .map(|file| {
            Memory::parse(&fs::read_to_string(file).unwrap())
                .body()
                .len()
        })
        .sum();
    let headers: usize = recall
        .memories()
        .iter()
        .flat_map(|memory| [&memory.header.name, &memory.header.description])
        .flatten()
        .map(String::len)
        .sum();
    let index = recall.index_bytes();
    let percent = |of: usize| index * 100 / of.max(1);
    println!(
        "index of {} memories: {index} bytes, {} % of the {bodies} of the bodies, {} % of these with \
         names and descriptions",
        files.len(),
        percent(bodies),
        percent(bodies + headers)
    );
}
