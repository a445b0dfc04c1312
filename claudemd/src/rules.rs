//! Finds the rule files of a folder.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::paths::{RealDirs, canonical};
use crate::report::SkipReason;

/// Files of one rules folder that are read at most. Our choice: far above what a person writes.
pub(crate) const MAX_RULES: usize = 10_000;

/// What a rules folder holds.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The rule files, sorted by the path that is shown.
    pub(crate) files: Vec<RuleFile>,
    /// Every folder that was listed, for the check whether something changed.
    pub(crate) folders: Vec<PathBuf>,
    /// What could not be listed.
    pub(crate) problems: Vec<(PathBuf, SkipReason)>,
}

#[derive(Debug)]
pub(crate) struct RuleFile {
    /// The path as found below the folder.
    pub(crate) found: PathBuf,
    /// The path that is shown: as found, behind a link the real one.
    pub(crate) shown: PathBuf,
}

struct Dir {
    found: PathBuf,
    shown: PathBuf,
    real: PathBuf,
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
    let mut open = vec![Dir {
        found: folder.to_path_buf(),
        shown,
        real,
    }];
    while let Some(dir) = open.pop() {
        let entries = match fs::read_dir(&dir.found) {
            Ok(entries) => entries,
            Err(error) => {
                out.folders.push(dir.found.clone());
                if let Some(reason) = problem(&error) {
                    out.problems.push((dir.found, reason));
                }
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let reason = problem(&error);
                    out.problems.extend(reason.map(|r| (dir.found.clone(), r)));
                    break;
                }
            };
            let name = entry.file_name();
            let found = dir.found.join(&name);
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_rule = name.as_encoded_bytes().ends_with(b".md");
            if kind.is_dir() {
                let (shown, real) = (dir.shown.join(&name), dir.real.join(&name));
                if listed.insert(real.clone()) {
                    open.push(Dir { found, shown, real });
                }
            } else if kind.is_symlink() {
                match canonical(&found) {
                    Some(real) if real.is_dir() && listed.insert(real.clone()) => {
                        let shown = real.clone();
                        open.push(Dir { found, shown, real });
                    }
                    Some(real) if real.is_dir() => {}
                    Some(real) if is_rule => out.files.push(RuleFile { found, shown: real }),
                    // A link that leads to nothing is reported when it is read.
                    None if is_rule => out.files.push(RuleFile {
                        shown: found.clone(),
                        found,
                    }),
                    _ => {}
                }
            } else if is_rule {
                let shown = dir.shown.join(&name);
                out.files.push(RuleFile { found, shown });
            }
            if out.files.len() > MAX_RULES {
                out.files.pop();
                let reason = SkipReason::TooManyRules { limit: MAX_RULES };
                out.problems.push((folder.to_path_buf(), reason));
                open.clear();
                break;
            }
        }
        out.folders.push(dir.found);
    }
    out.files
        .sort_by(|a, b| (&a.shown, &a.found).cmp(&(&b.shown, &b.found)));
    out
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
