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
    is_off: bool,
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

    pub(super) fn keep(&mut self, memory: &Arc<MemoryFile>, extra: T) {
        if !self.is_off {
            // The key holds the memory, too: an old one would keep what it was.
            self.files.remove(memory.file.as_str());
            let memory = memory.clone();
            let key = ByName(memory.clone());
            self.files.insert(key, Kept { memory, extra });
        }
    }

    /// Forgets all but what was listed.
    pub(super) fn retain(&mut self, listed: &[Arc<MemoryFile>]) {
        if self.files.len() > listed.len() {
            let listed: HashSet<*const MemoryFile> = listed.iter().map(Arc::as_ptr).collect();
            let is_listed = |kept: &Kept<T>| listed.contains(&Arc::as_ptr(&kept.memory));
            self.files.retain(|_, kept| is_listed(kept));
        }
    }
}
