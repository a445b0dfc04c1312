//! The walk, the order, and what is kept from one scan to the next.

use std::borrow::{Borrow, Cow};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memdir_paths::ENTRYPOINT;

use super::flat;
use super::folder::{Folder, Kind, Stat};
use super::read::{Depth, read_start, read_text};
use super::{MAX_DEPTH, MAX_FILES, MemoryFile, ScanOptions, SkipReason, Skipped, TeamFolder};
use crate::error::{Error, ErrorKind};

/// What is known of a file, and what a caller made of its text.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    pub(crate) memory: Arc<MemoryFile>,
    pub(crate) extra: T,
}

impl<T> Kept<T> {
    /// Whether it is still what stands in the directory.
    fn is(&self, stat: Stat) -> bool {
        self.memory.modified == stat.modified && self.memory.bytes == stat.bytes
    }
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

    /// A store that keeps nothing, for a single scan.
    pub(crate) fn of_nothing() -> Store<T> {
        Store {
            is_off: true,
            ..Store::default()
        }
    }

    fn keep(&mut self, kept: Kept<T>) {
        if !self.is_off {
            // The key holds the memory, too: an old one would keep what it was.
            self.files.remove(kept.memory.file.as_str());
            self.files.insert(ByName(kept.memory.clone()), kept);
        }
    }
}

/// What one walk found.
pub(crate) struct Found {
    /// The memories, all of them in the store now, in order.
    pub(crate) files: Vec<Arc<MemoryFile>>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) older: usize,
    pub(crate) opened: usize,
}

struct Listed {
    /// Empty for one that is known.
    file: String,
    /// Where its folder is in the list of open ones.
    folder: usize,
    /// Where its own name begins in `file`.
    name: usize,
    /// `None` for a new file that is read in any case: it is asked once it is open.
    stat: Option<Stat>,
    is_link: bool,
    /// What was read of it, in this scan or before.
    read: Option<Arc<MemoryFile>>,
}

impl Listed {
    fn known(memory: Arc<MemoryFile>, stat: Stat) -> Listed {
        Listed {
            file: String::new(),
            folder: 0,
            name: 0,
            stat: Some(stat),
            is_link: false,
            read: Some(memory),
        }
    }

    fn file(&self) -> &str {
        self.read
            .as_ref()
            .map_or(self.file.as_str(), |memory| &memory.file)
    }

    fn modified(&self) -> SystemTime {
        self.stat
            .map_or(SystemTime::UNIX_EPOCH, |stat| stat.modified)
    }
}

struct Walk<'a, T> {
    root: &'a Path,
    store: &'a Store<T>,
    options: &'a ScanOptions,
    listed: Vec<Listed>,
    skipped: Vec<Skipped>,
    folders: Vec<Option<Folder>>,
    seen: usize,
    /// The name at hand; most names are known, and need no string of their own.
    name: String,
}

