//! Finds the rule files of a folder.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::paths::{RealDirs, canonical};
use crate::read::{OpenDir, Stamp};
use crate::report::SkipReason;

/// Files of one rules folder that are read at most. Our choice: far above what a person writes.
pub(crate) const MAX_RULES: usize = 10_000;

/// Folders that are kept open at the same time at most, so that no process runs out of them.
const MAX_OPEN: usize = 64;

/// What a rules folder holds.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The rule files, sorted by the path that is shown.
    pub(crate) files: Vec<RuleFile>,
    /// Every folder that was listed and its state, for the check whether something changed.
    pub(crate) folders: Vec<(PathBuf, Option<Stamp>)>,
    /// What could not be listed.
    pub(crate) problems: Vec<(PathBuf, SkipReason)>,
}

#[derive(Debug)]
pub(crate) struct RuleFile {
    /// The path as found below the folder.
    pub(crate) found: PathBuf,
    /// The path that is shown: as found, behind a link the real one.
    pub(crate) shown: PathBuf,
    /// The real path.
    pub(crate) real: PathBuf,
    /// The folder that it lies in, if that is open.
    pub(crate) dir: Option<OpenDir>,
}

/// Something in a folder that is still to be looked at.
struct Item {
    found: PathBuf,
    shown: PathBuf,
    real: PathBuf,
    is_dir: bool,
    dir: Option<OpenDir>,
}

/// All `*.md` below a folder: hidden and ignored ones too, links followed, every real folder
/// listed once.
pub(crate) fn find(folder: &Path, owner: &Path, dirs: &mut RealDirs) -> Folder {
    let mut out = Folder::default();
    let real = dirs.dir(folder);
    // The folder, or the one that holds it, may be a link.
    let linked = folder
        .strip_prefix(owner)
        .is_ok_and(|below| dirs.dir(owner).join(below) != real);
    let shown = match linked {
        true => real.clone(),
        false => folder.to_path_buf(),
    };
    let mut listed = HashSet::from([real.clone()]);
    let mut links = false;
    // Depth first in the order of names is the order of paths, without comparing long paths.
    let mut open = vec![Item {
        found: folder.to_path_buf(),
        shown,
        real,
        is_dir: true,
        dir: None,
    }];
    while let Some(item) = open.pop() {
        if item.is_dir {
            links |= list(item, &mut open, &mut listed, &mut out);
            continue;
        }
        if out.files.len() >= MAX_RULES {
            let reason = SkipReason::TooManyRules { limit: MAX_RULES };
            out.problems.push((folder.to_path_buf(), reason));
            break;
        }
        out.files.push(RuleFile {
            found: item.found,
            shown: item.shown,
            real: item.real,
            dir: item.dir,
        });
    }
    if links {
        out.files
            .sort_by(|a, b| (&a.shown, &a.found).cmp(&(&b.shown, &b.found)));
    }
    out
}

/// Puts what a folder holds on the stack, the first name on top; says whether links are among it.
fn list(dir: Item, open: &mut Vec<Item>, listed: &mut HashSet<PathBuf>, out: &mut Folder) -> bool {
    let mut links = false;
    let opened = match out.folders.len() < MAX_OPEN {
        true => OpenDir::open(&dir.found),
        false => None,
    };
    let (open_dir, stamp) = match opened {
        Some((open_dir, stamp)) => (Some(open_dir), Some(stamp)),
        None => (None, Stamp::at(&dir.found)),
    };
    let entries = match fs::read_dir(&dir.found) {
        Ok(entries) => entries,
        Err(error) => {
            out.folders.push((dir.found.clone(), stamp));
            out.problems
                .extend(problem(&error).map(|reason| (dir.found, reason)));
            return links;
        }
    };
    let mut names = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => {
                if let Ok(kind) = entry.file_type() {
                    names.push((entry.file_name(), kind));
                }
            }
            Err(error) => {
                let reason = problem(&error);
                out.problems.extend(reason.map(|r| (dir.found.clone(), r)));
                break;
            }
        }
    }
    names.sort_by(|(a, _), (b, _)| b.cmp(a));
    for (name, kind) in names {
        let is_rule = name.as_encoded_bytes().ends_with(b".md");
        if !is_rule && !kind.is_dir() && !kind.is_symlink() {
            continue;
        }
        let mut item = Item {
            found: dir.found.join(&name),
            shown: dir.shown.join(&name),
            real: dir.real.join(&name),
            is_dir: kind.is_dir(),
            dir: None,
        };
        if kind.is_symlink() {
            links = true;
            // A link that leads to nothing is reported when it is read.
            if let Some(real) = canonical(&item.found) {
                item.is_dir = real.is_dir();
                item.shown.clone_from(&real);
                item.real = real;
            }
        }
        if item.is_dir {
            if listed.insert(item.real.clone()) {
                open.push(item);
            }
        } else if is_rule {
            item.dir.clone_from(&open_dir);
            open.push(item);
        }
    }
    out.folders.push((dir.found, stamp));
    links
}

/// Why a folder cannot be listed; nothing if it is not there.
fn problem(error: &io::Error) -> Option<SkipReason> {
    match error.kind() {
        io::ErrorKind::NotFound => None,
        io::ErrorKind::NotADirectory => Some(SkipReason::NotAFolder),
        _ => Some(SkipReason::Unreadable {
            message: error.to_string(),
        }),
    }
}
