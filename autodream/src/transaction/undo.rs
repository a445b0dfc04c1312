//! Taking a run back, as far as its files are as it left them.

use std::fmt;
use std::path::Path;
use std::time::SystemTime;

use memdir_index::{Batch, ENTRYPOINT, Entry, Exclusive, Fingerprint, Index, Store};
use memdir_paths::MemoryDir;
use memdir_types::{Audience, Memory, gate_text};

use super::live::is_among;
use super::record::{self, Run};
use super::report::{FileChange, KeptBack, KeptReason, RunId, What, printable};
use super::state::{Known, State, Tombstones};
use super::{place, print};
use crate::{Error, ErrorKind};

/// What undoing a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Undone {
    /// The run.
    pub run: RunId,
    /// When it was taken back.
    pub at: SystemTime,
    /// Files that are again what they were before it; the index is among them.
    pub restored: Vec<String>,
    /// Files that it had created, or moved there, which are gone.
    pub removed: Vec<String>,
    /// What was not taken back, since somebody changed the file after the run.
    pub kept: Vec<KeptBack>,
}

/// A line for each file: what became of it, or why it was left.
impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.restored {
            writeln!(f, "restored  {}", printable(file))?;
        }
        for file in &self.removed {
            writeln!(f, "removed   {}", printable(file))?;
        }
        for kept in &self.kept {
            writeln!(f, "left      {}: {}", printable(&kept.file), kept.reason)?;
        }
        Ok(())
    }
}

/// What is to be done, and what it comes to.
struct Undoing<'a> {
    live: &'a Exclusive<'a>,
    folder: &'a Path,
    kept_name: String,
    batch: Batch,
    undone: Undone,
    tombstones: Tombstones,
    /// The lines that files need that come back, if the index before the run is not there.
    lines: Vec<Entry>,
}

/// Takes a run back: every file that is still as it left it becomes what it was before, as a
/// whole, journalled like the run itself. What was changed since stays and is reported. What the
/// run had created or worded anew counts as rejected: no later run brings it back. A file that is
/// as before already is passed over, so that a second call completes what a first could not.
///
/// # Errors
///
/// [`ErrorKind::NoRun`]; [`ErrorKind::Index`] if the store could not be locked or written; or the
/// system's.
pub fn undo(dir: &MemoryDir, run: &RunId, now: SystemTime) -> Result<Undone, Error> {
    let path = dir.path();
    let store = Store::open(path).map_err(Error::index)?;
    let live = store.exclusive().map_err(Error::index)?;
    record::settle(path, &live)?;
    let no_run = || Error::new(ErrorKind::NoRun, place::own(path, Some(place::RUNS)));
    let folder = record::folder(path, run)?.ok_or_else(no_run)?;
    let record = record::read(&folder).ok().flatten();
    let mut record = record.ok_or_else(no_run)?;

    // What the person did since the last run, before this adds to it.
    let last = State::read(path)?;
    let mut tombstones = Tombstones::read(path)?;
    let left_out = live
        .list()
        .left_out
        .into_iter()
        .map(|left| left.file)
        .collect();
    tombstones.observe(last.as_ref(), &known(&live, last.as_ref())?, &|file| {
        is_among(&left_out, file)
    });
    let mut undoing = Undoing {
        live: &live,
        folder: &folder,
        kept_name: format!("{}/{}/{run}", place::OWN, place::RUNS),
        batch: Batch::new(),
        undone: Undone {
            run: run.clone(),
            at: now,
            restored: Vec::new(),
            removed: Vec::new(),
            kept: Vec::new(),
        },
        tombstones,
        lines: Vec::new(),
    };
    undoing.plan(&record)?;
    let Undoing {
        batch,
        mut undone,
        tombstones,
        ..
    } = undoing;
    // First, so that a crash does not bring back what is rejected here. What is there all the same
    // is not held to be rejected.
    tombstones.write(path)?;
    if !batch.is_empty() {
        let applied = live.apply(&batch).map_err(Error::index)?;
        for file in applied.left {
            undone.restored.retain(|other| *other != file);
            undone.removed.retain(|other| *other != file);
            undone.kept.push(KeptBack {
                file,
                what: What::Changed,
                reason: KeptReason::ChangedMeanwhile,
            });
        }
    }
    // It is taken back: if this fails, the next run knows less.
    let _ = known(&live, last.as_ref()).and_then(|state| state.write(path));
    if record.undone.is_none() {
        record.undone = Some(now);
        let _ = record::write(&folder, &record);
    }
    Ok(undone)
}

/// The directory as it is, but for the logs, which are as the last run saw them.
fn known(live: &Exclusive<'_>, last: Option<&State>) -> Result<State, Error> {
    let mut state = State {
        files: Default::default(),
        index: print(
            live.read_bytes(ENTRYPOINT)
                .map_err(Error::index)?
                .as_deref(),
        ),
        logs: last.map_or(Fingerprint::ABSENT, |last| last.logs),
    };
    for file in live.list().files {
        // One that cannot be read is there all the same.
        let bytes = live.read_bytes(&file).ok().flatten().unwrap_or_default();
        state.files.insert(file, Known::of(&bytes));
    }
    Ok(state)
}

