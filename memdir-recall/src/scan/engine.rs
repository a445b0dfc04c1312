//! One scan: walks, reads what is new or changed, and puts all of it in order.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{Folder, Kind, Stat};
use super::read::{Depth, read_start, read_text};
use super::store::{Kept, Store};
use super::walk::{Listed, Walk};
use super::{MemoryFile, ScanOptions, SkipReason, Skipped};
use crate::error::{Error, ErrorKind};

/// What one walk found.
pub(crate) struct Found {
    /// The memories, all of them in the store now, in order.
    pub(crate) files: Vec<Arc<MemoryFile>>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) older: usize,
    pub(crate) opened: usize,
}

/// Scans a directory; `make` turns the text of a new or changed file into what is kept of it.
pub(crate) fn scan_with<T>(
    dir: &Path,
    options: &ScanOptions,
    store: &mut Store<T>,
    depth: Depth,
    mut make: impl FnMut(&MemoryFile, &str) -> T,
) -> Result<Found, Error> {
    if !dir.is_absolute() {
        return Err(Error::new(ErrorKind::RelativePath, dir));
    }
    let mut walk = Walk::new(dir, options, store);
    match Folder::open_root(dir) {
        Ok(root) => walk.folder(root, "", 0),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(Error::io(dir, e)),
    }
    let Walk {
        mut listed,
        mut skipped,
        folders,
        ..
    } = walk;
    let mut reader = Reader {
        dir,
        folders,
        depth,
        buffer: Vec::new(),
        opened: 0,
    };
    for entry in &mut listed {
        if entry.stat.is_none() {
            match reader.read(entry, &mut make) {
                Ok(kept) => {
                    entry.read = Some(kept.memory.clone());
                    store.keep(kept);
                }
                Err(reason) => skipped.push(Skipped {
                    file: std::mem::take(&mut entry.file),
                    reason,
                }),
            }
        }
    }
    // What could not be read has no name any more.
    listed.retain(|entry| !entry.file().is_empty());
    listed.sort_unstable_by(|a, b| {
        let newest_first = b.modified().cmp(&a.modified());
        newest_first.then_with(|| a.file().cmp(b.file()))
    });

    let mut found = Found {
        files: Vec::with_capacity(listed.len().min(options.newest)),
        skipped: Vec::new(),
        older: 0,
        opened: 0,
    };
    for mut entry in listed {
        if found.files.len() >= options.newest {
            found.older += 1;
            continue;
        }
        if let Some(memory) = entry.read {
            found.files.push(memory);
            continue;
        }
        match reader.read(&mut entry, &mut make) {
            Ok(kept) => {
                found.files.push(kept.memory.clone());
                store.keep(kept);
            }
            Err(reason) => skipped.push(Skipped {
                file: entry.file,
                reason,
            }),
        }
    }
    found.opened = reader.opened;
    store.retain(&found.files);
    skipped.sort();
    found.skipped = skipped;
    Ok(found)
}

/// Opens and reads files, with one buffer for all.
struct Reader<'a> {
    dir: &'a Path,
    folders: Vec<Option<Folder>>,
    depth: Depth,
    buffer: Vec<u8>,
    opened: usize,
}

impl Reader<'_> {
    /// Reads a file; an entry without a stat gets the one of the open file, taken before it is
    /// read, so that a change in between is seen by the next scan. What was read has its name.
    fn read<T>(
        &mut self,
        entry: &mut Listed,
        make: &mut impl FnMut(&MemoryFile, &str) -> T,
    ) -> Result<Kept<T>, SkipReason> {
        let unreadable = |e: io::Error| SkipReason::Unreadable(e.to_string());
        let mut file = self.open(entry).map_err(unreadable)?;
        self.opened += 1;
        let stat = match entry.stat {
            Some(stat) => stat,
            None => Stat::of(&file).map_err(unreadable)?,
        };
        if stat.kind != Kind::File {
            return Err(SkipReason::NotAFile);
        }
        let start = read_start(&mut file, self.depth, &mut self.buffer).map_err(unreadable)?;
        entry.stat = Some(stat);
        let text = match (&start.plain, self.depth) {
            (Some(_), Depth::Header) => Cow::Borrowed(""),
            _ => read_text(start.bytes),
        };
        // One allocation, where `join` needs two.
        let room = self.dir.as_os_str().len() + 1 + entry.file.len();
        let mut path = PathBuf::with_capacity(room);
        path.push(self.dir);
        path.push(&entry.file);
        let memory = MemoryFile {
            path,
            modified: stat.modified,
            bytes: stat.bytes,
            header: (start.plain).unwrap_or_else(|| memdir_types::parse_header(&text)),
            file: std::mem::take(&mut entry.file),
        };
        Ok(Kept {
            extra: make(&memory, &text),
            memory: Arc::new(memory),
        })
    }

    fn open(&self, entry: &Listed) -> io::Result<File> {
        match self.folders.get(entry.folder).and_then(Option::as_ref) {
            Some(folder) if !entry.is_link => folder.open(&entry.file[entry.name..]),
            _ => memdir_paths::open_inside(self.dir, &entry.file).map_err(io::Error::other),
        }
    }
}
