//! Kills consolidations at random instants, while a session saves: before recovery every file is
//! whole, after it the memory is as before or as after, and nothing that was saved is lost.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use autodream::{
    Begun, Config, Dream, DreamJob, DreamOutcome, Gate, Host, Opening, Process, SubagentEnd,
    Transcripts, undo,
};
use memdir_index::Store;
use memdir_paths::MemoryDir;
use memdir_types::{Audience, Memory, MemoryType};
use tempfile::TempDir;

use super::lock::{Racer, random};
use crate::Result;

/// Files that every consolidation rewrites, all of them with its number.
const FILES: usize = 12;
/// Files that the session writes again and again.
const SAVED: usize = 8;
/// Of so many consolidations one is taken back again.
const UNDONE: u64 = 3;
/// The longest that a consolidating process lives before it is killed.
const LONGEST_LIFE: Duration = Duration::from_millis(600);
/// The longest that one is watched while it writes.
const LONGEST_WRITE: Duration = Duration::from_millis(12);

pub(super) fn run(kills: usize) -> Result<()> {
    // Alone, so that what a kill leaves behind is seen; then with a session that saves, whose next
    // write completes it at once.
    kill(kills / 2, Beside::Nobody)?;
    kill(kills - kills / 2, Beside::ASession)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nobody,
    ASession,
}

