//! The gates of a consolidation and the write gate, each beside the bare work that it stands for.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time and may stop at the first surprise"
)]

mod table;

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, SystemTime};

use autodream::memdir_paths::MemoryDir;
use autodream::{
    Acquired, Config, Enabled, Flags, Gate, Host, Lock, Opening, Process, Settings, Transcripts,
    enabled, touched_since,
};
use memdir_types::{Audience, gate_text};
use table::Table;

fn main() {
    let table = Table::begin();
    let temp = tempfile::tempdir().unwrap();
    let dir = MemoryDir::new(temp.path().join("memory"));
    fs::create_dir(dir.path()).unwrap();
    let now = SystemTime::now();
    let process = Process::current();
    time_gate(&table, &dir, now, &process);
    sessions(&table, temp.path(), now);
    lock(&table, &dir, now, &process);
    write_gate(&table);
    table.end();
}

fn on() -> Enabled {
    let settings = Settings::default().auto_dream_enabled(true);
    enabled(&settings, &Flags::default(), &Host::default())
}

/// What nearly every turn costs.
fn time_gate(table: &Table, dir: &MemoryDir, now: SystemTime, process: &Process) {
    let lock_file = dir.lock_file();
    fs::write(&lock_file, "").unwrap();
    let mut gate = Gate::new(
        dir.clone(),
        Transcripts::new([dir.path()]),
        Config::default(),
    );
    let on = on();
    table.row(
        "1,000 closed time gates",
        200,
        "1,000 stats",
        || {
            for _ in 0..1_000 {
                let opening = gate.check(now, &on, process).unwrap();
                assert!(matches!(black_box(&opening), Opening::Closed(_)));
            }
        },
        || {
            for _ in 0..1_000 {
                black_box(fs::symlink_metadata(&lock_file).unwrap());
            }
        },
    );
}

fn sessions(table: &Table, root: &Path, now: SystemTime) {
    let count = if table.is_quick() { 100 } else { 10_000 };
    let folder = root.join("transcripts");
    fs::create_dir(&folder).unwrap();
    for at in 0..count {
        File::create(folder.join(format!("{at:08x}-0000-4000-8000-000000000000.jsonl"))).unwrap();
    }
    let transcripts = Transcripts::new([folder.as_path()]).exclude("the-current-one");
    for (what, since) in [
        (
            "10,000 transcripts, none touched",
            now + Duration::from_secs(3600),
        ),
        (
            "10,000 transcripts, all touched",
            now - Duration::from_secs(3600),
        ),
    ] {
        table.row(
            what,
            20,
            "read_dir and a stat each",
            || drop(black_box(touched_since(&transcripts, Some(since)))),
            || {
                for entry in fs::read_dir(&folder).unwrap() {
                    black_box(entry.unwrap().metadata().unwrap());
                }
            },
        );
    }
}

/// Acquiring and keeping: two lock files replaced, two records written, all of it on disk.
fn lock(table: &Table, dir: &MemoryDir, now: SystemTime, process: &Process) {
    let path = dir.path().join("bare");
    let next = dir.path().join("bare.next");
    let guard = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.path().join("bare.guard"))
        .unwrap();
    table.row(
        "acquire and keep the lock",
        100,
        "the file operations alone",
        || {
            let Acquired::Yes(lock) = Lock::acquire(dir, now, process).unwrap() else {
                panic!("the lock is busy");
            };
            lock.keep(now).unwrap();
        },
        || {
            for body in ["12345", ""] {
                write_record(&guard);
                let mut file = File::create(&next).unwrap();
                std::io::Write::write_all(&mut file, body.as_bytes()).unwrap();
                file.set_modified(now).unwrap();
                file.sync_all().unwrap();
                fs::rename(&next, &path).unwrap();
                File::open(dir.path()).unwrap().sync_all().unwrap();
            }
        },
    );
}

fn write_record(mut guard: &File) {
    use std::io::{Seek, Write};
    guard.rewind().unwrap();
    guard.write_all(&[b' '; 512]).unwrap();
    guard.sync_data().unwrap();
}

/// A memory of an ordinary size, with the words that wake the patterns and without.
fn write_gate(table: &Table) {
    let plain = "The queue was full twice in March, and both times the retries made it worse.\n";
    let words = "Rotate the deploy token in the vault every month; the key id is in the runbook.\n";
    for (what, line) in [
        ("4 KB of prose", plain),
        ("4 KB about tokens and keys", words),
    ] {
        let text = line.repeat(4096 / line.len());
        table.row(
            what,
            500,
            "one pass over the bytes",
            || drop(black_box(gate_text(&text, Audience::Team).unwrap())),
            || {
                let sum = text
                    .bytes()
                    .fold(0_u64, |sum, byte| sum.rotate_left(5) ^ u64::from(byte));
                black_box(sum);
            },
        );
    }
}
