//! One table of speeds: each hot path beside the floor that it is compared to, in the same run.
//!
//! Machines are shared and noisy, so nothing here fails: what counts is the ratio. `cargo bench`
//! prints it; a floor is the least that any implementation has to do (the bare reads, the bare
//! stats), or the program that a person would call instead.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time, starts git, and may stop at the first surprise"
)]

mod table;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use memdir_index::{Entry, Index, Limits, Store};
use memdir_types::{Audience, Memory, MemoryType};
use table::{Table, times};
use tempfile::TempDir;

fn main() {
    let table = Table::begin();
    roots(&table);
    for count in [200, if table.is_quick() { 400 } else { 20_000 }] {
        scan(&table, count);
    }
    truncate(&table);
    upsert(&table);
    write_gate(&table);
    writers(&table);
    table.end();
}

fn roots(table: &Table) {
    let dir = TempDir::new().unwrap();
    let main = dir.path().canonicalize().unwrap().join("repo");
    let deep = main.join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    let git = |args: &[&str], cwd: &Path| {
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        let run = Command::new("git")
            .args(identity)
            .args(args)
            .current_dir(cwd)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
    };
    git(&["init", "-q"], &main);
    git(&["commit", "-q", "--allow-empty", "-m", "first"], &main);
    let worktree = dir.path().canonicalize().unwrap().join("wt");
    git(
        &["worktree", "add", "-q", &worktree.to_string_lossy()],
        &main,
    );

    let ask = |path: &Path| {
        let root = memdir_paths::canonical_root(path).unwrap();
        assert_eq!(root.path, main);
    };
    // The floor does what cannot be left out: the real path, then one stat for each ancestor.
    let walk = |path: &Path| {
        let real = path.canonicalize().unwrap();
        black_box(
            real.ancestors()
                .find(|dir| dir.join(".git").symlink_metadata().is_ok()),
        );
    };
    let rev_parse = |path: &Path| {
        let args = ["rev-parse", "--show-toplevel", "--git-common-dir"];
        black_box(
            Command::new("git")
                .args(args)
                .current_dir(path)
                .output()
                .unwrap(),
        );
    };
    let n = 100;
    table.row(
        "root of a sub-directory, x100",
        31,
        "bare stat walk, x100",
        times(n, || ask(&deep)),
        times(n, || walk(&deep)),
    );
    let walk_and_read = |path: &Path| {
        walk(path);
        let metadata = main.join(".git/worktrees/wt");
        for file in [
            &worktree.join(".git"),
            &metadata.join("gitdir"),
            &metadata.join("commondir"),
        ] {
            black_box(fs::read(file).unwrap());
        }
    };
    table.row(
        "root of a worktree, x100",
        31,
        "walk and 3 bare reads, x100",
        times(n, || ask(&worktree)),
        times(n, || walk_and_read(&worktree)),
    );
    table.row(
        "root of a worktree",
        31,
        "git rev-parse",
        || ask(&worktree),
        || rev_parse(&worktree),
    );
}

/// A memory as people write them: three keys and a body of some lines.
fn memory(at: usize) -> Memory {
    let kind = MemoryType::ALL[at % MemoryType::ALL.len()];
    let name = format!("decision number {at} about the payment service");
    let description = format!("why the {at}th retry of a payment waits longer than the one before");
    let body = "The queue was full twice in March, and both times the retries made it worse.\n\n\
        **Why:** every client retried at the same second.\n\
        **How to apply:** add jitter before adding another retry.\n";
    Memory::new(kind, &name, &description, &body.repeat(4))
}

fn scan(table: &Table, count: usize) {
    let dir = TempDir::new().unwrap();
    let paths: Vec<PathBuf> = (0..count)
        .map(|at| dir.path().join(format!("memory_{at:05}.md")))
        .collect();
    for (at, path) in paths.iter().enumerate() {
        fs::write(path, memory(at).render()).unwrap();
    }
    let parse = || {
        for entry in fs::read_dir(dir.path()).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            let memory = Memory::from_bytes(&bytes);
            assert!(black_box(&memory).kind().is_some());
        }
    };
    let read = || {
        for entry in fs::read_dir(dir.path()).unwrap() {
            black_box(fs::read(entry.unwrap().path()).unwrap());
        }
    };
    let rounds = if count > 1_000 { 5 } else { 31 };
    table.row(
        &format!("scan and parse {count} memories"),
        rounds,
        "bare reads, same bytes",
        parse,
        read,
    );
}

