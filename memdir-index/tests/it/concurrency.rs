//! Many writers at once, and writers that are killed: no acknowledged entry is lost, no line torn.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use memdir_index::{Durability, Entry, Index, Store, StoreOptions};
use memdir_types::MemoryType;

use crate::world::{World, cleared};

/// Set for the process that [`child_writer`] runs in: directory, label, number of saves.
const CHILD_DIR: &str = "MEMDIR_INDEX_TEST_DIR";
const CHILD_LABEL: &str = "MEMDIR_INDEX_TEST_LABEL";
const CHILD_SAVES: &str = "MEMDIR_INDEX_TEST_SAVES";

/// How many writers the kill test kills, if not 50.
const KILLS: &str = "MEMDIR_INDEX_KILLS";

#[expect(
    clippy::disallowed_methods,
    reason = "the test speaks to its own child processes"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A file whose content and line follow from its name, so that anybody can check them.
fn file_of(label: &str, n: usize) -> String {
    format!("w_{label}_{n}.md")
}

fn save(store: &Store, file: &str) {
    let memory = cleared(MemoryType::Project, file, &format!("hook of {file}"));
    let saved = store.save_as(file, memory, None).unwrap();
    assert_eq!(saved.file, file);
}

/// No test of its own: the body of the processes that the tests below start.
#[test]
fn child_writer() {
    let Some(dir) = variable(CHILD_DIR) else {
        return;
    };
    let label = variable(CHILD_LABEL).unwrap();
    let saves: usize = variable(CHILD_SAVES).unwrap().parse().unwrap();
    // With and without waiting for the disk: the moments of a kill fall differently.
    let durability = match label.len() % 2 {
        0 => Durability::PowerLoss,
        _ => Durability::ProcessDeath,
    };
    let options = StoreOptions::default().durability(durability);
    let store = Store::open_with(Path::new(&dir), options).unwrap();
    let mut out = std::io::stdout();
    for n in 0..saves {
        let file = file_of(&label, n);
        save(&store, &file);
        writeln!(out, "\nack {file}").unwrap();
        out.flush().unwrap();
    }
}

/// A child process that saves, and the names that it has acknowledged so far.
struct Writer {
    child: Child,
    acknowledged: Receiver<String>,
}

impl Writer {
    #[expect(
        clippy::disallowed_methods,
        reason = "processes are what the test is about"
    )]
    fn start(dir: &Path, label: &str, saves: usize) -> Writer {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "concurrency::child_writer",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD_DIR, dir)
            .env(CHILD_LABEL, label)
            .env(CHILD_SAVES, saves.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, acknowledged) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if let Some(file) = line.strip_prefix("ack ") {
                    let _ = send.send(file.to_owned());
                }
            }
        });
        Writer {
            child,
            acknowledged,
        }
    }

    /// Waits for the end, and answers all that was acknowledged.
    fn finish(mut self) -> Vec<String> {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "a writer failed: {status}");
        self.acknowledged.iter().collect()
    }

    /// Kills it without a chance to clean up.
    fn kill(mut self, mut seen: Vec<String>) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // The pipe still holds what was acknowledged before the end.
        seen.extend(self.acknowledged.iter());
        seen
    }
}

/// Every acknowledged memory is whole and has its line; no line is torn; index and files agree.
#[track_caller]
fn assert_nothing_lost<'a>(world: &World, acknowledged: impl IntoIterator<Item = &'a String>) {
    let store = world.store();
    let index = world.index();
    assert!(index.ends_with('\n'));
    let mut listed = BTreeSet::new();
    for line in index.lines() {
        let entry = Entry::parse(line).unwrap_or_else(|| panic!("torn line: {line:?}"));
        let whole = Entry::new(&entry.file, &entry.file, &format!("hook of {}", entry.file));
        assert_eq!(entry, whole);
        assert!(
            listed.insert(entry.file),
            "two lines for one file: {line:?}"
        );
    }
    for file in acknowledged {
        assert!(listed.contains(file), "acknowledged and not listed: {file}");
        let (memory, _) = store.read(file).unwrap();
        assert_eq!(memory.name(), Some(&**file));
        assert_eq!(memory.body().trim(), "body");
    }
    let check = store.check().unwrap();
    assert!(check.is_clean(), "{:?}", check.faults);
}

