//! A write of several files that happens as a whole.
//!
//! First every new content becomes a file of its own in a folder beside the index, then the journal
//! names all files with their fingerprints before and after, then one file after the other is
//! exchanged by renaming, the index last. From the journal on, the folder has all that it takes to
//! go forward, which needs no room on the disk, and, for each file that was exchanged, what it was,
//! to go back. As long as the folder has its mark, recovery goes forward.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memdir_types::{Audience, Cleared, Memory};

use super::journal::{Intent, MAX_JOURNAL_BYTES, Outcome, Recovery, is_lasting};
use super::lock::Lock;
use super::place::check_depth;
use super::{Durability, MAX_READ_BYTES, Store, atomic};
use crate::{Budget, ENTRYPOINT, Entry, Error, ErrorKind, Fingerprint, budget};

/// The folder of a batch. Hidden, so that no scan goes there; nothing in it ends in `.md`.
pub(super) const BATCH_FOLDER: &str = ".memdir-batch";

/// Stands in the folder while the write goes forward. Taking it away needs no room on the disk.
const FORWARD: &str = "forward";

/// One file of a batch; its content is the blob of the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) file: String,
    pub(super) before: Fingerprint,
    pub(super) after: Fingerprint,
}

/// Edits of several files, to be written as a whole by [`Exclusive::apply`](crate::Exclusive::apply).
///
/// Each edit says what it expects the file to be; [`Fingerprint::ABSENT`] expects none. New text
/// enters as [`Cleared`] only.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    edits: Vec<Edit>,
}

#[derive(Debug, Clone)]
struct Edit {
    file: String,
    expected: Fingerprint,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Text {
        bytes: Vec<u8>,
        audience: Audience,
    },
    /// A file of the directory that holds what stood here before.
    Kept(String),
    /// The content of another memory, which goes away.
    Of(String),
    /// None: the file goes away.
    Nothing,
}

impl Batch {
    /// No edits.
    #[must_use]
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Creates or replaces a memory.
    pub fn save(&mut self, file: &str, expected: Fingerprint, memory: Cleared<Memory>) {
        let content = Content::Text {
            audience: memory.audience(),
            bytes: memory.render().into_bytes(),
        };
        self.push(file, expected, content);
    }

    /// Removes a memory or, under its name, the index.
    pub fn remove(&mut self, file: &str, expected: Fingerprint) {
        self.push(file, expected, Content::Nothing);
    }

    /// Gives a memory another name. Its content, its mode and its time stay.
    pub fn rename(&mut self, from: &str, to: &str, expected: Fingerprint) {
        self.push(to, Fingerprint::ABSENT, Content::Of(from.to_owned()));
        self.push(from, expected, Content::Nothing);
    }

    /// Replaces the index.
    pub fn index(&mut self, expected: Fingerprint, text: Cleared<String>) {
        let content = Content::Text {
            audience: text.audience(),
            bytes: text.into_inner().into_bytes(),
        };
        self.push(ENTRYPOINT, expected, content);
    }

    /// Puts back what a memory or the index was before, with the time that the kept file has:
    /// `kept` names a file below a hidden folder of the directory. These bytes have stood in the
    /// directory already and need not be text, so they do not pass the gate.
    pub fn put_back(&mut self, file: &str, expected: Fingerprint, kept: &str) {
        self.push(file, expected, Content::Kept(kept.to_owned()));
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    fn push(&mut self, file: &str, expected: Fingerprint, content: Content) {
        self.edits.push(Edit {
            file: file.to_owned(),
            expected,
            content,
        });
    }

    /// Files appear before others go, so that no text is nowhere; the index is last.
    fn ordered(&self) -> Vec<&Edit> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| match (&*edit.file, &edit.content) {
            (ENTRYPOINT, _) => 2,
            (_, Content::Nothing) => 1,
            _ => 0,
        });
        edits
    }
}

/// What writing a batch did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Applied {
    /// The files that were written or removed, the index included.
    pub files: Vec<String>,
    /// Files that another program changed in the middle of the write, which were left alone.
    pub left: Vec<String>,
    /// What the index looks like now.
    pub index: Fingerprint,
    /// Advice, if the index is near its caps.
    pub budget: Option<Budget>,
}

