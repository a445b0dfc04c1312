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
use table::Table;
use tempfile::TempDir;

/// What a reader of headers takes from a file at once.
const HEADER_BYTES: usize = 4_096;

fn main() {
    let table = Table::begin();
    let counts: &[usize] = if table.is_quick() {
        &[50]
    } else {
        &[200, 1_000, 2_000, 20_000]
    };
    for count in counts {
        let dir = TempDir::new().unwrap();
        let files = write(dir.path(), *count, false);
        scans(&table, dir.path(), &files);
        queries(
            &table,
            dir.path(),
            &format!("query {count} memories"),
            "who owns the schema of the billing client, and why is the retry limit low?",
        );
        memory(dir.path(), &files);
        let dir = TempDir::new().unwrap();
        let files = write(dir.path(), *count, true);
        queries(
            &table,
            dir.path(),
            &format!("query {count} in Chinese"),
            "账单客户端的表结构由谁负责，重试上限为什么这么低？",
        );
        memory(dir.path(), &files);
    }
    table.end();
}

/// Systems and topics that the memories are about; a few of either language are in the other.
const SYSTEMS: [[&str; 8]; 2] = [
    [
        "billing", "search", "login", "catalog", "shipping", "mail", "reports", "支付",
    ],
    [
        "账单", "搜索", "登录", "目录", "物流", "邮件", "报表", "payment",
    ],
];
const TOPICS: [[&str; 9]; 2] = [
    [
        "cache", "deploy", "schema", "alerts", "budget", "owner", "backlog", "quota", "重试",
    ],
    [
        "缓存",
        "部署",
        "表结构",
        "告警",
        "预算",
        "负责人",
        "待办",
        "配额",
        "retry",
    ],
];

/// Memories in English or in Chinese, of four shapes, as no directory says the same in each file.
fn write(dir: &Path, count: usize, is_chinese: bool) -> Vec<PathBuf> {
    let language = usize::from(is_chinese);
    let (systems, topics) = (SYSTEMS[language], TOPICS[language]);
    let mut files = Vec::new();
    for at in 0..count {
        let (system, topic) = (systems[at % systems.len()], topics[at / 8 % topics.len()]);
        let (description, body) = if is_chinese {
            in_chinese(at, system, topic)
        } else {
            in_english(at, system, topic)
        };
        let kind = MemoryType::ALL[at % MemoryType::ALL.len()];
        let path = dir.join(format!("memory_{at:05}.md"));
        let name = format!("{system} {topic} {at}");
        let memory = Memory::new(kind, &name, &description, &body);
        fs::write(&path, memory.render()).unwrap();
        files.push(path);
    }
    files
}

fn in_english(at: usize, system: &str, topic: &str) -> (String, String) {
    let (week, limit) = (at % 52, at % 700);
    match at / 72 % 4 {
        0 => (
            format!("what was agreed about the {topic} of {system} in round {at}"),
            format!(
                "The {topic} of {system} stays until the review in week {week}.\n\n**Why:** round \
                 {at} showed that `retry_limit_{limit}` is read by {system}Client only.\n**How to \
                 apply:** ask the owner of {system} before a change of the {topic}.\n"
            ),
        ),
        1 => (
            format!("{system} was down in week {week}: the {topic} had been changed by hand"),
            format!(
                "For {limit} minutes {system} answered with errors, since two people had edited the \
                 {topic} at once.\n\n**How to apply:** such edits go through `tools/{system}-{topic}` \
                 and a pull request, never through the console.\n"
            ),
        ),
        2 => (
            format!("where numbers about the {topic} of {system} are"),
            format!(
                "Dashboard {at} has a panel for each region; the {topic} is the third row. Numbers \
                 older than {week} days are in the archive, which only the data team may read.\n"
            ),
        ),
        _ => (
            format!("the user wants short answers about {system}"),
            format!(
                "Asked about the {topic}, the user knows the code of {system} well: no introduction, \
                 just the file and the line. Seen in {limit} conversations up to week {week}.\n"
            ),
        ),
    }
}

fn in_chinese(at: usize, system: &str, topic: &str) -> (String, String) {
    let (week, limit) = (at % 52, at % 700);
    match at / 72 % 4 {
        0 => (
            format!("第 {at} 轮里关于{system}的{topic}的约定"),
            format!(
                "{system}的{topic}在第 {week} 周的评审之前保持不变。\n\n**原因：**第 {at} 轮发现只有\
                 {system}的客户端读取 `retry_limit_{limit}`。\n**做法：**修改{topic}之前先问{system}的\
                 负责人。\n"
            ),
        ),
        1 => (
            format!("{system}上次故障是因为有人手动改了{topic}"),
            format!(
                "两个同事同时编辑，服务中断了 {limit} 分钟，用户看到的都是错误页面。\n\n**做法：**以后\
                 一律走合并请求，脚本在 `tools/{system}-{topic}`，不要登录控制台操作，第 {week} 周起强制\
                 执行。\n"
            ),
        ),
        2 => (
            format!("到哪里看{system}与{topic}有关的数据"),
            format!(
                "面板 {at} 按地区分开展示，第三行就是。超过 {week} 天的历史已经归档，需要找数据团队申请\
                 权限才能查看。\n"
            ),
        ),
        _ => (
            format!("讲解{system}时请尽量简短"),
            format!(
                "用户对这部分代码非常熟悉，谈到{topic}只要给出文件和行号，不需要背景介绍。到第 {week} 周\
                 为止，在 {limit} 次对话里都是如此。\n"
            ),
        ),
    }
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
    table.row(what, 101, "touch each memory once", ours, bare);
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
