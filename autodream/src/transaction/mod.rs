//! A consolidation as a transaction: the agent works on a copy, and what it made of it is looked
//! at, merged with what sessions saved meanwhile, and written as a whole, or not at all.
//!
//! Everything of ours lies below one hidden folder of the memory directory, and is written under
//! the lock of the index. Order of the locks: the consolidation's, then the index's.

mod base;
mod diff;
mod index;
mod keep;
mod live;
mod loss;
mod options;
mod place;
mod plan;
mod record;
mod report;
mod staged;
mod state;
mod undo;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_index::{ENTRYPOINT, Exclusive, Fingerprint, Store};
use memdir_paths::MemoryDir;
use memdir_types::Memory;
use unicode_normalization::UnicodeNormalization;

pub use options::{DEFAULT_KEEP_RUNS, DEFAULT_LOSS_PERCENT, LossLimits, StageOptions};
pub use report::{
    Committed, Fault, FaultReason, FileChange, KeptBack, KeptReason, LeftOut, Loss, RecognizedBy,
    Repair, Report, Review, RunId, Share, What,
};

pub(crate) use report::reorders;

pub use record::{Run, runs};
pub use undo::{Undone, undo};

use crate::{Error, Session};
use base::Base;
use live::{Access, Live};
use plan::{Plan, Planner};
use staged::Staged;
use state::{Known, State, Tombstones};

/// So often a commit starts over since a program without the lock changed a file in that moment.
const MAX_TRIES: usize = 4;
/// A title of more bytes is remembered by its fingerprint.
const MAX_TITLE_BYTES: usize = 400;

/// A copy of a memory directory, to be worked on by a consolidating agent. Dropped, it is gone,
/// and the directory is as it was.
#[must_use = "a stage that is dropped is discarded"]
pub struct Stage {
    dir: MemoryDir,
    options: StageOptions,
    store: Store,
    path: PathBuf,
    base: Base,
    now: SystemTime,
    /// How the last run left the directory.
    last: Option<State>,
    tombstones: Tombstones,
    /// What was buried when the run began, before this run learned more.
    buried: Tombstones,
}

impl fmt::Debug for Stage {
    /// Without what the memories say.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage")
            .field("dir", &self.dir)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // There is nobody to tell; the next stage clears it away.
        let _ = place::remove(&self.path);
    }
}

impl Stage {
    /// Copies the memories, the index and the daily logs of a directory. What a run that died left
    /// behind is cleared away, so the lock of the consolidation has to be held.
    ///
    /// Team memory is a store of its own and not staged. What is too large, cannot be read or
    /// leads out is left out; see [`left_out`](Stage::left_out). Times of files are kept, and links
    /// become files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoDirectory`](crate::ErrorKind::NoDirectory);
    /// [`ErrorKind::Index`](crate::ErrorKind::Index) if the store does not open or its lock is not
    /// to be had; [`ErrorKind::NotAFolder`](crate::ErrorKind::NotAFolder) for something planted
    /// in the place of a folder of ours; or the system's.
    pub fn begin(dir: &MemoryDir, options: &StageOptions, now: SystemTime) -> Result<Stage, Error> {
        let store = Store::open_with(dir.path(), options.store.clone()).map_err(Error::index)?;
        let live = store.exclusive().map_err(Error::index)?;
        record::settle(dir.path(), &live)?;
        let path = stage_path(dir.path(), options)?;
        place::remove(&path)?;
        place::make(&path)?;
        let base = match Base::stage(dir.path(), &live, &path) {
            Ok(base) => base,
            Err(error) => {
                let _ = place::remove(&path);
                return Err(error);
            }
        };
        drop(live);
        let last = State::read(dir.path())?;
        let buried = Tombstones::read(dir.path())?;
        let mut tombstones = buried.clone();
        let left_out = base.left_out.iter().map(|left| left.file.clone()).collect();
        tombstones.observe(last.as_ref(), &State::of(&base), &|file| {
            live::is_among(&left_out, file)
        });
        Ok(Stage {
            dir: dir.clone(),
            options: options.clone(),
            store,
            path,
            base,
            now,
            last,
            tombstones,
            buried,
        })
    }