fn truncate(table: &Table) {
    // 200 lines of 1,001 bytes: only the byte cap acts.
    let line = format!("- [Title](file.md) — {}\n", "x".repeat(977));
    let text = line.repeat(200);
    assert_eq!(text.len(), 200_200);
    let pass = || {
        black_box(text.lines().map(|line| line.chars().count()).sum::<usize>());
    };
    let cut = || {
        let cut = memdir_index::truncate(&text, Limits::default());
        assert!(black_box(&cut).text.len() <= memdir_index::MAX_BYTES);
    };
    table.row(
        "truncate 200 KB, x100",
        31,
        "one pass over it, x100",
        times(100, cut),
        times(100, pass),
    );
}

fn upsert(table: &Table) {
    let entries: Vec<Entry> = (0..200)
        .map(|at| {
            Entry::new(
                &format!("Title {at}"),
                &format!("memory_{at}.md"),
                "what it is about",
            )
        })
        .collect();
    let text: String = entries
        .iter()
        .map(|entry| format!("{}\n", entry.to_line()))
        .collect();
    let changed = Entry::new("Title 120", "memory_120.md", "what it is about since today");
    let ours = || {
        let mut index = Index::parse(&text);
        index.upsert(&changed);
        black_box(index.render());
    };
    let by_line = || {
        let found = |line: &&str| !line.contains("(memory_120.md)");
        let mut lines: Vec<&str> = text.lines().filter(found).collect();
        lines.insert(
            120,
            "- [Title 120](memory_120.md) — what it is about since today",
        );
        black_box(lines.join("\n"));
    };
    table.row(
        "upsert among 200 entries, x100",
        31,
        "split, search, join, x100",
        times(100, ours),
        times(100, by_line),
    );
}

fn writers(table: &Table) {
    const WRITERS: usize = 8;
    const SAVES: usize = 10;
    let ours = || {
        let dir = TempDir::new().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let path = dir.path();
                scope.spawn(move || {
                    let store = Store::open(path).unwrap();
                    for save in 0..SAVES {
                        let memory = memory(writer * SAVES + save);
                        let cleared = memdir_types::gate(&memory, Audience::Private).unwrap();
                        store.save(cleared, None).unwrap();
                    }
                });
            }
        });
        let index = fs::read_to_string(dir.path().join("MEMORY.md")).unwrap();
        assert_eq!(index.lines().count(), WRITERS * SAVES);
    };
    // The same files by one writer without any promise about others: two synced renames a save.
    let bare = || {
        let dir = TempDir::new().unwrap();
        let mut index = String::new();
        for save in 0..WRITERS * SAVES {
            let name = format!("memory_{save}.md");
            index.push_str(&format!("- [Title]({name}) — hook\n"));
            durable(dir.path(), &name, &memory(save).render());
            durable(dir.path(), "MEMORY.md", &index);
        }
    };
    table.row(
        "8 writers, 10 saves each",
        5,
        "1 writer, bare, same saves",
        ours,
        bare,
    );
}

fn durable(dir: &Path, name: &str, text: &str) {
    let temporary = dir.join(format!(".{name}.tmp"));
    fs::write(&temporary, text).unwrap();
    fs::File::open(&temporary).unwrap().sync_all().unwrap();
    fs::rename(&temporary, dir.join(name)).unwrap();
    fs::File::open(dir).unwrap().sync_all().unwrap();
}

/// A memory of 4 KB through the write gate, beside one pass that looks at every byte.
fn write_gate(table: &Table) {
    let line = "- The deploy token lives in the vault; `cargo deploy --env staging` reads it (see PR 812).\n";
    let text: String = line.repeat(4096 / line.len() + 1);
    let chinese: String = "部署令牌保存在密码库里，发布前先跑一遍测试，周五不发布。\n".repeat(50);
    for (name, text) in [
        ("gate of 4 KB, English (100)", &text),
        ("gate of 4 KB, Chinese (100)", &chinese),
    ] {
        let clear = || assert!(memdir_types::gate_text(text, Audience::Team).is_ok());
        let pass = || {
            let sum = text
                .bytes()
                .fold(0_u64, |sum, byte| sum.rotate_left(1) ^ u64::from(byte));
            black_box(sum);
        };
        table.row(
            name,
            41,
            "one pass over the bytes",
            times(100, clear),
            times(100, pass),
        );
    }
}
