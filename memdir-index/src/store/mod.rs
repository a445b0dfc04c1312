//! A memory directory on disk: opening, loading and reading; the writes are in the files below.

mod atomic;
mod batch;
mod check;
mod exclusive;
mod index_file;
mod journal;
mod load;
mod lock;
mod log;
mod place;
mod rebuild;
mod save;
mod scan;
mod steps;

use std::path::{Path, PathBuf};

use memdir_types::{Audience, Memory, Scope};

pub use batch::{Applied, Batch};
pub use check::{Check, Fault};
pub use exclusive::{Exclusive, Listing, check_memory_name};
pub use index_file::{IndexWritten, Shrink};
pub use journal::{Outcome, Recovery, is_interrupted};
pub use load::{Loaded, NoIndex};
pub use log::{Time, local_date_time};
pub use rebuild::{ExistingLines, RebuildOptions, Rebuilt, Unlisted};
pub use save::{Removed, Renamed, Saved, Written};

use crate::{Entry, Error, ErrorKind, Fingerprint, Limits, NameCase};

/// The most bytes of one file that this crate reads into memory: 4 MiB, more than a hundred times
/// what an index may load, so that a file that grew without bound costs bounded memory and time.
pub const MAX_READ_BYTES: u64 = 4 * 1024 * 1024;

/// Whether a store may write.
///
/// Deliberately closed: there is no third way to open a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Access {
    /// Opening completes what a killed writer left; writes are allowed.
    #[default]
    ReadWrite,
    /// Nothing on disk is touched, not even to recover.
    ReadOnly,
}

/// What a write does while another writer holds the lock.
///
/// Deliberately closed: a library that never sleeps can only do these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wait {
    /// Waits for it. The system releases the lock of a process that dies.
    #[default]
    ForTurn,
    /// Answers [`ErrorKind::Busy`] at once.
    Never,
}

/// What a write survives.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// The death of the process, and as far as the file system promises the loss of power: files
    /// and the directory are synchronised.
    #[default]
    PowerLoss,
    /// The death of the process only; nothing is synchronised.
    ProcessDeath,
}

/// How a [`Store`] behaves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Whether it may write; it may unless set.
    pub access: Access,
    /// Waiting for the lock; it waits unless set.
    pub wait: Wait,
    /// What writes survive; power loss unless set.
    pub durability: Durability,
    /// Whether names that differ in case only are one file; the platform's rule unless set.
    pub name_case: NameCase,
    /// The caps that budget advice is about; those of the format unless set.
    pub limits: Limits,
    /// Whose memories these are; the person's alone unless set. A team's store takes only what
    /// was cleared for the team.
    pub scope: Scope,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            access: Access::default(),
            wait: Wait::default(),
            durability: Durability::default(),
            name_case: NameCase::default(),
            limits: Limits::default(),
            scope: Scope::Private,
        }
    }
}

impl StoreOptions {
    /// Sets whether the store may write.
    #[must_use]
    pub fn access(mut self, access: Access) -> StoreOptions {
        self.access = access;
        self
    }

    /// Sets what a write does while another writer holds the lock.
    #[must_use]
    pub fn wait(mut self, wait: Wait) -> StoreOptions {
        self.wait = wait;
        self
    }

    /// Sets what writes survive.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> StoreOptions {
        self.durability = durability;
        self
    }

    /// Sets whether names that differ in case only are one file.
    #[must_use]
    pub fn name_case(mut self, case: NameCase) -> StoreOptions {
        self.name_case = case;
        self
    }

    /// Sets whose memories these are.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> StoreOptions {
        self.scope = scope;
        self
    }

    /// Sets the caps that budget advice is about.
    #[must_use]
    pub fn limits(mut self, limits: impl Into<Limits>) -> StoreOptions {
        self.limits = limits.into();
        self
    }
}

/// A memory directory: an index and the memories that it lists.
///
/// A store holds no open file and no lock between calls; any number of them, in any number of
/// threads and processes, may work on one directory.
#[derive(Debug, Clone)]
pub struct Store {
    dir: PathBuf,
    options: StoreOptions,
    recovered: Option<Recovery>,
}