    /// The copy: the directory that the agent is told, and the memory directory of its policy.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was not copied, and why. It is never touched.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.base.left_out
    }

    /// Whether there is nothing to do, so that no model need be asked: no session was touched, and
    /// memories, index and logs are as the last run left them, or there are none.
    #[must_use]
    pub fn is_idle(&self, sessions: &[Session]) -> bool {
        let now = State::of(&self.base);
        sessions.is_empty()
            && match &self.last {
                Some(last) => *last == now,
                None => now.files.is_empty() && self.base.logs.is_empty(),
            }
    }

    /// What a commit would do now, and why it would refuse to: the dry run. Writes nothing and
    /// takes no lock, so a session that saves at this very moment may be seen half.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](crate::ErrorKind::Index) if the index cannot be read, or the system's.
    pub fn review(&self) -> Result<Review, Error> {
        let live = Live::read(&self.base, Access::Free(&self.store))?;
        let run = record::next_id(self.dir.path(), self.now)?;
        Ok(self.plan(&live, run, self.now).review)
    }

    /// Writes what the agent made, all or nothing: merged with what sessions saved meanwhile,
    /// which is never lost, and recorded, so that [`undo`] can take it back. The copy is gone
    /// afterwards, whatever the answer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](crate::ErrorKind::Index) if the store could not be locked or written,
    /// or the system's: the directory is as before, or, if even that failed, the next open or
    /// write of the store completes the one or the other.
    pub fn commit(mut self, now: SystemTime) -> Result<Committed, Error> {
        let exclusive = self.store.exclusive().map_err(Error::index)?;
        // The person may have taken back another run meanwhile.
        let buried = Tombstones::read(self.dir.path())?;
        self.tombstones.add_since(&self.buried, &buried);
        let dir = self.dir.path();
        let mut tries = 1;
        let report = loop {
            let live = Live::read(&self.base, Access::Locked(&exclusive))?;
            let mut plan = self.plan(&live, record::next_id(dir, now)?, now);
            if !plan.review.refused.is_empty() {
                return Ok(Committed::Refused(plan.review));
            }
            if !plan.batch.is_empty() {
                match self.write(&exclusive, &live, &mut plan)? {
                    Ok(()) => {}
                    Err(conflict) if tries >= MAX_TRIES => return Err(conflict),
                    Err(_) => {
                        tries += 1;
                        continue;
                    }
                }
            }
            // What was written is written: if this fails, the next run knows less.
            let _ = self.tombstones.write(dir);
            let _ = self.state_after(&live, &plan).write(dir);
            break plan.review.report;
        };
        let _ = record::forget(dir, self.options.keep_runs);
        Ok(Committed::Done(report))
    }

    /// Throws the copy away.
    ///
    /// # Errors
    ///
    /// The system's, if it cannot be removed; the next stage clears it away.
    pub fn discard(self) -> Result<(), Error> {
        place::remove(&self.path)
    }

    fn plan(&self, live: &Live, run: RunId, at: SystemTime) -> Plan {
        let planner = Planner {
            base: &self.base,
            live,
            options: &self.options,
            tombstones: &self.tombstones,
        };
        planner.plan(Staged::read(&self.path, &self.base), run, at)
    }

    /// Records the run, writes it, and takes out of the report what another program changed in
    /// the middle of it. The inner error says that a program without the lock was faster.
    fn write(
        &self,
        exclusive: &Exclusive<'_>,
        live: &Live,
        plan: &mut Plan,
    ) -> Result<Result<(), Error>, Error> {
        let dir = self.dir.path();
        let report = &mut plan.review.report;
        let recorded = record::begin(dir, report, &|change: &FileChange| {
            let name = match &change.what {
                What::Moved { from } => from,
                _ => &change.file,
            };
            match &**name {
                ENTRYPOINT => live.index.clone().map(|bytes| (bytes, None)),
                name => {
                    let before = self.base.files.get(name)?;
                    Some((before.bytes.clone(), before.modified))
                }
            }
        })?;
        let applied = match exclusive.apply(&plan.batch) {
            Ok(applied) => applied,
            // The journal decides what became of it; the record waits for that.
            Err(e) if *e.kind() == memdir_index::ErrorKind::Unfinished => {
                return Err(Error::index(e));
            }
            Err(e) => {
                let _ = place::remove(&recorded);
                return match e.kind() {
                    memdir_index::ErrorKind::Conflict => Ok(Err(Error::index(e))),
                    _ => Err(Error::index(e)),
                };
            }
        };
        for change in &mut report.changes {
            // The old name of a move stayed.
            if matches!(&change.what, What::Moved { from } if applied.left.contains(from)) {
                change.what = What::Created;
                change.before = Fingerprint::ABSENT;
            }
        }
        let (done, left) = std::mem::take(&mut report.changes)
            .into_iter()
            .partition(|change| !applied.left.contains(&change.file));
        report.changes = done;
        report
            .kept_back
            .extend(left.into_iter().map(|change: FileChange| KeptBack {
                file: change.file,
                what: change.what,
                reason: KeptReason::ChangedMeanwhile,
            }));
        let _ = record::finish(&recorded);
        Ok(Ok(()))
    }

    /// What this run saw and wrote. What sessions saved meanwhile is not among it, so that the
    /// next run finds it new.
    fn state_after(&self, live: &Live, plan: &Plan) -> State {
        let mut state = State::of(&self.base);
        for (file, change) in &plan.changes {
            if let What::Moved { from } = &change.what {
                state.files.remove(from);
            }
            match &change.bytes {
                Some(bytes) => drop(state.files.insert(file.clone(), Known::of(bytes))),
                None => drop(state.files.remove(file)),
            }
        }
        state.index = match &plan.index {
            Some(index) => print(Some(index)),
            None => live.index_print(),
        };
        state
    }

    /// The memories that this run may not change, by name.
    #[must_use]
    pub fn pinned(&self) -> Vec<&str> {
        let files = self.base.files.iter();
        files
            .filter(|(name, file)| file.pinned || self.options.is_pinned(name))
            .map(|(name, _)| name.as_str())
            .collect()
    }
}

