//! The records of runs: what each changed, and what the files were before.
//!
//! A record is a folder with `run.json` and, for each file that was there before, its bytes under
//! the number of the change. It is written before the run is, with a mark that goes when the run
//! is written; a mark that stays tells of a crash, and the files tell what became of the run.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memdir_index::{Access, ENTRYPOINT, Exclusive, Fingerprint, Store, StoreOptions};
use memdir_paths::MemoryDir;
use serde_json::{Value, json};

use super::report::{FileChange, Report, RunId, What};
use super::state::{Known, State};
use super::{place, print};
use crate::Error;

const RECORD: &str = "run.json";
const PENDING: &str = "pending";
/// A folder with a higher number is none of ours: there must be numbers behind it.
const MAX_NUMBER: u64 = 1 << 48;

/// A run that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// When it was.
    pub at: SystemTime,
    /// The files that it left other than before, by name; the index is among them.
    pub changes: Vec<FileChange>,
    /// When it was undone, if it was.
    pub undone: Option<SystemTime>,
}

/// The runs that can be undone, the latest first. One whose record cannot be read is not among
/// them.
///
/// # Errors
///
/// [`ErrorKind::NotAFolder`](crate::ErrorKind::NotAFolder) for something planted in the place of
/// the records, or the system's.
pub fn runs(dir: &MemoryDir) -> Result<Vec<Run>, Error> {
    let options = StoreOptions::default().access(Access::ReadOnly);
    let store = Store::open_with(dir.path(), options).map_err(Error::index)?;
    let mut runs = Vec::new();
    for (_, folder) in folders(dir.path())? {
        let Ok(Some(run)) = read(&folder) else {
            continue;
        };
        let is_pending = folder.join(PENDING).symlink_metadata().is_ok();
        if !is_pending || happened(&run, &|file| current(&store.read_bytes(file))) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The folders of records with their numbers, the latest first.
fn folders(dir: &Path) -> Result<Vec<(u64, PathBuf)>, Error> {
    let path = place::own(dir, Some(place::RUNS));
    if !place::check(&place::own(dir, None))? || !place::check(&path)? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&path).map_err(|e| Error::io(&path, e))? {
        let entry = entry.map_err(|e| Error::io(&path, e))?;
        let number = entry.file_name().to_str().and_then(number);
        if let (Some(number), true) = (number, entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            found.push((number, entry.path()));
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

fn number(id: &str) -> Option<u64> {
    let number = id.split_once('-')?.0.parse().ok()?;
    (number <= MAX_NUMBER).then_some(number)
}

/// The folder of a run, if there is one.
pub(super) fn folder(dir: &Path, run: &RunId) -> Result<Option<PathBuf>, Error> {
    let folders = folders(dir)?.into_iter().map(|(_, folder)| folder);
    // Compared with what is there, so that no name leads anywhere else.
    Ok(folders
        .into_iter()
        .find(|folder| folder.file_name().is_some_and(|name| name == run.as_str())))
}

/// The name of the next run.
pub(super) fn next_id(dir: &Path, now: SystemTime) -> Result<RunId, Error> {
    let next = folders(dir)?
        .first()
        .map_or(0, |(number, _)| *number)
        .saturating_add(1);
    let (date, time) = memdir_index::local_date_time(now, 0);
    let time = time.to_string().replace(':', "");
    let (year, month, day) = (date.year, date.month, date.day);
    Ok(RunId(format!("{next}-{year:04}{month:02}{day:02}T{time}Z")))
}

/// The bytes that a file had before, with their time.
type Before<'a> = &'a dyn Fn(&FileChange) -> Option<(Vec<u8>, Option<SystemTime>)>;

/// Writes a record that is pending; answers its folder.
pub(super) fn begin(dir: &Path, report: &Report, before: Before<'_>) -> Result<PathBuf, Error> {
    let runs = place::ensure(dir, Some(place::RUNS))?;
    let folder = runs.join(report.run.as_str());
    place::remove(&folder)?;
    let attempt = || -> Result<(), Error> {
        place::make(&folder)?;
        place::write(&folder.join(PENDING), b"")?;
        for (number, change) in report.changes.iter().enumerate() {
            if let Some((bytes, modified)) = before(change) {
                let name = match &change.what {
                    What::Moved { from } => from,
                    _ => &change.file,
                };
                let path = blob(&folder, number);
                keep(&path, &bytes, modified, &dir.join(name)).map_err(|e| Error::io(&path, e))?;
            }
        }
        let run = Run {
            id: report.run.clone(),
            at: report.at,
            changes: report.changes.clone(),
            undone: None,
        };
        write(&folder, &run)
    };
    let written = attempt();
    if let Err(error) = written {
        let _ = place::remove(&folder);
        return Err(error);
    }
    Ok(folder)
}

/// The bytes of a file, with its time and its mode.
fn keep(path: &Path, bytes: &[u8], modified: Option<SystemTime>, like: &Path) -> io::Result<()> {
    let like = fs::metadata(like)?;
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    if let Some(modified) = modified.or_else(|| like.modified().ok()) {
        file.set_modified(modified)?;
    }
    file.set_permissions(like.permissions())?;
    file.sync_all()
}

pub(super) fn blob(folder: &Path, number: usize) -> PathBuf {
    folder.join(number.to_string())
}

/// The run is written.
pub(super) fn finish(folder: &Path) -> Result<(), Error> {
    let mark = folder.join(PENDING);
    fs::remove_file(&mark).map_err(|e| Error::io(mark, e))
}

/// Removes the records of all but the latest runs, and what is none: nothing else counts as one
/// that is kept.
pub(super) fn forget(dir: &Path, keep: usize) -> Result<(), Error> {
    let mut kept = 0;
    for (_, folder) in folders(dir)? {
        if kept < keep && matches!(read(&folder), Ok(Some(_))) {
            kept += 1;
            continue;
        }
        // First what makes it a record, so that a half of it is none.
        place::remove(&folder.join(RECORD))?;
        place::remove(&folder)?;
    }
    Ok(())
}

/// What became of runs that a crash interrupted. The journal of the store has been completed when
/// its lock was taken.
pub(super) fn settle(dir: &Path, live: &Exclusive<'_>) -> Result<(), Error> {
    for (_, folder) in folders(dir)? {
        if folder.join(PENDING).symlink_metadata().is_err() {
            continue;
        }
        let read_bytes = |file: &str| live.read_bytes(file);
        let run = read(&folder).ok().flatten();
        match run.filter(|run| happened(run, &|file| current(&read_bytes(file)))) {
            Some(run) => {
                if let Some(mut state) = State::read(dir)? {
                    advance(&mut state, &run, live);
                    state.write(dir)?;
                }
                finish(&folder)?;
            }
            None => place::remove(&folder)?,
        }
    }
    Ok(())
}

/// Brings what is known of the directory to where a run left it.
fn advance(state: &mut State, run: &Run, live: &Exclusive<'_>) {
    for change in &run.changes {
        if let What::Moved { from } = &change.what {
            state.files.remove(from);
        }
        if change.file == ENTRYPOINT {
            state.index = change.after;
        } else if let Ok(Some(bytes)) = live.read_bytes(&change.file) {
            state.files.insert(change.file.clone(), Known::of(&bytes));
        } else {
            state.files.remove(&change.file);
        }
    }
}

/// Whether a run was written: a file is as it left it, or none is as before it. One that was
/// not, and after which a session saved, has files that are neither.
fn happened(run: &Run, current: &dyn Fn(&str) -> Option<Fingerprint>) -> bool {
    let mut is_any_before = false;
    for change in &run.changes {
        let now = current(&change.file);
        let (is_before, is_after) = match &change.what {
            What::Moved { from } => {
                let old = current(from);
                let is_after = old == Some(Fingerprint::ABSENT) && now == Some(change.after);
                (old == Some(change.before), is_after)
            }
            _ => (now == Some(change.before), now == Some(change.after)),
        };
        // As before and as after at once says nothing.
        if is_after && !is_before {
            return true;
        }
        is_any_before |= is_before;
    }
    !is_any_before
}

fn current(read: &Result<Option<Vec<u8>>, memdir_index::Error>) -> Option<Fingerprint> {
    read.as_ref().ok().map(|bytes| print(bytes.as_deref()))
}

/// Writes `run.json`.
pub(super) fn write(folder: &Path, run: &Run) -> Result<(), Error> {
    let changes: Vec<Value> = run.changes.iter().map(change_to_json).collect();
    let value = json!({
        "at": time_to_json(run.at),
        "changes": changes,
        "undone": run.undone.map(time_to_json),
    });
    place::write(&folder.join(RECORD), value.to_string().as_bytes())
}

/// Reads `run.json`; `None` if it is none.
pub(super) fn read(folder: &Path) -> Result<Option<Run>, Error> {
    let Some(id) = folder.file_name().and_then(|name| name.to_str()) else {
        return Ok(None);
    };
    let Some(bytes) = place::read(&folder.join(RECORD))? else {
        return Ok(None);
    };
    let parse = || -> Option<Run> {
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let changes = value.get("changes")?.as_array()?;
        Some(Run {
            id: RunId(id.to_owned()),
            at: time_from_json(value.get("at")?)?,
            changes: changes
                .iter()
                .map(change_from_json)
                .collect::<Option<_>>()?,
            undone: value.get("undone").and_then(time_from_json),
        })
    };
    Ok(parse())
}

fn change_to_json(change: &FileChange) -> Value {
    let (what, from) = match &change.what {
        What::Created => ("created", None),
        What::Changed => ("changed", None),
        What::Deleted => ("deleted", None),
        What::Moved { from } => ("moved", Some(from)),
    };
    json!({
        "file": change.file,
        "what": what,
        "from": from,
        "before": change.before.to_string(),
        "after": change.after.to_string(),
        "bytes_before": change.bytes_before,
        "bytes_after": change.bytes_after,
        "added": change.added,
        "removed": change.removed,
        "diff": change.diff,
    })
}

fn change_from_json(value: &Value) -> Option<FileChange> {
    let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    let number = |key: &str| value.get(key)?.as_u64();
    Some(FileChange {
        file: text("file")?,
        what: match &*text("what")? {
            "created" => What::Created,
            "changed" => What::Changed,
            "deleted" => What::Deleted,
            "moved" => What::Moved {
                from: text("from")?,
            },
            _ => return None,
        },
        before: text("before")?.parse().ok()?,
        after: text("after")?.parse().ok()?,
        bytes_before: number("bytes_before")?,
        bytes_after: number("bytes_after")?,
        added: usize::try_from(number("added")?).ok()?,
        removed: usize::try_from(number("removed")?).ok()?,
        diff: text("diff")?,
    })
}

/// Seconds since 1970, negative before it, and nanoseconds.
fn time_to_json(time: SystemTime) -> Value {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => json!([since.as_secs(), since.subsec_nanos()]),
        Err(before) => {
            let before = before.duration();
            json!([
                -i64::try_from(before.as_secs()).unwrap_or(i64::MAX),
                before.subsec_nanos()
            ])
        }
    }
}

fn time_from_json(value: &Value) -> Option<SystemTime> {
    let seconds = value.get(0)?.as_i64()?;
    let nanos = u32::try_from(value.get(1)?.as_u64()?).ok()?;
    if nanos >= 1_000_000_000 {
        return None;
    }
    let duration = Duration::new(seconds.unsigned_abs(), nanos);
    match seconds < 0 {
        true => UNIX_EPOCH.checked_sub(duration),
        false => UNIX_EPOCH.checked_add(duration),
    }
}
