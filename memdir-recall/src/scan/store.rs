//! What is kept from one scan to the next: files by name, with what was made of them.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::MemoryFile;

/// What is known of a file, and what a caller made of its text.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    pub(crate) memory: Arc<MemoryFile>,
    pub(crate) extra: T,
}

/// Files by name.
#[derive(Debug)]
pub(crate) struct Store<T> {
    files: HashMap<ByName, Kept<T>>,
    pub(super) last: Last,
    is_off: bool,
}

/// The files of the last scan, if all of them were listed. A directory where nothing changed is
/// walked in the same order again: then each file is the one that is expected, and nothing has to
/// be looked up or sorted.
#[derive(Debug, Default)]
pub(super) struct Last {
    /// In the order of the walk.
    pub(super) met: Vec<Arc<MemoryFile>>,
    /// In the order of the list.
    pub(super) listed: Vec<Arc<MemoryFile>>,
}

/// A memory as a key: its name, without a second copy of it.
#[derive(Debug)]
struct ByName(Arc<MemoryFile>);

impl Borrow<str> for ByName {
    fn borrow(&self) -> &str {
        &self.0.file
    }
}

impl PartialEq for ByName {
    fn eq(&self, other: &ByName) -> bool {
        self.0.file == other.0.file
    }
}

impl Eq for ByName {}

impl Hash for ByName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.file.hash(state);
    }
}

impl<T> Default for Store<T> {
    fn default() -> Store<T> {
        Store {
            files: HashMap::new(),
            last: Last::default(),
            is_off: false,
        }
    }
}

impl<T> Store<T> {
    pub(crate) fn get(&self, file: &str) -> Option<&Kept<T>> {
        self.files.get(file)
    }

    /// What a caller made of a file.
    pub(crate) fn extra_mut(&mut self, file: &str) -> Option<&mut T> {
        self.files.get_mut(file).map(|kept| &mut kept.extra)
    }

    /// A store that keeps nothing, for a single scan.
    pub(crate) fn of_nothing() -> Store<T> {
        Store {
            is_off: true,
            ..Store::default()
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.is_off
    }

    pub(super) fn keep(&mut self, memory: &Arc<MemoryFile>, extra: T) {
        if !self.is_off {
            // The key holds the memory, too: an old one would keep what it was.
            self.files.remove(memory.file.as_str());
            let memory = memory.clone();
            let key = ByName(memory.clone());
            self.files.insert(key, Kept { memory, extra });
        }
    }

    /// Forgets all but what was listed, and remembers in which order it was met if that is all.
    pub(super) fn retain(&mut self, listed: &[Arc<MemoryFile>], met: Option<Vec<Arc<MemoryFile>>>) {
        if self.is_off {
            return;
        }
        if self.files.len() > listed.len() {
            let listed: HashSet<*const MemoryFile> = listed.iter().map(Arc::as_ptr).collect();
            let is_listed = |kept: &Kept<T>| listed.contains(&Arc::as_ptr(&kept.memory));
            self.files.retain(|_, kept| is_listed(kept));
        }
        self.last = met.map_or_else(Last::default, |met| Last {
            met,
            listed: listed.to_vec(),
        });
    }
}