/// Where the copy is made.
fn stage_path(dir: &Path, options: &StageOptions) -> Result<PathBuf, Error> {
    match &options.place {
        // Several directories may share a place.
        Some(place) => {
            let key = Fingerprint::of(dir.as_os_str().as_encoded_bytes()).to_string();
            place::make(place)?;
            Ok(place.join(format!("stage-{key}")))
        }
        None => Ok(place::ensure(dir, None)?.join(place::STAGE)),
    }
}

/// The fingerprint of a file that may not be there.
fn print(bytes: Option<&[u8]>) -> Fingerprint {
    bytes.map_or(Fingerprint::ABSENT, Fingerprint::of)
}

/// A title as titles are compared: its words alone, without case and the forms of characters.
fn title_of(memory: &Memory) -> Option<String> {
    let name: String = memory.name()?.nfkc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let title = words.join(" ");
    // What is longer than any title is known by less.
    let title = match title.len() > MAX_TITLE_BYTES {
        true => Fingerprint::of(title.as_bytes()).to_string(),
        false => title,
    };
    (!title.is_empty()).then_some(title)
}

/// What a body is recognized by, without the white space at the ends of its lines.
fn body_of(memory: &Memory) -> Option<String> {
    let body: Vec<&str> = memory.body().trim().lines().map(str::trim_end).collect();
    let body = body.join("\n");
    (!body.is_empty()).then(|| Fingerprint::of(body.as_bytes()).to_string())
}