#[test]
fn threads_and_processes_that_save_at_once_lose_nothing() {
    let world = World::new();
    let (threads, processes, saves) = (8, 4, 25);
    let children: Vec<Writer> = (0..processes)
        .map(|p| Writer::start(world.dir(), &format!("p{p}"), saves))
        .collect();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let store = world.store();
            scope.spawn(move || {
                for n in 0..saves {
                    save(&store, &file_of(&format!("t{thread}"), n));
                }
            });
        }
    });
    let mut acknowledged: Vec<String> = (0..threads)
        .flat_map(|t| (0..saves).map(move |n| file_of(&format!("t{t}"), n)))
        .collect();
    acknowledged.extend(children.into_iter().flat_map(Writer::finish));
    assert_eq!(acknowledged.len(), (threads + processes) * saves);
    assert_nothing_lost(&world, &acknowledged);
    assert_eq!(
        Index::parse(&world.index()).entries().count(),
        acknowledged.len()
    );
}

#[test]
fn threads_that_save_rename_and_remove_at_once_leave_index_and_files_in_agreement() {
    let world = World::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = world.store();
            scope.spawn(move || {
                for n in 0..10 {
                    let (old, new) = (
                        format!("old_{thread}_{n}.md"),
                        file_of(&thread.to_string(), n),
                    );
                    let memory = cleared(MemoryType::User, &new, &format!("hook of {new}"));
                    store.save_as(&old, memory, None).unwrap();
                    store.rename(&old, &new).unwrap();
                    if n % 2 == 0 {
                        store.remove(&new, None).unwrap();
                    }
                }
            });
        }
    });
    let left: Vec<String> = (0..4)
        .flat_map(|t| {
            (0..10)
                .filter(|n| n % 2 == 1)
                .map(move |n| file_of(&t.to_string(), n))
        })
        .collect();
    assert_nothing_lost(&world, &left);
    assert_eq!(Index::parse(&world.index()).entries().count(), left.len());
}

/// A small generator of numbers: where a writer is killed should differ, and not be a secret.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn writers_killed_at_any_instant_lose_nothing_that_was_acknowledged() {
    let kills: usize = variable(KILLS).map_or(50, |n| n.parse().unwrap());
    // A fresh directory now and then keeps the index, and with it the time of a round, small.
    const ROUNDS_PER_WORLD: usize = 20;
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut world = World::new();
    let mut acknowledged = Vec::new();
    let mut in_the_middle = 0;
    for kill in 0..kills {
        if kill % ROUNDS_PER_WORLD == 0 {
            world = World::new();
            acknowledged = Vec::new();
        }
        // Two at once: the second takes the lock that the first one dies with.
        let label = format!("k{kill:04}{}", if kill % 2 == 0 { "" } else { "x" });
        let victim = Writer::start(world.dir(), &label, 1_000);
        let other = Writer::start(world.dir(), &format!("o{kill}"), 3);
        let mut seen = vec![victim.acknowledged.recv().unwrap()];
        for _ in 0..next(&mut state) % 3 {
            seen.push(victim.acknowledged.recv().unwrap());
        }
        // A random moment within the next saves, whatever is acknowledged in the meantime.
        let moment = Duration::from_micros(next(&mut state) % 6_000);
        let (_open, nothing) = channel::<()>();
        assert!(nothing.recv_timeout(moment).is_err());
        acknowledged.extend(victim.kill(seen));
        acknowledged.extend(other.finish());
        if world
            .names()
            .iter()
            .any(|name| name.ends_with(".tmp") || name.ends_with(".journal"))
        {
            in_the_middle += 1;
        }
        assert_nothing_lost(&world, &acknowledged);
        let left = world.names();
        assert!(
            !left
                .iter()
                .any(|name| name.ends_with(".tmp") || name.ends_with(".journal")),
            "{left:?}"
        );
    }
    // Were no writer ever caught in the middle, the test would show nothing.
    assert!(kills < 50 || in_the_middle > 0);
}
