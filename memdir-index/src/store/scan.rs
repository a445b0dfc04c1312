//! The memories of a directory by name, sub-folders included.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Store;
use crate::entry::is_markdown;
use crate::{ENTRYPOINT, NameCase};

/// Folders at the top of a memory directory that hold something else: daily logs, and the team's
/// memories, which are a store of their own.
pub(super) const RESERVED_FOLDERS: [&str; 2] = ["logs", "team"];

/// How deep sub-folders are followed: 8 levels, far more than a memory directory has.
pub(super) const MAX_DEPTH: usize = 8;

/// The most memories that are listed: 100,000, five hundred times what an index can hold.
pub(super) const MAX_FILES: usize = 100_000;

/// What a scan found. Both lists are sorted.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Names relative to the directory, with `/`, that can be listed.
    pub(super) files: Vec<String>,
    /// What was left out, and why.
    pub(super) left_out: Vec<(String, Why)>,
}

impl Scan {
    /// The keys that more than one file has, as two Unicode forms of one name have where the disk
    /// tells them apart. The index has one line for both.
    pub(super) fn shared_keys(&self, case: NameCase) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let keys = self.files.iter().map(|file| case.key(file));
        keys.filter(|key| !seen.insert(key.clone())).collect()
    }

    /// Whether something was not looked at, so that a file that was not met may be there.
    fn is_partial(&self) -> bool {
        let mut whys = self.left_out.iter().map(|(_, why)| why);
        whys.any(|why| matches!(why, Why::Unreadable(_) | Why::TooMany))
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// A name that could forge a line, or that no link can name.
    Hostile(String),
    /// A link that leads out of the directory, or nowhere.
    LeadsOut,
    /// The system refused.
    Unreadable(String),
    /// More than [`MAX_FILES`] files or [`MAX_DEPTH`] levels.
    TooMany,
}

impl Why {
    /// The same in words.
    pub(super) fn reason(&self) -> String {
        match self {
            Why::Hostile(reason) | Why::Unreadable(reason) => reason.clone(),
            Why::LeadsOut => "it leads out of the memory directory".to_owned(),
            Why::TooMany => "the scan stopped here, there is too much".to_owned(),
        }
    }
}

impl Store {
    pub(super) fn scan(&self) -> Scan {
        let mut scan = Scan::default();
        // A missing directory is an empty one.
        if self.dir.is_dir() {
            self.scan_folder(&self.dir.clone(), "", 0, &mut scan);
        }
        scan.files.sort();
        scan.left_out.sort();
        scan
    }

    /// Whether a file that a line names, and the scan did not meet, may be there all the same:
    /// below a folder that cannot be read or is too deep, or beyond the last that was looked at.
    pub(super) fn may_be_unseen(&self, file: &str, scan: &Scan) -> bool {
        scan.is_partial()
            && !scan.left_out.iter().any(|(left_out, _)| left_out == file)
            && self.check_name(file).is_ok()
            && !matches!(self.exists(file), Ok(false))
    }

    fn scan_folder(&self, folder: &Path, prefix: &str, depth: usize, scan: &mut Scan) {
        let shown = if prefix.is_empty() { "." } else { prefix };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => {
                let why = Why::Unreadable(e.to_string());
                return scan.left_out.push((shown.to_owned(), why));
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    let why = Why::Unreadable(e.to_string());
                    scan.left_out.push((shown.to_owned(), why));
                    continue;
                }
            };
            if scan.files.len() + scan.left_out.len() >= MAX_FILES {
                return scan.left_out.push((shown.to_owned(), Why::TooMany));
            }
            let name = entry.file_name();
            let lossy = name.to_string_lossy();
            // Hidden files are the store's own, or a crashed writer's.
            if lossy.starts_with('.') {
                continue;
            }
            let file = format!("{prefix}{lossy}");
            let path = entry.path();
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(e) => {
                    scan.left_out.push((file, Why::Unreadable(e.to_string())));
                    continue;
                }
            };
            if kind.is_dir() {
                let reserved = prefix.is_empty()
                    && RESERVED_FOLDERS
                        .iter()
                        .any(|r| lossy.eq_ignore_ascii_case(r));
                if reserved {
                    continue;
                }
                if depth >= MAX_DEPTH {
                    scan.left_out.push((file, Why::TooMany));
                } else {
                    self.scan_folder(&path, &format!("{file}/"), depth + 1, scan);
                }
            } else if is_markdown(&lossy) && !lossy.eq_ignore_ascii_case(ENTRYPOINT) {
                self.scan_file(path, file, name.to_str().is_some(), kind, scan);
            }
        }
    }

    fn scan_file(
        &self,
        path: PathBuf,
        file: String,
        is_text: bool,
        kind: fs::FileType,
        scan: &mut Scan,
    ) {
        let why = if !is_text {
            Some(Why::Hostile("it is not UTF-8".to_owned()))
        } else if let Err(error) = self.check_name(&file) {
            Some(Why::Hostile(error.reason()))
        } else if kind.is_symlink() {
            match fs::metadata(&path) {
                Ok(meta) if memdir_paths::contains(&self.dir, &path) && meta.is_file() => None,
                Ok(meta) if meta.is_dir() => return,
                _ => Some(Why::LeadsOut),
            }
        } else if kind.is_file() {
            None
        } else {
            return; // a pipe or a socket is no memory
        };
        match why {
            Some(why) => scan.left_out.push((file, why)),
            None => scan.files.push(file),
        }
    }
}
