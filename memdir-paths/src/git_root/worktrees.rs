//! Which working trees share a canonical root.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Root, canonical_root, pointer};
use crate::read::bytes_to_path;

/// At most so many worktrees are looked at; people have a handful.
const MAX_WORKTREES: usize = 1_000;

/// All working trees that exist and share this root: its own, and each linked worktree that leads
/// back to it. Sorted, without doubles; without a repository the working directory alone.
///
/// Memory is shared by all of them, but each has transcripts of its own: this is the list of
/// folders to look for sessions of the project in. Cost: a folder, and the walk of
/// [`canonical_root`] for each worktree.
#[must_use]
pub fn worktrees(root: &Root) -> Vec<PathBuf> {
    let mut found = vec![root.checkout.clone()];
    if root.path.join(".git").exists() {
        found.push(root.path.clone());
    }
    if root.is_repository() {
        let entries = fs::read_dir(common_dir(&root.path).join("worktrees"));
        let linked = entries.into_iter().flatten().flatten().take(MAX_WORKTREES);
        found.extend(
            linked
                .filter_map(|entry| worktree_of(&entry.path()))
                .filter(|folder| {
                    canonical_root(folder)
                        .is_ok_and(|other| other.path == root.path && other.checkout == *folder)
                }),
        );
    }
    found.sort();
    found.dedup();
    found
}

/// Where the worktrees of a root are listed: its `.git` folder, what its `.git` file names, or a
/// bare store itself.
fn common_dir(root: &Path) -> PathBuf {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return dot_git;
    }
    pointer::pointer_target(root).unwrap_or_else(|_| root.to_path_buf())
}

/// The folder that the metadata of a worktree names.
fn worktree_of(metadata: &Path) -> Option<PathBuf> {
    let bytes = pointer::read_pointer(&metadata.join("gitdir")).ok()?;
    let named = metadata.join(bytes_to_path(&bytes)?);
    named.parent()?.canonicalize().ok()
}