impl Store {
    /// Opens a memory directory and completes what a killed writer left there.
    ///
    /// The directory need not exist: then the store is empty, and writing to it is refused, as
    /// making the directory is an explicit step of the host.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RelativePath`]. A completion that fails is no error here:
    /// [`recovered`](Store::recovered) says so, and the next write tries again.
    pub fn open(dir: impl AsRef<Path>) -> Result<Store, Error> {
        Store::open_with(dir, StoreOptions::default())
    }

    /// Opens a memory directory with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Store::open).
    pub fn open_with(dir: impl AsRef<Path>, options: StoreOptions) -> Result<Store, Error> {
        let dir = dir.as_ref();
        if !dir.is_absolute() {
            return Err(Error::new(ErrorKind::RelativePath, dir));
        }
        let mut store = Store {
            dir: dir.to_owned(),
            options,
            recovered: None,
        };
        if store.options.access == Access::ReadWrite && store.has_leftovers() {
            store.recovered = store.recover_at_open();
        }
        Ok(store)
    }

    /// The directory, as it was spelled.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What opening completed, if a writer had been killed.
    pub fn recovered(&self) -> Option<&Recovery> {
        self.recovered.as_ref()
    }

    /// Reads one memory and the fingerprint that a later save can be made to expect.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Name`], [`ErrorKind::NotFound`], [`ErrorKind::LeadsOut`],
    /// [`ErrorKind::TooLarge`], [`ErrorKind::Io`].
    pub fn read(&self, file: &str) -> Result<(Memory, Fingerprint), Error> {
        self.check_name(file)?;
        match self.snapshot(file)? {
            Some(snapshot) => Ok((
                Memory::from_bytes(&snapshot.bytes),
                Fingerprint::of(&snapshot.bytes),
            )),
            None => Err(Error::new(ErrorKind::NotFound, self.dir.join(file))),
        }
    }

    /// The fingerprint of a memory as it is now; [`Fingerprint::ABSENT`] if there is none.
    ///
    /// # Errors
    ///
    /// As [`read`](Store::read), without [`ErrorKind::NotFound`].
    pub fn fingerprint(&self, file: &str) -> Result<Fingerprint, Error> {
        self.check_name(file)?;
        Ok(atomic::fingerprint(self.snapshot(file)?.as_ref()))
    }

    /// The whole of a file, or `None` if there is none.
    fn snapshot(&self, file: &str) -> Result<Option<atomic::Snapshot>, Error> {
        let path = self.dir.join(file);
        let opened = match memdir_paths::open_inside(&self.dir, file) {
            Ok(opened) => opened,
            Err(error) if atomic::is_absent(&error) => return Ok(None),
            Err(error) => return Err(atomic::from_paths(error, path)),
        };
        atomic::Snapshot::read(opened, &path).map(Some)
    }

    /// Whether a name can be that of a memory of this store.
    fn check_name(&self, file: &str) -> Result<(), Error> {
        exclusive::check_name(file)
    }

    fn check_writable(&self) -> Result<(), Error> {
        match self.options.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(Error::new(ErrorKind::ReadOnly, &self.dir)),
        }
    }

    fn check_audience(&self, audience: Audience) -> Result<(), Error> {
        if self.options.scope == Scope::Team && audience != Audience::Team {
            return Err(Error::new(ErrorKind::Audience, &self.dir));
        }
        Ok(())
    }

    /// The lock of this store, after what a killed writer left has been completed.
    fn begin(&self) -> Result<(lock::Lock, Option<Recovery>), Error> {
        self.check_writable()?;
        let lock = match self.options.wait {
            Wait::ForTurn => lock::Lock::acquire(&self.dir)?,
            Wait::Never => lock::Lock::try_acquire(&self.dir)?.ok_or_else(|| {
                let reason = "another writer is at work".to_owned();
                Error::new(ErrorKind::Busy { reason }, &self.dir)
            })?,
        };
        let recovered = self.recover_locked(&lock)?;
        Ok((lock, recovered))
    }
}

/// The entry that the index has for a memory: its name and its description.
fn entry_of(file: &str, memory: &Memory) -> Entry {
    let title = memory.name().unwrap_or_default();
    let hook = memory.description().unwrap_or_default();
    Entry::new(title, file, hook)
}
