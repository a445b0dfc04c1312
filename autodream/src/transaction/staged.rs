//! What the agent made of its copy.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use memdir_index::{ENTRYPOINT, Fingerprint, MAX_READ_BYTES, check_memory_name};

use super::base::{Base, LOGS};
use super::report::{Fault, FaultReason, KeptBack, KeptReason, What};

/// The most files and folders that are looked at. Ours: ten times what is staged.
const MAX_ENTRIES: usize = 100_000;
/// How deep folders are followed: twice what a memory's name may have.
const MAX_DEPTH: usize = 16;
/// The most bytes of new text: 64 MiB, as much as is staged.
const MAX_NEW_BYTES: u64 = 64 << 20;

/// How the copy differs from what was staged.
#[derive(Debug, Default)]
pub(super) struct Staged {
    /// Memories whose bytes differ; `None` for one that is gone.
    pub(super) changed: BTreeMap<String, Option<Vec<u8>>>,
    /// The index, if there is one.
    pub(super) index: Option<Vec<u8>>,
    /// What is no change of a memory.
    pub(super) kept_back: Vec<KeptBack>,
    /// The text of it, by file, which may have come from a memory.
    pub(super) texts: Vec<(String, Vec<u8>)>,
    pub(super) faults: Vec<Fault>,
}

struct Reader<'a> {
    base: &'a Base,
    staged: Staged,
    /// Names that were met.
    met: BTreeMap<String, ()>,
    entries: usize,
    new_bytes: u64,
}

impl Staged {
    pub(super) fn read(stage: &Path, base: &Base) -> Staged {
        let mut reader = Reader {
            base,
            staged: Staged::default(),
            met: BTreeMap::new(),
            entries: 0,
            new_bytes: 0,
        };
        reader.folder(stage, "", 0);
        let Reader {
            mut staged, met, ..
        } = reader;
        for file in base.files.keys().filter(|file| !met.contains_key(*file)) {
            staged.changed.insert(file.clone(), None);
        }
        for file in base.logs.keys().filter(|file| !met.contains_key(*file)) {
            staged.keep_back(file, What::Deleted, KeptReason::Log);
        }
        if staged.index.is_none() && base.index.is_some() {
            let reason = "an index is not deleted".to_owned();
            staged.keep_back(ENTRYPOINT, What::Deleted, KeptReason::Name { reason });
            staged.index.clone_from(&base.index);
        }
        staged
    }

    fn keep_back(&mut self, file: &str, what: What, reason: KeptReason) {
        self.kept_back.push(KeptBack {
            file: file.to_owned(),
            what,
            reason,
        });
    }

    fn fault(&mut self, file: &str, reason: FaultReason) {
        let file = file.to_owned();
        self.faults.push(Fault { file, reason });
    }
}

impl Reader<'_> {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => return self.unreadable(prefix, &e),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => return self.unreadable(prefix, &e),
            };
            self.entries += 1;
            if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
                let e = io::Error::other("there is more than is looked at");
                return self.unreadable(prefix, &e);
            }
            let name = entry.file_name();
            let file = format!("{prefix}{}", name.to_string_lossy());
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(e) => {
                    self.unreadable(&file, &e);
                    continue;
                }
            };
            if kind.is_dir() {
                self.folder(&entry.path(), &format!("{file}/"), depth + 1);
            } else if kind.is_file() && name.to_str().is_some() {
                self.file(&entry.path(), file);
            } else {
                self.refuse(&file, "it is no regular file with a name that is text");
            }
        }
    }

    fn unreadable(&mut self, file: &str, error: &io::Error) {
        let reason = error.to_string();
        self.met.insert(file.to_owned(), ());
        self.staged.fault(file, FaultReason::Unreadable { reason });
    }

    /// Something that cannot be written; what it stands in the place of stays.
    fn refuse(&mut self, file: &str, reason: &str) {
        let known = self.base.files.contains_key(file) || self.base.logs.contains_key(file);
        let what = match known || (file == ENTRYPOINT && self.base.index.is_some()) {
            true => What::Changed,
            false => What::Created,
        };
        let reason = reason.to_owned();
        self.met.insert(file.to_owned(), ());
        if file == ENTRYPOINT {
            self.staged.index.clone_from(&self.base.index);
        }
        self.staged
            .keep_back(file, what, KeptReason::Name { reason });
    }

    /// Remembers what is not written, in bounded memory.
    fn keep_text(&mut self, file: &str, bytes: Vec<u8>) {
        let size = bytes.len() as u64;
        if size <= MAX_READ_BYTES && self.new_bytes + size <= MAX_NEW_BYTES {
            self.new_bytes += size;
            self.staged.texts.push((file.to_owned(), bytes));
        }
    }

    fn file(&mut self, path: &Path, file: String) {
        let is_log = file.starts_with(LOGS) && file[LOGS.len()..].starts_with('/');
        if file != ENTRYPOINT
            && !is_log
            && let Err(e) = check_memory_name(&file)
        {
            let reason = match e.kind() {
                memdir_index::ErrorKind::Name { reason } => reason.clone(),
                _ => e.to_string(),
            };
            if let Ok(bytes) = read(path) {
                self.keep_text(&file, bytes);
            }
            return self.refuse(&file, &reason);
        }
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(e) => return self.unreadable(&file, &e),
        };
        self.met.insert(file.clone(), ());
        let size = bytes.len() as u64;
        if is_log {
            let what = match self.base.logs.get(&file) {
                Some(print) if *print == Fingerprint::of(&bytes) => return,
                Some(_) => What::Changed,
                None => What::Created,
            };
            self.staged.keep_back(&file, what, KeptReason::Log);
            return self.keep_text(&file, bytes);
        }
        let before = match &*file {
            ENTRYPOINT => self.base.index.as_deref(),
            file => self.base.files.get(file).map(|file| &*file.bytes),
        };
        // Agents have no tool that deletes: a memory that was emptied is one that is gone.
        let is_emptied = is_blank(&bytes) && !before.is_some_and(is_blank);
        if is_emptied && file != ENTRYPOINT {
            self.met.remove(&file);
            return;
        }
        if before != Some(&*bytes) {
            self.new_bytes += size;
            let limit = match size > MAX_READ_BYTES {
                true => Some(MAX_READ_BYTES),
                false => (self.new_bytes > MAX_NEW_BYTES).then_some(MAX_NEW_BYTES),
            };
            if let Some(limit) = limit {
                let bytes = size.max(self.new_bytes);
                return self
                    .staged
                    .fault(&file, FaultReason::TooLarge { bytes, limit });
            }
        }
        if file == ENTRYPOINT {
            self.staged.index = Some(bytes);
        } else if before != Some(&*bytes) {
            self.staged.changed.insert(file, Some(bytes));
        }
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

/// At most one byte more than a memory may have.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(MAX_READ_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
