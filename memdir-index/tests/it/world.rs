//! A memory directory in a temporary place, and short ways to fill and read it.

use std::fs;
use std::path::{Path, PathBuf};

use memdir_index::{ENTRYPOINT, Saved, Store, StoreOptions};
use memdir_types::{Audience, Cleared, Memory, MemoryType, gate, gate_text};
use tempfile::TempDir;

pub(crate) struct World {
    _temp: TempDir,
    dir: PathBuf,
}

impl World {
    /// An empty memory directory.
    pub(crate) fn new() -> World {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().canonicalize().unwrap().join("memory");
        fs::create_dir(&dir).unwrap();
        World { _temp: temp, dir }
    }

    /// A memory directory with that index and, for each name, a memory.
    pub(crate) fn with(index: &str, files: &[&str]) -> World {
        let world = World::new();
        world.write(ENTRYPOINT, index);
        for file in files {
            world.write(file, memory_text(file, "about it"));
        }
        world
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A path beside the memory directory.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.dir.parent().unwrap().join(name)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    #[track_caller]
    pub(crate) fn index(&self) -> String {
        self.read(ENTRYPOINT)
    }

    #[track_caller]
    pub(crate) fn store(&self) -> Store {
        Store::open(&self.dir).unwrap()
    }

    #[track_caller]
    pub(crate) fn store_with(&self, options: StoreOptions) -> Store {
        Store::open_with(&self.dir, options).unwrap()
    }

    #[track_caller]
    pub(crate) fn save_as(&self, file: &str, name: &str, description: &str) -> Saved {
        let memory = cleared(MemoryType::User, name, description);
        self.store().save_as(file, memory, None).unwrap()
    }

    /// Every name in the directory, hidden ones included, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn memory_text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\ntype: user\n---\n\nbody of {name}\n")
}

pub(crate) fn cleared(kind: MemoryType, name: &str, description: &str) -> Cleared<Memory> {
    let memory = Memory::new(kind, name, description, "body\n");
    gate(&memory, Audience::Private).unwrap()
}

pub(crate) fn text(text: &str) -> Cleared<String> {
    gate_text(text, Audience::Private).unwrap()
}