fn kill(kills: usize, beside: Beside) -> Result<()> {
    let started = Instant::now();
    let temp = TempDir::new()?;
    let path = temp.path().canonicalize()?.join("memory");
    fs::create_dir(&path)?;
    let store = Store::open(&path)?;
    for n in 0..FILES {
        save(&store, &dreamt_name(n), &dreamt_text(n, 0))?;
    }
    let saver = match beside {
        Beside::Nobody => None,
        Beside::ASession => Some(Racer::start(&path, "save")?),
    };
    let journal = path.join(".memdir-index.journal");
    let mut seed = 0x51_7cc1_b727_220a_u64;
    let (mut current, mut next, mut counts) = (0, 1_u64, Counts::default());
    for kill in 0..kills {
        let mut racer = Racer::start(&path, &format!("dream-from-{next}"))?;
        racer.hear()?;
        let mut rest = String::new();
        if kill % 4 == 0 {
            std::thread::sleep(LONGEST_LIFE.mul_f64(random(&mut seed)));
        } else {
            // Most of them while it writes, which it begins to behind that word.
            rest = format!("{}\n", racer.hear()?);
            let begin = Instant::now();
            while !journal.exists() && begin.elapsed() < LONGEST_LIFE {
                std::thread::yield_now();
            }
            std::thread::sleep(LONGEST_WRITE.mul_f64(random(&mut seed)));
        }
        racer.child.kill()?;
        racer.output.read_to_string(&mut rest)?;
        racer.child.wait()?;
        let fail =
            |what: String| -> Box<dyn std::error::Error> { format!("kill {kill}: {what}").into() };
        // Before recovery: every single file is whole.
        whole(&path).map_err(fail)?;
        let acknowledged = acknowledged(&path);
        counts.torn += usize::from(generations(&path).len() > 1);
        counts.journals += usize::from(journal.exists());
        // The next session of anybody: the lock, then the store.
        let gate = Gate::new(
            MemoryDir::new(&path),
            Transcripts::default(),
            Config::default(),
        );
        gate.recover(&Process::current())?;
        let store = Store::open(&path)?;
        // Whoever has the lock next completes what was begun; while it is held nobody writes.
        let held = store.exclusive()?;
        whole(&path).map_err(fail)?;
        let found = generations(&path);
        let expected = expected(&rest, current);
        match found.as_slice() {
            [one] if expected.contains(one) => current = *one,
            other => {
                return Err(fail(format!(
                    "generations {other:?}, expected one of {expected:?} after {rest:?}"
                )));
            }
        }
        lost(&path, &acknowledged).map_err(fail)?;
        let faults = store.check()?.faults;
        if !faults.is_empty() {
            return Err(fail(format!("{faults:?}")));
        }
        counts.dreams += rest
            .lines()
            .filter(|line| line.starts_with("ended"))
            .count();
        drop(held);
        // Numbers are never used twice: what was taken back does not come back.
        let begun = rest
            .lines()
            .filter(|line| line.starts_with("began"))
            .count();
        next += begun as u64 + 1;
    }
    drop(saver);
    let acknowledged = acknowledged(&path);
    drop(Store::open(&path)?.exclusive()?);
    lost(&path, &acknowledged)?;
    leftovers(&path)?;
    say!(
        "soak: {kills} consolidations killed ({} between two files, {} with a journal), {} ended \
         before; each time as before or as after; {} saves beside them, none lost; {:.1} s",
        counts.torn,
        counts.journals,
        counts.dreams,
        acknowledged.values().max().unwrap_or(&0),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

#[derive(Default)]
struct Counts {
    torn: usize,
    journals: usize,
    dreams: usize,
}

fn dreamt_name(n: usize) -> String {
    format!("project_dreamt_{n}.md")
}

fn dreamt_text(n: usize, generation: u64) -> String {
    let body = format!(
        "generation {generation}\n{}end {generation}\n",
        "a line\n".repeat(20)
    );
    let name = format!("dreamt {n}");
    Memory::new(MemoryType::Project, &name, "is dreamt anew", &body).render()
}

fn save(store: &Store, file: &str, text: &str) -> Result<()> {
    let cleared = memdir_types::gate(&Memory::parse(text), Audience::Private)?;
    store.save_as(file, cleared, None)?;
    Ok(())
}

/// The numbers of the files that consolidations rewrite.
fn generations(dir: &Path) -> Vec<u64> {
    let mut all: Vec<u64> = (0..FILES)
        .filter_map(|n| {
            let text = fs::read_to_string(dir.join(dreamt_name(n))).ok()?;
            let number = text.split("generation ").nth(1)?.lines().next()?;
            number.parse().ok()
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether every file begins and ends as it was written.
fn whole(dir: &Path) -> Result<(), String> {
    for n in 0..FILES {
        let name = dreamt_name(n);
        let text = fs::read_to_string(dir.join(&name)).map_err(|e| format!("{name}: {e}"))?;
        let number = text
            .split("generation ")
            .nth(1)
            .and_then(|rest| rest.lines().next());
        let number = number.ok_or_else(|| format!("{name} is torn: {text:?}"))?;
        if !text.starts_with("---\n") || !text.ends_with(&format!("end {number}\n")) {
            return Err(format!("{name} is torn: {text:?}"));
        }
    }
    let index = fs::read_to_string(dir.join("MEMORY.md")).map_err(|e| e.to_string())?;
    for line in index.lines() {
        if !line.starts_with("- [") || !line.contains("](") {
            return Err(format!("a line of the index is torn: {line:?}"));
        }
    }
    Ok(())
}

/// The generations that may stand there after what the process said: what it had finished, and
/// what it was about.
fn expected(said: &str, current: u64) -> Vec<u64> {
    let (mut before, mut stable) = (current, current);
    let mut last = ("", 0);
    for line in said.lines() {
        let Some((word, number)) = line.split_once(' ') else {
            continue;
        };
        let number = number.parse().unwrap_or(0);
        match word {
            "ended" => (before, stable) = (stable, number),
            "undone" => stable = before,
            _ => {}
        }
        last = (word, number);
    }
    match last {
        ("began", number) => vec![stable, number],
        ("ended", number) if number.is_multiple_of(UNDONE) => vec![stable, before],
        _ => vec![stable],
    }
}

/// Where the session says what it has saved: beside the directory.
fn books(dir: &Path) -> PathBuf {
    dir.with_extension("saved")
}

/// The last number that was acknowledged for each file. A line at the end may be cut.
fn acknowledged(dir: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(books(dir)).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter_map(|(file, number)| Some((file.to_owned(), number.parse().ok()?)))
        .collect()
}

/// Whether all that was said to be saved is there, or something later, and listed.
fn lost(dir: &Path, acknowledged: &BTreeMap<String, u64>) -> Result<(), String> {
    let index = fs::read_to_string(dir.join("MEMORY.md")).map_err(|e| e.to_string())?;
    for (file, number) in acknowledged {
        let text = fs::read_to_string(dir.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let there = text
            .rsplit("saved ")
            .next()
            .and_then(|rest| rest.lines().next());
        let there: u64 = there.and_then(|n| n.parse().ok()).unwrap_or(0);
        if there < *number {
            return Err(format!("{file} says {there}, {number} was acknowledged"));
        }
        if !index.contains(&format!("]({file})")) {
            return Err(format!("{file} is not listed"));
        }
    }
    Ok(())
}

/// Nothing but the records of runs may stay behind.
fn leftovers(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_known = !name.starts_with('.')
            || [
                ".autodream",
                ".memdir-index.lock",
                ".consolidate-lock",
                ".consolidate-lock.guard",
            ]
            .contains(&name.as_str());
        if !is_known {
            return Err(format!("{name} was left behind").into());
        }
    }
    Ok(())
}

/// The session beside: saves without end.
pub(super) fn saver(dir: &Path) -> Result<ExitCode> {
    let store = Store::open(dir)?;
    let mut out = fs::File::options()
        .create(true)
        .append(true)
        .open(books(dir))?;
    for number in 1_u64.. {
        let n = number % SAVED as u64;
        let file = format!("user_saved_{n}.md");
        let name = format!("saved {n}");
        let body = format!("saved {number}\n");
        let text = Memory::new(MemoryType::User, &name, "is saved anew", &body).render();
        save(&store, &file, &text)?;
        out.write_all(format!("{file} {number}\n").as_bytes())?;
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(ExitCode::SUCCESS)
}

/// The process that dies: one consolidation after the other, every third taken back.
pub(super) fn dreamer(dir: &MemoryDir, first: u64) -> Result<ExitCode> {
    let tell = |text: String| -> Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()?;
        Ok(())
    };
    let process = Process::current();
    let mut gate = Gate::new(dir.clone(), Transcripts::default(), Config::default());
    gate.recover(&process)?;
    tell("ready 0".to_owned())?;
    for generation in first.. {
        let host = Host::default().auto_memory(true);
        let ticket = match gate.manual(SystemTime::now(), &host, &process)? {
            Opening::Open(ticket) => ticket,
            Opening::Closed(closed) => return Err(closed.to_string().into()),
        };
        let job = DreamJob::new(dir.path()).kind(autodream::DreamKind::Logs);
        let Begun::Ready(dream) = Dream::begin(ticket, &job, SystemTime::now()) else {
            return Err("it did not begin".into());
        };
        for n in 0..FILES {
            let path = dream.directory().join(dreamt_name(n));
            fs::write(path, dreamt_text(n, generation))?;
        }
        tell(format!("began {generation}"))?;
        let ended: Result<SubagentEnd, std::io::Error> = Ok(SubagentEnd::finished("done"));
        let end = dream.finish(ended, SystemTime::now());
        let DreamOutcome::Improved(report) = end.outcome else {
            return Err(format!("{:?}", end.outcome).into());
        };
        tell(format!("ended {generation}"))?;
        if generation.is_multiple_of(UNDONE) {
            undo(dir, &report.run, SystemTime::now())?;
            tell(format!("undone {generation}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
