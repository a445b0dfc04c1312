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

use super::journal::{Intent, MAX_JOURNAL_BYTES};
use super::lock::Lock;
use super::place::check_depth;
use super::steps::{Obstacle, same_time_and_mode};
use super::{Durability, MAX_READ_BYTES, Store, atomic};
use crate::{Budget, ENTRYPOINT, Error, ErrorKind, Fingerprint, budget};

/// The folder of a batch. Hidden, so that no scan goes there; nothing in it ends in `.md`.
pub(super) const BATCH_FOLDER: &str = ".memdir-batch";

/// Stands in the folder while the write goes forward. Taking it away needs no room on the disk.
pub(super) const FORWARD: &str = "forward";

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
        /// The memory whose mode a new file gets.
        like: Option<String>,
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
            like: None,
        };
        self.push(file, expected, content);
    }

    /// Gives a memory another name and another text. Its mode stays.
    pub fn rename_and_save(
        &mut self,
        from: &str,
        to: &str,
        expected: Fingerprint,
        memory: Cleared<Memory>,
    ) {
        let content = Content::Text {
            audience: memory.audience(),
            bytes: memory.render().into_bytes(),
            like: Some(from.to_owned()),
        };
        self.push(to, Fingerprint::ABSENT, content);
        self.push(from, expected, Content::Nothing);
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
            like: None,
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
    pub(super) fn batch_path(&self, name: &str) -> PathBuf {
        self.dir.join(BATCH_FOLDER).join(name)
    }

    pub(super) fn blob(&self, step: usize) -> PathBuf {
        self.batch_path(&step.to_string())
    }

    /// What the file of that step was.
    pub(super) fn was(&self, step: usize) -> PathBuf {
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
        let steps = self.begin_batch(batch)?;
        let mut old_index = self.snapshot(ENTRYPOINT).ok().flatten();
        let left = match self.roll_forward(&steps, Obstacle::Fails) {
            Ok(left) => left,
            Err(error) => {
                return Err(match self.roll_back(lock, &steps) {
                    Ok(_) => {
                        self.finish_batch(&steps)?;
                        error
                    }
                    Err(_) => self.unfinished(error),
                });
            }
        };
        // From here on all is written, and what is left can be done by the next as well.
        self.carry_over(lock, old_index.as_mut(), &steps)
            .and_then(|()| self.reconcile(lock, &steps, &left))
            .and_then(|()| self.finish_batch(&steps))
            .map_err(|error| self.unfinished(error))?;
        let index = self.read_bytes(ENTRYPOINT).ok().flatten();
        let files = steps.into_iter().map(|step| step.file);
        Ok(Applied {
            files: files.filter(|file| !left.contains(file)).collect(),
            left,
            index: index
                .as_deref()
                .map_or(Fingerprint::ABSENT, Fingerprint::of),
            budget: budget(&index.unwrap_or_default(), self.options.limits),
        })
    }

    fn unfinished(&self, source: Error) -> Error {
        Error::new(ErrorKind::Unfinished, &self.dir).with_source(source)
    }

    /// Entries that another program wrote into the index that was being replaced.
    pub(super) fn carry_over(
        &self,
        lock: &Lock,
        old_index: Option<&mut atomic::Snapshot>,
        steps: &[Step],
    ) -> Result<(), Error> {
        let Some(old) = old_index.filter(|_| steps.iter().any(|step| step.file == ENTRYPOINT))
        else {
            return Ok(());
        };
        let late = self.written_late(old);
        if !late.is_empty() {
            self.commit(lock, |index| index.upsert_all(&late))?;
        }
        Ok(())
    }

    /// Checks the edits and writes blobs and journal; if that fails, nothing of them stays.
    pub(super) fn begin_batch(&self, batch: &Batch) -> Result<Vec<Step>, Error> {
        self.clean_batch();
        let edits = self.ordered(batch);
        self.check_edits(&edits)?;
        let prepared = self.prepare(&edits).and_then(|steps| {
            let intent = Intent::Batch(steps.clone());
            self.begin_intent(&intent).map(|()| steps)
        });
        prepared.inspect_err(|_| {
            let _ = self.end_intent();
            self.clean_batch();
        })
    }

    /// Files appear before others go, so that no text is nowhere; a link goes before what it leads
    /// to, or it would lead nowhere; the index is last.
    fn ordered<'a>(&self, batch: &'a Batch) -> Vec<&'a Edit> {
        let mut edits: Vec<&Edit> = batch.edits.iter().collect();
        edits.sort_by_key(|edit| match edit.content {
            _ if edit.file == ENTRYPOINT => 3,
            Content::Nothing if self.dir.join(&edit.file).is_symlink() => 1,
            Content::Nothing => 2,
            _ => 0,
        });
        edits
    }

    /// All that can be known before anything is written.
    fn check_edits(&self, edits: &[&Edit]) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        for edit in edits {
            self.check_any(&edit.file)?;
            check_depth(&edit.file)?;
            if let Content::Text {
                bytes, audience, ..
            } = &edit.content
            {
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
                Content::Text { bytes, like, .. } => {
                    self.write_blob(&blob, bytes)?;
                    if let Some(like) = like {
                        self.same_mode(&blob, like)?;
                    }
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

    /// Gives a blob the mode of a memory.
    fn same_mode(&self, blob: &Path, like: &str) -> Result<(), Error> {
        self.check_name(like)?;
        let like = self.real(like)?;
        fs::metadata(&like)
            .and_then(|meta| fs::set_permissions(blob, meta.permissions()))
            .map_err(|e| Error::io(like, e))
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
    pub(super) fn target(&self, file: &str) -> Result<PathBuf, Error> {
        match file {
            ENTRYPOINT => self.index_target(),
            file => self.memory_target(file),
        }
    }
}

/// A folder that only its owner looks into, where the system knows that.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}