/// How many folders stay open while their files are read: 64 of them. What lies in others is
/// opened by its path, with the same checks.
const MAX_OPEN: usize = 64;

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
    let mut walk = Walk {
        root: dir,
        store,
        options,
        listed: Vec::new(),
        skipped: Vec::new(),
        folders: Vec::new(),
        seen: 0,
        name: String::new(),
    };
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
    if store.files.len() > found.files.len() {
        let listed: HashSet<*const MemoryFile> = found.files.iter().map(Arc::as_ptr).collect();
        let is_listed = |kept: &Kept<T>| listed.contains(&Arc::as_ptr(&kept.memory));
        store.files.retain(|_, kept| is_listed(kept));
    }
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
        self.opened += 1;
        let mut file = self.open(entry).map_err(unreadable)?;
        let stat = match entry.stat {
            Some(stat) => stat,
            None => Stat::of(&file).map_err(unreadable)?,
        };
        if stat.kind != Kind::File {
            return Err(SkipReason::NotAFile);
        }
        read_start(&mut file, self.depth, &mut self.buffer).map_err(unreadable)?;
        entry.stat = Some(stat);
        let plain = flat::header(&self.buffer);
        let text = match (&plain, self.depth) {
            (Some(_), Depth::Header) => Cow::Borrowed(""),
            _ => read_text(&self.buffer),
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
            header: plain.unwrap_or_else(|| memdir_types::parse_header(&text)),
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

impl<T> Walk<'_, T> {
    fn skip(&mut self, file: impl Into<String>, reason: SkipReason) {
        self.skipped.push(Skipped {
            file: file.into(),
            reason,
        });
    }

    fn folder(&mut self, folder: Folder, prefix: &str, depth: usize) {
        let shown = prefix.strip_suffix('/').unwrap_or(".");
        let number = self.folders.len();
        self.folders.push(None);
        let mut below = Vec::new();
        let result = folder.for_each(|name, kind| {
            self.seen += 1;
            if self.seen > MAX_FILES {
                self.skip(shown, SkipReason::TooMany);
                return false;
            }
            // Hidden files are a writer's own, or left over from a crash.
            if name.starts_with(b".") {
                return true;
            }
            let is_markdown = is_markdown(name);
            if !is_markdown && kind == Kind::File {
                return true;
            }
            let lossy = String::from_utf8_lossy(name);
            self.name.clear();
            self.name.push_str(prefix);
            self.name.push_str(&lossy);
            let is_text = matches!(lossy, Cow::Borrowed(_));
            if !is_text && (is_markdown || kind == Kind::Folder) {
                let reason = SkipReason::Name("it is not UTF-8".to_owned());
                self.skip(self.name.clone(), reason);
                return true;
            }
            let known = self.store.files.get(self.name.as_str());
            let is_read = known.is_none() && self.options.newest == usize::MAX;
            let (kind, stat) = match kind {
                // Everything new is read, and asked for its time then.
                Kind::File if is_read => (kind, None),
                Kind::File | Kind::Unknown => match folder.stat(name) {
                    Ok(stat) => (stat.kind, Some(stat)),
                    Err(e) if e.kind() == io::ErrorKind::NotFound => return true,
                    Err(e) => {
                        self.skip(self.name.clone(), SkipReason::Unreadable(e.to_string()));
                        return true;
                    }
                },
                other => (other, None),
            };
            if let (Kind::File, Some(kept), Some(stat)) = (kind, known, stat)
                && kept.is(stat)
            {
                self.listed.push(Listed::known(kept.memory.clone(), stat));
                return true;
            }
            let file = self.name.clone();
            match kind {
                Kind::Folder if is_text => below.push((lossy.into_owned(), file)),
                Kind::Folder => self.skip(file, SkipReason::Name("it is not UTF-8".to_owned())),
                Kind::Link => self.link(file, number, prefix.len(), is_markdown),
                _ if !is_markdown || lossy.eq_ignore_ascii_case(ENTRYPOINT) => {}
                Kind::File => {
                    // A name that is known was checked before.
                    let checked = known.map_or_else(|| usable(&file), |_| Ok(()));
                    match checked {
                        Ok(()) => self.listed.push(Listed {
                            file,
                            folder: number,
                            name: prefix.len(),
                            stat,
                            is_link: false,
                            read: None,
                        }),
                        Err(reason) => self.skip(file, reason),
                    }
                }
                Kind::Unknown | Kind::Other => self.skip(file, SkipReason::NotAFile),
            }
            true
        });
        if let Err(e) = result {
            self.skip(shown, SkipReason::Unreadable(e.to_string()));
        }
        below.sort();
        for (name, file) in below {
            if self.seen > MAX_FILES || depth == 0 && self.is_reserved(&name) {
                continue;
            }
            if depth >= MAX_DEPTH {
                self.skip(file, SkipReason::TooDeep);
                continue;
            }
            match folder.child(&name) {
                Ok(child) => self.folder(child, &format!("{file}/"), depth + 1),
                Err(e) => self.skip(file, SkipReason::Unreadable(e.to_string())),
            }
        }
        if number < MAX_OPEN {
            self.folders[number] = Some(folder);
        }
    }

    /// Daily logs are no memories; the team's are, unless the host leaves them out.
    fn is_reserved(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("logs")
            || self.options.team == TeamFolder::Exclude && name.eq_ignore_ascii_case("team")
    }

    /// Whether the real place of a link is one where memories are: a link makes no memory of the
    /// index, of a log, of a hidden file or of what the host left out.
    fn may_hold_a_memory(&self, place: &Path) -> bool {
        let Ok(root) = self.root.canonicalize() else {
            return true;
        };
        let Ok(inside) = place.strip_prefix(root) else {
            return true;
        };
        let mut names = inside.iter().map(|name| name.to_string_lossy()).peekable();
        let first = names.peek().is_some_and(|name| self.is_reserved(name));
        let is_hidden = names.any(|name| name.starts_with('.'));
        let is_index =
            (inside.file_name()).is_some_and(|name| name.eq_ignore_ascii_case(ENTRYPOINT));
        !(first || is_hidden || is_index)
    }

    fn link(&mut self, file: String, folder: usize, name: usize, is_markdown: bool) {
        let is_entrypoint = file[name..].eq_ignore_ascii_case(ENTRYPOINT);
        if let Ok(meta) = std::fs::metadata(self.root.join(&file))
            && meta.is_dir()
        {
            return self.skip(file, SkipReason::LinkedFolder);
        }
        if !is_markdown || is_entrypoint {
            return;
        }
        if let Err(reason) = usable(&file) {
            return self.skip(file, reason);
        }
        let place = memdir_paths::resolve_inside(self.root, &file);
        if let Ok(place) = &place
            && !self.may_hold_a_memory(place)
        {
            return self.skip(file, SkipReason::LinkedOther);
        }
        let meta = place.map(|place| std::fs::metadata(&place));
        match meta {
            Ok(Ok(meta)) if meta.is_file() => {
                let stat = Stat {
                    kind: Kind::File,
                    modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                    bytes: meta.len(),
                };
                let known = self.store.files.get(file.as_str());
                self.listed.push(match known {
                    Some(kept) if kept.is(stat) => Listed::known(kept.memory.clone(), stat),
                    _ => Listed {
                        file,
                        folder,
                        name,
                        stat: Some(stat),
                        is_link: true,
                        read: None,
                    },
                });
            }
            Ok(Ok(_)) => self.skip(file, SkipReason::NotAFile),
            Ok(Err(e)) => self.skip(file, SkipReason::Unreadable(e.to_string())),
            Err(e) => {
                let reason = match e.kind() {
                    memdir_paths::ErrorKind::Io => SkipReason::Unreadable(e.to_string()),
                    _ => SkipReason::LeadsOut,
                };
                self.skip(file, reason);
            }
        }
    }
}

fn usable(file: &str) -> Result<(), SkipReason> {
    memdir_paths::check_name(file).map_err(|e| {
        SkipReason::Name(match e.kind() {
            memdir_paths::ErrorKind::UnsafeName(fault) => fault.to_string(),
            _ => e.to_string(),
        })
    })
}

fn is_markdown(name: &[u8]) -> bool {
    name.len() > 3 && name[name.len() - 3..].eq_ignore_ascii_case(b".md")
}
