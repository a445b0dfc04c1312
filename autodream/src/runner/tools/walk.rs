//! The files below a folder that may be read, in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::runner::judge::Judge;

/// 20,000 files: more are not looked at.
pub(super) const MAX_FILES: usize = 20_000;
/// 200,000 names: more are not looked at, whatever they are.
const MAX_NAMES: usize = 200_000;
/// 64 levels: what lies deeper is not looked at.
const MAX_DEPTH: usize = 64;

/// What a walk found.
#[derive(Default)]
pub(super) struct Walk {
    /// Real places.
    pub(super) files: Vec<PathBuf>,
    /// Whether it met one of its limits.
    pub(super) is_cut: bool,
}

/// The files below a folder, or the file itself. Links are not followed, and hidden files and
/// what tools build are left out; the judge is asked for each file.
pub(super) fn walk(base: &Path, judge: &dyn Judge) -> Walk {
    let mut walk = Walk::default();
    if base.is_file() {
        walk.files.push(base.to_path_buf());
        return walk;
    }
    let mut names = 0_usize;
    let mut open = vec![(base.to_path_buf(), 0_usize)];
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut folders = Vec::new();
        let mut files = Vec::new();
        for entry in entries.flatten() {
            names += 1;
            if names > MAX_NAMES {
                walk.is_cut = true;
                break;
            }
            let name = entry.file_name();
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_built(&path) => folders.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
        files.sort_unstable();
        for file in files {
            let Ok(place) = judge.may_read(&file) else {
                continue;
            };
            if walk.files.len() >= MAX_FILES {
                walk.is_cut = true;
                return walk;
            }
            walk.files.push(place);
        }
        if depth >= MAX_DEPTH {
            walk.is_cut |= !folders.is_empty();
            continue;
        }
        // The last one is looked at next.
        folders.sort_unstable_by(|a, b| b.cmp(a));
        open.extend(folders.into_iter().map(|folder| (folder, depth + 1)));
        if names > MAX_NAMES {
            return walk;
        }
    }
    walk
}

/// What can be made again is not searched: packages, and folders that say so themselves.
fn is_built(folder: &Path) -> bool {
    folder.ends_with("node_modules") || folder.join("CACHEDIR.TAG").is_file()
}