impl Store {
    fn batch_path(&self, name: &str) -> PathBuf {
        self.dir.join(BATCH_FOLDER).join(name)
    }

    fn blob(&self, step: usize) -> PathBuf {
        self.batch_path(&step.to_string())
    }

    /// What the file of that step was.
    fn was(&self, step: usize) -> PathBuf {
        self.batch_path(&format!("{step}.was"))
    }

    /// Removes the folder of a batch; with the lock held and no journal nobody needs it. Best
    /// effort: no scan goes there.
    pub(super) fn clean_batch(&self) {
        let folder = self.dir.join(BATCH_FOLDER);
        match fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => drop(fs::remove_dir_all(folder)),
            // Something planted: it goes, not what it leads to.
            Ok(_) => drop(fs::remove_file(folder)),
            Err(_) => {}
        }
    }

    pub(super) fn apply_locked(&self, lock: &Lock, batch: &Batch) -> Result<Applied, Error> {
        self.clean_batch();
        let edits = batch.ordered();
        self.check_edits(&edits)?;
        let prepared = self.prepare(&edits).and_then(|steps| {
            let intent = Intent::Batch(steps.clone());
            self.begin_intent(&intent).map(|()| steps)
        });
        let steps = match prepared {
            Ok(steps) => steps,
            Err(error) => {
                let _ = self.end_intent();
                self.clean_batch();
                return Err(error);
            }
        };
        let left = match self.roll_forward(&steps, Obstacle::Fails) {
            Ok(left) => left,
            Err(error) => {
                return Err(match self.roll_back(lock, &steps) {
                    Ok(_) => {
                        self.finish_batch(&steps)?;
                        error
                    }
                    Err(_) => Error::new(ErrorKind::Unfinished, &self.dir).with_source(error),
                });
            }
        };
        // From here on all is written; what is left to do can be done by the next as well.
        self.reconcile(lock, &steps, &left)?;
        self.finish_batch(&steps)?;
        let index = self.index()?.to_bytes();
        let files = steps.into_iter().map(|step| step.file);
        Ok(Applied {
            files: files.filter(|file| !left.contains(file)).collect(),
            left,
            index: self.index_fingerprint()?,
            budget: budget(&index, self.options.limits),
        })
    }

    /// All that can be known before anything is written.
    fn check_edits(&self, edits: &[&Edit]) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        for edit in edits {
            self.check_any(&edit.file)?;
            check_depth(&edit.file)?;
            if let Content::Text { bytes, audience } = &edit.content {
                self.check_audience(*audience)?;
                self.check_size(bytes.len() as u64, &edit.file)?;
            }
            let place = match &edit.content {
                Content::Nothing => self.spelled(&edit.file)?,
                _ => self.target(&edit.file)?,
            };
            if self.exists(&edit.file)? && matches!(edit.content, Content::Of(_)) {
                return Err(Error::new(ErrorKind::Exists, place));
            }
            let now = atomic::fingerprint(self.snapshot(&edit.file)?.as_ref());
            if now != edit.expected {
                return Err(Error::new(ErrorKind::Conflict, place));
            }
            // By place, so that a link and what it leads to are one.
            if !seen.insert(place.clone()) {
                return Err(Error::new(ErrorKind::Exists, place));
            }
        }
        self.index_target()?;
        Ok(())
    }

    fn check_size(&self, bytes: u64, file: &str) -> Result<(), Error> {
        if bytes > MAX_READ_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes,
                limit: MAX_READ_BYTES,
            };
            return Err(Error::new(kind, self.dir.join(file)));
        }
        Ok(())
    }

    /// Writes the blobs and the mark, and makes the folders that new files need.
    fn prepare(&self, edits: &[&Edit]) -> Result<Vec<Step>, Error> {
        let folder = self.dir.join(BATCH_FOLDER);
        make_folder(&folder).map_err(|e| Error::io(&folder, e))?;
        let mut steps = Vec::with_capacity(edits.len());
        for (number, edit) in edits.iter().enumerate() {
            let blob = self.blob(number);
            let after = match &edit.content {
                Content::Text { bytes, .. } => {
                    self.write_blob(&blob, bytes)?;
                    Fingerprint::of(bytes)
                }
                Content::Kept(kept) => self.copy_blob(&blob, kept, &edit.file)?,
                Content::Of(from) => self.link_blob(&blob, from)?,
                Content::Nothing => Fingerprint::ABSENT,
            };
            if after != Fingerprint::ABSENT
                && let Some(parent) = self.target(&edit.file)?.parent()
            {
                fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
            }
            steps.push(Step {
                file: edit.file.clone(),
                before: edit.expected,
                after,
            });
        }
        let length = Intent::Batch(steps.clone()).to_text().len();
        if length > MAX_JOURNAL_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes: length as u64,
                limit: MAX_JOURNAL_BYTES as u64,
            };
            return Err(Error::new(kind, &self.dir));
        }
        let mark = self.batch_path(FORWARD);
        self.write_blob(&mark, b"")?;
        atomic::sync_folders(&[&mark], self.options.durability);
        Ok(steps)
    }

    fn write_blob(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        atomic::no_follow(&mut options, 0o666);
        let write = || -> io::Result<()> {
            let mut file = options.open(path)?;
            file.write_all(bytes)?;
            match self.options.durability {
                Durability::PowerLoss => file.sync_all(),
                Durability::ProcessDeath => Ok(()),
            }
        };
        write().map_err(|e| Error::io(path, e))
    }

    /// A copy of kept bytes, with their time and mode.
    fn copy_blob(&self, blob: &Path, kept: &str, file: &str) -> Result<Fingerprint, Error> {
        if !kept.starts_with('.') || kept.starts_with("..") || !kept.contains('/') {
            let reason = "kept bytes lie below a hidden folder of the directory".to_owned();
            return Err(Error::new(ErrorKind::Name { reason }, kept));
        }
        let path = self.dir.join(kept);
        let opened = memdir_paths::open_inside(&self.dir, kept)
            .map_err(|e| atomic::from_paths(e, path.clone()))?;
        let meta = opened.metadata().map_err(|e| Error::io(&path, e))?;
        let snapshot = atomic::Snapshot::read(opened, &path)?;
        self.check_size(snapshot.bytes.len() as u64, file)?;
        self.write_blob(blob, &snapshot.bytes)?;
        same_time_and_mode(blob, &meta).map_err(|e| Error::io(blob, e))?;
        Ok(Fingerprint::of(&snapshot.bytes))
    }

    /// A second name of a memory that goes away, so that time and mode stay; a copy where the
    /// file system knows no second names, and where the memory is a link.
    fn link_blob(&self, blob: &Path, from: &str) -> Result<Fingerprint, Error> {
        self.check_name(from)?;
        let spelled = self.spelled(from)?;
        let snapshot = self
            .snapshot(from)?
            .ok_or_else(|| Error::new(ErrorKind::NotFound, &spelled))?;
        if spelled.is_symlink() || fs::hard_link(&spelled, blob).is_err() {
            let meta = fs::metadata(&spelled).map_err(|e| Error::io(&spelled, e))?;
            self.write_blob(blob, &snapshot.bytes)?;
            same_time_and_mode(blob, &meta).map_err(|e| Error::io(blob, e))?;
        }
        Ok(Fingerprint::of(&snapshot.bytes))
    }

    /// Where a memory or the index really is.
    fn target(&self, file: &str) -> Result<PathBuf, Error> {
        match file {
            ENTRYPOINT => self.index_target(),
            file => self.memory_target(file),
        }
    }

    /// Brings every file to what it is to be; answers those that somebody changed meanwhile.
    fn roll_forward(&self, steps: &[Step], obstacle: Obstacle) -> Result<Vec<String>, Error> {
        let mut left = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            match self.forward(number, step) {
                Ok(true) => {}
                Ok(false) => left.push(step.file.clone()),
                Err(e) if obstacle == Obstacle::IsLeft && is_hopeless(&e) => {
                    left.push(step.file.clone());
                }
                Err(e) => return Err(e),
            }
        }
        Ok(left)
    }

    fn forward(&self, number: usize, step: &Step) -> Result<bool, Error> {
        let now = self.now(&step.file)?;
        if now == step.after {
            return Ok(true);
        }
        if now != step.before {
            return Ok(false);
        }
        let (blob, was) = (self.blob(number), self.was(number));
        if step.after == Fingerprint::ABSENT {
            let path = self.spelled(&step.file)?;
            exchange(&path, &was).map_err(|e| Error::io(path, e))?;
            return Ok(true);
        }
        if bytes_of(&blob) != step.after {
            return Ok(false);
        }
        let target = self.target(&step.file)?;
        let attempt = || -> io::Result<()> {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            if step.before != Fingerprint::ABSENT {
                remember(&target, &was)?;
                fs::set_permissions(&blob, fs::metadata(&target)?.permissions())?;
            }
            exchange(&blob, &target)
        };
        attempt().map_err(|e| Error::io(&target, e))?;
        Ok(true)
    }

    /// Brings every file back to what it was; answers those that somebody changed meanwhile.
    fn roll_back(&self, lock: &Lock, steps: &[Step]) -> Result<Vec<String>, Error> {
        let mark = self.batch_path(FORWARD);
        match fs::remove_file(&mark) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io(mark, e)),
            _ => {}
        }
        let mut left = Vec::new();
        for (number, step) in steps.iter().enumerate().rev() {
            match self.back(number, step) {
                Ok(true) => {}
                Ok(false) => left.push(step.file.clone()),
                Err(e) if is_hopeless(&e) => left.push(step.file.clone()),
                Err(e) => return Err(e),
            }
        }
        self.reconcile(lock, steps, &left)?;
        Ok(left)
    }

    fn back(&self, number: usize, step: &Step) -> Result<bool, Error> {
        let now = self.now(&step.file)?;
        if now == step.before {
            return Ok(true);
        }
        let was = self.was(number);
        if now != step.after || bytes_of(&was) != step.before {
            return Ok(false);
        }
        let path = match step.after {
            Fingerprint::ABSENT => self.spelled(&step.file)?,
            _ => self.target(&step.file)?,
        };
        let attempt = || -> io::Result<()> {
            if step.before == Fingerprint::ABSENT {
                return fs::remove_file(&path);
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            exchange(&was, &path)
        };
        attempt().map_err(|e| Error::io(&path, e))?;
        Ok(true)
    }

    fn now(&self, file: &str) -> Result<Fingerprint, Error> {
        self.check_any(file)?;
        Ok(atomic::fingerprint(self.snapshot(file)?.as_ref()))
    }

    /// Lets the index agree with the files of a batch that are not as it says.
    fn reconcile(&self, lock: &Lock, steps: &[Step], left: &[String]) -> Result<(), Error> {
        if left.is_empty() {
            return Ok(());
        }
        // If the index itself was left, none of the files has its line from the batch.
        let all = left.iter().any(|file| file == ENTRYPOINT);
        let mut gone = Vec::new();
        let mut there = Vec::new();
        for step in steps {
            let file = &step.file;
            if file == ENTRYPOINT || !(all || left.contains(file)) || self.check_name(file).is_err()
            {
                continue;
            }
            match self.exists(file) {
                Ok(true) => {
                    let entry = self.entry_from_header(file, None);
                    there.push(entry.unwrap_or_else(|_| Entry::new("", file, "")));
                }
                Ok(false) => gone.push(file),
                // What cannot be looked at keeps the line that it has.
                Err(_) => {}
            }
        }
        let edited = self.commit(lock, |index| {
            for file in &gone {
                index.remove(file);
            }
            for entry in &there {
                if index.find(&entry.file).is_none() {
                    index.upsert(entry);
                }
            }
        });
        match edited {
            Ok(_) => Ok(()),
            Err(e) if is_hopeless(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Completes a batch that a killed process had begun.
    pub(super) fn complete_batch(&self, steps: &[Step], lock: &Lock) -> Result<Recovery, Error> {
        let recovery = |outcome, left| Recovery {
            file: String::new(),
            outcome,
            left,
        };
        if steps.iter().any(|step| self.check_any(&step.file).is_err()) {
            return Ok(recovery(Outcome::Unreadable, Vec::new()));
        }
        let forward = self.batch_path(FORWARD).symlink_metadata().is_ok();
        let left = match forward {
            true => {
                let left = self.roll_forward(steps, Obstacle::IsLeft)?;
                self.reconcile(lock, steps, &left)?;
                left
            }
            false => self.roll_back(lock, steps)?,
        };
        self.sync_and_tidy(steps);
        let outcome = match (left.is_empty(), forward) {
            (false, _) => Outcome::ChangedSince,
            (true, true) => Outcome::Completed,
            (true, false) => Outcome::NotHappened,
        };
        Ok(recovery(outcome, left))
    }

    /// The journal goes first: from then on the write is done.
    fn finish_batch(&self, steps: &[Step]) -> Result<(), Error> {
        self.sync_and_tidy(steps);
        self.end_intent()?;
        self.clean_batch();
        Ok(())
    }

    /// Makes the names last, and removes folders that have become empty.
    fn sync_and_tidy(&self, steps: &[Step]) {
        let mut paths: Vec<PathBuf> = Vec::new();
        for step in steps {
            let Ok(path) = self.spelled(&step.file) else {
                continue;
            };
            let mut folder = path.parent();
            while let Some(empty) = folder.filter(|folder| *folder != self.dir) {
                // Fails where something is left.
                if step.after != Fingerprint::ABSENT || fs::remove_dir(empty).is_err() {
                    break;
                }
                folder = empty.parent();
            }
            paths.push(path);
        }
        paths.sort();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        atomic::sync_folders(&paths, self.options.durability);
    }
}

/// What an obstacle that would be there the next time too does to a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// The write fails, and is taken back.
    Fails,
    /// The file is left as it is, as a journal that never ends would keep all writes waiting.
    IsLeft,
}

/// Whether trying again would meet the same obstacle.
fn is_hopeless(error: &Error) -> bool {
    is_lasting(error) || matches!(error.kind(), ErrorKind::Name { .. } | ErrorKind::Exists)
}

/// A folder that only its owner looks into, where the system knows that.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// The fingerprint of one of our own files; absent if it is none.
fn bytes_of(path: &Path) -> Fingerprint {
    let mut options = OpenOptions::new();
    options.read(true);
    atomic::no_follow(&mut options, 0);
    let read = options
        .open(path)
        .and_then(|mut file| match file.metadata()?.is_file() {
            true => atomic::read_bounded(&mut file).map(|(bytes, _)| bytes),
            false => Err(io::ErrorKind::InvalidInput.into()),
        });
    read.map_or(Fingerprint::ABSENT, |bytes| Fingerprint::of(&bytes))
}

/// Gives a file the time and the mode of another.
fn same_time_and_mode(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    if let Ok(modified) = meta.modified() {
        OpenOptions::new()
            .write(true)
            .open(path)?
            .set_modified(modified)?;
    }
    fs::set_permissions(path, meta.permissions())
}

/// A second name for what is about to be replaced; a copy where there are none.
fn remember(target: &Path, was: &Path) -> io::Result<()> {
    match fs::remove_file(was) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    if fs::hard_link(target, was).is_err() {
        let meta = fs::metadata(target)?;
        fs::copy(target, was)?;
        same_time_and_mode(was, &meta)?;
    }
    Ok(())
}

/// Renames; where a folder is another file system, copies and removes.
fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
            let meta = fs::symlink_metadata(from)?;
            if !meta.is_file() {
                return Err(e);
            }
            // Beside the target first, so that it is whole at every moment.
            let folder = to.parent().unwrap_or(to);
            let mut temp = atomic::temp_in(folder)?;
            io::copy(&mut fs::File::open(from)?, &mut temp)?;
            temp.as_file().sync_all()?;
            same_time_and_mode(temp.path(), &meta)?;
            temp.persist(to).map_err(|e| e.error)?;
            fs::remove_file(from)
        }
        done => done,
    }
}
