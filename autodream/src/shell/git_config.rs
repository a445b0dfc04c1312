//! The settings of a repository that no argument can take back.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::policy::Roots;

/// 1 MiB: a configuration with more is not looked through.
const MAX_BYTES: u64 = 1 << 20;

/// The one file of ignored revisions that may be named: the customary one, in the working tree.
const IGNORED: &str = ".git-blame-ignore-revs";

/// Whether `git blame` may believe the configuration of the repository whose working tree this is.
///
/// Every `blame.ignoreRevsFile` counts, whatever the command line adds, and what is not understood
/// in such a file is shown: one outside the roots would be read. A configuration that includes
/// others may hide it.
pub(super) fn may_blame(top: &Path, roots: &Roots) -> bool {
    let Some(files) = files(top) else {
        return false;
    };
    files.iter().all(|file| is_harmless(file, top, roots))
}

/// Files and folders of a repository that `git` reads unasked. Of some it shows the lines that it
/// does not understand.
const READ: &[&str] = &[
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "index",
    "info",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "logs",
    "logs/HEAD",
    "objects",
    "objects/info",
    "objects/info/alternates",
    "objects/pack",
    "packed-refs",
    "refs",
    "shallow",
];

/// Whether one of the files that `git` reads is a link, which may lead anywhere.
pub(super) fn has_links(top: &Path) -> bool {
    let Some((own, common)) = folders(top) else {
        return true;
    };
    [own, common].iter().any(|folder| {
        READ.iter()
            .any(|name| fs::symlink_metadata(folder.join(name)).is_ok_and(|meta| meta.is_symlink()))
    })
}

/// The configurations that the `.git` of a working tree leads to.
fn files(top: &Path) -> Option<[PathBuf; 3]> {
    let (own, common) = folders(top)?;
    Some([
        common.join("config"),
        common.join("config.worktree"),
        own.join("config.worktree"),
    ])
}

/// The folder that the `.git` of a working tree leads to, and the one that it shares with others.
fn folders(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let entry = top.join(".git");
    let own = if entry.is_dir() {
        entry
    } else {
        top.join(read(&entry)?.strip_prefix("gitdir:")?.trim())
    };
    let common = match fs::symlink_metadata(own.join("commondir")) {
        Ok(_) => own.join(read(&own.join("commondir"))?.trim()),
        Err(_) => own.clone(),
    };
    Some((own, common))
}

fn is_harmless(file: &Path, top: &Path, roots: &Roots) -> bool {
    if fs::symlink_metadata(file).is_err() {
        return true;
    }
    let Some(text) = read(file) else {
        return false;
    };
    text.to_ascii_lowercase().lines().all(|line| {
        // A section may stand on the line of its first setting.
        if line.contains("[include") {
            return false;
        }
        if !line.contains("ignorerevsfile") {
            return true;
        }
        line.split_once('=')
            .is_some_and(|(_, value)| value.trim() == IGNORED)
            && roots.may_read(&top.join(IGNORED)).is_ok()
    })
}

/// A file of a moderate size; `None` for everything else, pipes and devices among it.
fn read(file: &Path) -> Option<String> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(file).ok()?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_BYTES {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
