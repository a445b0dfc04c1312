//! The walk: what lies in the directory and below it, and what of it may be a memory.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use memdir_paths::ENTRYPOINT;

use super::folder::{Folder, Kind, Stat};
use super::store::Store;
use super::{MAX_DEPTH, MAX_FILES, MemoryFile, ScanOptions, SkipReason, Skipped, TeamFolder};

/// A memory that was read, in this scan or before, with its time beside it: that is what the
/// list is sorted by.
pub(super) struct Known {
    pub(super) modified: SystemTime,
    pub(super) memory: Arc<MemoryFile>,
}

impl Known {
    pub(super) fn of(memory: Arc<MemoryFile>) -> Known {
        Known {
            modified: memory.modified,
            memory,
        }
    }

    pub(super) fn place(&self) -> (SystemTime, &str) {
        (self.modified, &self.memory.file)
    }
}

/// A file that is new or changed.
pub(super) struct Unread {
    pub(super) file: String,
    /// Where its folder is in the list of open ones.
    pub(super) folder: usize,
    /// Where its own name begins in `file`.
    pub(super) name: usize,
    /// `None` for a new file that is read in any case: it is asked once it is open.
    pub(super) stat: Option<Stat>,
    pub(super) is_link: bool,
}

impl Unread {
    pub(super) fn place(&self) -> (SystemTime, &str) {
        let modified = self
            .stat
            .map_or(SystemTime::UNIX_EPOCH, |stat| stat.modified);
        (modified, &self.file)
    }
}

pub(super) struct Walk<'a, T> {
    root: &'a Path,
    store: &'a Store<T>,
    options: &'a ScanOptions,
    /// How many unchanged files come first, before all others and as in the last scan.
    pub(super) same: usize,
    /// The other unchanged files.
    pub(super) known: Vec<Known>,
    pub(super) unread: Vec<Unread>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) folders: Vec<Option<Folder>>,
    seen: usize,
    /// The name at hand; most names are known, and need no string of their own.
    name: String,
}

/// How many folders stay open while their files are read: 64 of them. What lies in others is
/// opened by its path, with the same checks.
const MAX_OPEN: usize = 64;

impl<'a, T> Walk<'a, T> {
    pub(super) fn new(root: &'a Path, options: &'a ScanOptions, store: &'a Store<T>) -> Self {
        Walk {
            root,
            store,
            options,
            same: 0,
            known: Vec::new(),
            unread: Vec::new(),
            skipped: Vec::new(),
            folders: Vec::new(),
            seen: 0,
            name: String::new(),
        }
    }

    fn skip(&mut self, file: impl Into<String>, reason: SkipReason) {
        self.skipped.push(Skipped {
            file: file.into(),
            reason,
        });
    }

    /// What is known of a file: most likely it is the next one of the last scan.
    fn known(&self, file: &str) -> Option<&'a Arc<MemoryFile>> {
        let next = self.store.last.met.get(self.same);
        next.filter(|next| next.file == file)
            .or_else(|| self.store.get(file).map(|kept| &kept.memory))
    }

    /// Lists a file that is still what was read.
    fn unchanged(&mut self, memory: &Arc<MemoryFile>) {
        let next = self.store.last.met.get(self.same);
        let is_next = next.is_some_and(|next| Arc::ptr_eq(next, memory));
        if is_next && self.known.is_empty() && self.unread.is_empty() {
            self.same += 1;
        } else {
            self.known.push(Known::of(memory.clone()));
        }
    }

    /// Lists a folder and what lies below it.
    pub(super) fn folder(&mut self, folder: Folder, prefix: &str, depth: usize) {
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
            let known = self.known(&self.name);
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
            if let (Kind::File, Some(memory), Some(stat)) = (kind, known, stat)
                && stat.is_of(memory)
            {
                self.unchanged(memory);
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
                        Ok(()) => self.unread.push(Unread {
                            file,
                            folder: number,
                            name: prefix.len(),
                            stat,
                            is_link: false,
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
                match self.known(&file) {
                    Some(memory) if stat.is_of(memory) => self.unchanged(memory),
                    _ => self.unread.push(Unread {
                        file,
                        folder,
                        name,
                        stat: Some(stat),
                        is_link: true,
                    }),
                }
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

impl Stat {
    /// Whether it is still what was read.
    fn is_of(self, memory: &MemoryFile) -> bool {
        memory.modified == self.modified && memory.bytes == self.bytes
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