impl Undoing<'_> {
    fn plan(&mut self, run: &Run) -> Result<(), Error> {
        for (number, change) in run.changes.iter().enumerate() {
            if change.file != ENTRYPOINT {
                self.plan_file(number, change);
            }
        }
        let index = run.changes.iter().enumerate();
        for (number, change) in index.filter(|(_, change)| change.file == ENTRYPOINT) {
            self.plan_index(number, change)?;
        }
        Ok(())
    }

    /// `None` for something that is there and cannot be read.
    fn now(&self, file: &str) -> Option<Fingerprint> {
        let read = self.live.read_bytes(file).ok()?;
        Some(print(read.as_deref()))
    }

    fn plan_file(&mut self, number: usize, change: &FileChange) {
        let file = &change.file;
        let now = self.now(file);
        let is_before = match &change.what {
            What::Moved { from } => {
                now == Some(Fingerprint::ABSENT) && self.now(from) == Some(change.before)
            }
            _ => now == Some(change.before),
        };
        if is_before {
            return;
        }
        let is_free = match &change.what {
            What::Moved { from } => self.now(from) == Some(Fingerprint::ABSENT),
            _ => true,
        };
        if now != Some(change.after) || !is_free {
            let (file, what) = reverse(file, &change.what);
            return self.undone.kept.push(KeptBack {
                file,
                what,
                reason: KeptReason::ChangedMeanwhile,
            });
        }
        let bytes = self
            .live
            .read_bytes(file)
            .ok()
            .flatten()
            .unwrap_or_default();
        let known = Known::of(&bytes);
        let is_renamed = matches!(change.what, What::Moved { .. }) && change.before == change.after;
        let before = self.before(number);
        let needs = change.before != Fingerprint::ABSENT && !is_renamed;
        if needs && print(before.as_deref()) != change.before {
            let (file, what) = reverse(file, &change.what);
            return self.undone.kept.push(KeptBack {
                file,
                what,
                reason: KeptReason::Unrecoverable,
            });
        }
        let before = before.unwrap_or_default();
        let kept = format!("{}/{number}", self.kept_name);
        match &change.what {
            What::Created => {
                self.batch.remove(file, change.after);
                self.undone.removed.push(file.clone());
                self.tombstones.bury(file, &known);
            }
            What::Moved { from } => {
                match is_renamed {
                    true => self.batch.rename(file, from, change.after),
                    false => {
                        self.batch.remove(file, change.after);
                        self.batch.put_back(from, Fingerprint::ABSENT, &kept);
                    }
                }
                self.undone.removed.push(file.clone());
                self.undone.restored.push(from.clone());
                // The memory stays, under its old name.
                let name_only = Known {
                    title: None,
                    body: None,
                    ..known
                };
                self.tombstones.bury(file, &name_only);
            }
            what => {
                self.batch.put_back(file, change.after, &kept);
                self.undone.restored.push(file.clone());
                let memory = Memory::from_bytes(&before);
                self.lines.push(Entry::new(
                    memory.name().unwrap_or_default(),
                    file,
                    memory.description().unwrap_or_default(),
                ));
                if *what == What::Changed && Known::of(&before).body != known.body {
                    self.tombstones.bury_text(&known);
                }
            }
        }
    }

    /// What was kept of a file.
    fn before(&self, number: usize) -> Option<Vec<u8>> {
        place::read(&record::blob(self.folder, number))
            .ok()
            .flatten()
    }

    /// The index as a whole if it is as the run left it and every file is taken back; else line by
    /// line.
    fn plan_index(&mut self, number: usize, change: &FileChange) -> Result<(), Error> {
        let now = self.live.read_bytes(ENTRYPOINT).map_err(Error::index)?;
        let now_print = print(now.as_deref());
        if now_print == change.before {
            return Ok(());
        }
        let before = self.before(number);
        let is_whole = print(before.as_deref()) == change.before;
        if now_print == change.after && self.undone.kept.is_empty() && is_whole {
            match change.before {
                Fingerprint::ABSENT => self.batch.remove(ENTRYPOINT, now_print),
                _ => {
                    let kept = format!("{}/{number}", self.kept_name);
                    self.batch.put_back(ENTRYPOINT, now_print, &kept);
                }
            }
            self.undone.restored.push(ENTRYPOINT.to_owned());
            return Ok(());
        }
        let before = before.filter(|_| is_whole).unwrap_or_default();
        let before = Index::from_bytes(&before);
        let now = now.unwrap_or_default();
        let mut index = Index::from_bytes(&now);
        for file in &self.undone.removed {
            index.remove(file);
        }
        for file in &self.undone.restored {
            let line = self.lines.iter().find(|line| line.file == *file);
            match (before.find(file), line) {
                (Some(entry), _) => drop(index.upsert(entry)),
                (None, Some(line)) if !is_whole && index.find(file).is_none() => {
                    index.upsert(line);
                }
                _ => {}
            }
        }
        let bytes = index.to_bytes();
        if bytes == now {
            return Ok(());
        }
        // A private text always passes; what forges a prompt tag is escaped.
        if let Ok(cleared) = gate_text(&String::from_utf8_lossy(&bytes), Audience::Private) {
            self.batch.index(now_print, cleared);
        }
        Ok(())
    }
}

/// What would have to happen to take a change back.
fn reverse(file: &str, what: &What) -> (String, What) {
    let file = file.to_owned();
    match what {
        What::Created => (file, What::Deleted),
        What::Deleted => (file, What::Created),
        What::Moved { from } => (from.clone(), What::Moved { from: file }),
        What::Changed => (file, What::Changed),
    }
}
