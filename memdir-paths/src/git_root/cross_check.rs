//! A second opinion from libgit2. It never decides; it tells what git would say to this place.

use std::fmt;
use std::path::{Path, PathBuf};

use git2::{ErrorClass, ErrorCode, Repository};

use super::{Root, RootKind};

/// What libgit2 says about a [`Root`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum CrossCheck {
    /// It opens the repository and sees the same root.
    Agrees,
    /// It opens the repository and sees another root, which is the case for pointers that we do
    /// not trust and for separate git directories.
    Differs(#[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))] PathBuf),
    /// It sees no repository here. An empty `.git` folder is one for us and none for git.
    NotARepository,
    /// There is a repository, and it may not be opened because another user owns it.
    MayNotOpen,
    /// There is a repository of a kind that it does not know; its words.
    Unsupported(String),
}

impl fmt::Display for CrossCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrossCheck::Agrees => f.write_str("libgit2 sees the same root"),
            CrossCheck::Differs(path) => write!(f, "libgit2 sees another root: {path:?}"),
            CrossCheck::NotARepository => f.write_str("libgit2 sees no repository"),
            CrossCheck::MayNotOpen => {
                f.write_str("libgit2 may not open the repository: another user owns it")
            }
            CrossCheck::Unsupported(why) => write!(f, "libgit2 cannot open the repository: {why}"),
        }
    }
}

/// Asks libgit2 about a root that was found already.
///
/// A separate call, because it opens the repository and reads its config, which the plain answer
/// does not need. The answer of [`canonical_root`](crate::canonical_root) holds whatever comes
/// out here. The ownership check of libgit2 stays on: it is a switch of the whole process.
pub fn cross_check(root: &Root) -> CrossCheck {
    let found = match Repository::discover_path(&root.cwd, None::<&Path>) {
        Ok(found) => found,
        Err(e) => return refused(&e),
    };
    let repository = match Repository::open(&found) {
        Ok(repository) => repository,
        Err(e) => return refused(&e),
    };
    let theirs = their_root(&repository);
    let theirs = std::fs::canonicalize(&theirs).unwrap_or(theirs);
    let same = match root.kind {
        RootKind::NoRepository => repository.is_bare(),
        _ => theirs == root.path,
    };
    if same {
        CrossCheck::Agrees
    } else {
        CrossCheck::Differs(theirs)
    }
}

fn their_root(repository: &Repository) -> PathBuf {
    let common = repository.commondir();
    if !repository.is_worktree()
        && let Some(work_tree) = repository.workdir()
    {
        return work_tree.to_path_buf();
    }
    match common.parent() {
        Some(parent) if common.ends_with(".git") => parent.to_path_buf(),
        _ => common.to_path_buf(),
    }
}

fn refused(e: &git2::Error) -> CrossCheck {
    match (e.code(), e.class()) {
        (ErrorCode::Owner, _) => CrossCheck::MayNotOpen,
        (ErrorCode::NotFound, ErrorClass::Repository) => CrossCheck::NotARepository,
        _ => CrossCheck::Unsupported(e.message().to_owned()),
    }
}
