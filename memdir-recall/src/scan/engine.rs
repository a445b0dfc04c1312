//! One scan: walks, reads what is new or changed, and puts all of it in order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::folder::{Folder, Kind, Stat};
use super::read::{Depth, read_start, read_text};
use super::store::Store;
use super::walk::{Known, Unread, Walk};
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
        same,
        known,
        unread,
        mut skipped,
        folders,
        ..
    } = walk;
    let last = &store.last;
    let is_as_before = same > 0 && same == last.met.len() && known.is_empty() && unread.is_empty();
    if is_as_before && same <= options.newest {
        skipped.sort();
        return Ok(Found {
            files: last.listed.clone(),
            skipped,
            older: 0,
            opened: 0,
        });
    }
    let before = last.met[..same].iter().cloned().map(Known::of);
    let mut known: Vec<Known> = before.chain(known).collect();
    let mut reader = Reader {
        dir,
        folders,
        depth,
        buffer: Vec::new(),
        opened: 0,
    };
    let mut read = |mut entry: Unread| match reader.read(&mut entry, &mut make) {
        Ok((memory, extra)) => {
            store.keep(&memory, extra);
            Some(Known::of(memory))
        }
        Err(reason) => {
            let file = entry.file;
            skipped.push(Skipped { file, reason });
            None
        }
    };
    let (files, older, met);
    if known.len() + unread.len() <= options.newest {
        known.reserve_exact(unread.len());
        known.extend(unread.into_iter().filter_map(&mut read));
        let memories = known.iter().map(|known| known.memory.clone());
        met = (!store.is_off()).then(|| memories.collect());
        known.sort_unstable_by(|a, b| newest_first(a.place(), b.place()));
        files = known.into_iter().map(|known| known.memory).collect();
        older = 0;
    } else {
        (files, older) = newest(known, unread, options.newest, read);
        met = None;
    }
    store.retain(&files, met);
    skipped.sort();
    Ok(Found {
        files,
        skipped,
        older,
        opened: reader.opened,
    })
}

/// So many of the newest, and how many are older; of those that were not read before, only these
/// are. What cannot be read takes no place.
fn newest(
    mut known: Vec<Known>,
    mut unread: Vec<Unread>,
    count: usize,
    mut read: impl FnMut(Unread) -> Option<Known>,
) -> (Vec<Arc<MemoryFile>>, usize) {
    known.sort_unstable_by(|a, b| newest_first(a.place(), b.place()));
    unread.sort_unstable_by(|a, b| newest_first(a.place(), b.place()));
    let (mut known, mut unread) = (known.into_iter().peekable(), unread.into_iter().peekable());
    let mut files = Vec::with_capacity(count);
    while files.len() < count {
        let next = match (known.peek(), unread.peek()) {
            (Some(a), Some(b)) if newest_first(a.place(), b.place()).is_lt() => known.next(),
            (_, Some(_)) => unread.next().and_then(&mut read),
            (Some(_), None) => known.next(),
            (None, None) => break,
        };
        files.extend(next.map(|known| known.memory));
    }
    (files, known.len() + unread.len())
}

/// The order of a scan: newest first, equal times by name.
fn newest_first(a: (SystemTime, &str), b: (SystemTime, &str)) -> Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1))
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
    /// read, so that a change in between is seen by the next scan. The name goes from the
    /// entry to the memory.
    fn read<T>(
        &mut self,
        entry: &mut Unread,
        make: &mut impl FnMut(&MemoryFile, &str) -> T,
    ) -> Result<(Arc<MemoryFile>, T), SkipReason> {
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
        let extra = make(&memory, &text);
        Ok((Arc::new(memory), extra))
    }

    fn open(&self, entry: &Unread) -> io::Result<File> {
        match self.folders.get(entry.folder).and_then(Option::as_ref) {
            Some(folder) if !entry.is_link => folder.open(&entry.file[entry.name..]),
            _ => memdir_paths::open_inside(self.dir, &entry.file).map_err(io::Error::other),
        }
    }
}
