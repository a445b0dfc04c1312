//! The canonical root of a working directory: the folder that names its project.

#[cfg(feature = "git2")]
mod cross_check;
mod pointer;
mod worktrees;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "git2")]
pub use cross_check::{CrossCheck, cross_check};
pub use worktrees::worktrees;

use crate::contain::real_place;
use crate::error::Error;
use pointer::PointerFault;

/// How a root was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RootKind {
    /// No ancestor has a `.git` entry: the real working directory stands for itself.
    NoRepository,
    /// The nearest ancestor with a `.git` folder, or a link to one.
    Repository,
    /// A linked worktree: the root of the main working tree.
    LinkedWorktree,
    /// A linked worktree of a bare store or of a separate git directory: that directory.
    WorktreeOfStore,
    /// A linked worktree of a submodule: the submodule's own working root.
    WorktreeOfSubmodule,
    /// A submodule: its own folder.
    Submodule,
    /// A folder whose git directory lies elsewhere, or whose pointer cannot be trusted: itself.
    OwnFolder,
    /// A folder whose `.git` file names a bare store inside it: that store.
    BareFolder,
    /// The host named the root.
    GivenByHost,
}

impl fmt::Display for RootKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RootKind::NoRepository => "no repository",
            RootKind::Repository => "repository",
            RootKind::LinkedWorktree => "main root of a linked worktree",
            RootKind::WorktreeOfStore => "store of a linked worktree",
            RootKind::WorktreeOfSubmodule => "submodule of a linked worktree",
            RootKind::Submodule => "submodule",
            RootKind::OwnFolder => "folder with a .git file",
            RootKind::BareFolder => "bare store inside its folder",
            RootKind::GivenByHost => "named by the host",
        })
    }
}

/// Something noticed on the way to a root. The root is usable in spite of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RootNote {
    /// What was noticed.
    pub kind: NoteKind,
    /// The file or folder it is about.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
}

/// The kinds of [`RootNote`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum NoteKind {
    /// A pointer names a worktree's metadata that does not name it back: it is forged, or the
    /// worktree was moved without `git worktree repair`.
    ForgedPointer,
    /// A pointer names a git directory that does not name the folder back: the `.git` of another
    /// folder, or the store of another submodule. Either a forgery or a separate git directory;
    /// the folder itself is right in both cases.
    UnconfirmedPointer,
    /// The store of a submodule names a working root whose `.git` file does not lead back.
    ForgedWorkTree,
    /// A pointer names a place that does not exist, or that is no git directory.
    DanglingPointer,
    /// A pointer file is not of the form `gitdir: PATH`, or is no file at all.
    MalformedPointer,
    /// A pointer file is larger than any path.
    PointerTooLarge,
    /// The system refused to show what decides: this is not "no repository", but "may not look".
    MayNotLook,
    /// The repository belongs to another user, so git itself may refuse to open it.
    ForeignOwner,
    /// The host named the root of the file system; the working directory is used instead.
    HostRootReplaced,
}

impl fmt::Display for RootNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: ", self.path)?;
        f.write_str(match self.kind {
            NoteKind::ForgedPointer => {
                "forged or broken pointer: the worktree it names does not name it back; \
                 if it was moved, `git worktree repair` mends it"
            }
            NoteKind::UnconfirmedPointer => {
                "names the git directory of another folder; the folder itself is used"
            }
            NoteKind::ForgedWorkTree => {
                "forged or broken core.worktree: that folder does not lead back to this store"
            }
            NoteKind::DanglingPointer => "names a git directory that does not exist",
            NoteKind::MalformedPointer => "is not a pointer to a git directory",
            NoteKind::PointerTooLarge => "is too large for a pointer to a git directory",
            NoteKind::MayNotLook => "may not be examined, so a repository may be missed",
            NoteKind::ForeignOwner => "belongs to another user, git may refuse to open it",
            NoteKind::HostRootReplaced => {
                "is the root of the file system; the working directory is used instead"
            }
        })
    }
}

/// The folder that names a project, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Root {
    /// The canonical root: shared by all worktrees of a repository.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// How it was found.
    pub kind: RootKind,
    /// The folder that holds the `.git` entry, for one store per worktree; without a repository
    /// the real working directory.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub checkout: PathBuf,
    /// The real path of the working directory. A file was taken for its folder.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub cwd: PathBuf,
    /// What was noticed on the way.
    pub notes: Vec<RootNote>,
}

impl Root {
    /// Whether a `.git` entry was found.
    pub fn is_repository(&self) -> bool {
        self.kind != RootKind::NoRepository
    }

    fn note(&mut self, kind: NoteKind, path: impl Into<PathBuf>) {
        self.notes.push(RootNote {
            kind,
            path: path.into(),
        });
    }
}

/// The real path of a working directory: links resolved, a file taken for its folder. A path that
/// does not exist (yet, or any more) keeps its missing rest.
///
/// # Errors
///
/// `RelativePath`, `DanglingLink`, and `Io` when the system refuses to say; see
/// [`ErrorKind`](crate::ErrorKind).
pub fn real_cwd(path: &Path) -> Result<PathBuf, Error> {
    let mut real = real_place(path)?;
    if fs::metadata(&real).is_ok_and(|meta| !meta.is_dir()) {
        real.pop();
    }
    Ok(real)
}

/// The canonical root of a working directory.
///
/// Walks up from the real path to the nearest folder with a `.git` entry and reads pointer files;
/// it opens no repository, runs no git, and ignores `GIT_DIR` and its relatives. Owner, hash
/// format and other things that make git refuse a repository therefore do not matter. A pointer
/// is followed only where its target points back. Cost: one `realpath` and one `stat` per level.
///
/// # Errors
///
/// Those of [`real_cwd`]. A broken, forged or unreadable repository is not an error: see
/// [`Root::notes`].
pub fn canonical_root(path: &Path) -> Result<Root, Error> {
    let cwd = real_cwd(path)?;
    let mut root = Root {
        path: cwd.clone(),
        kind: RootKind::NoRepository,
        checkout: cwd.clone(),
        cwd,
        notes: Vec::new(),
    };
    let start = root.cwd.clone();
    for folder in start.ancestors() {
        match entry(&folder.join(".git")) {
            Entry::None => {}
            Entry::Hidden => root.note(NoteKind::MayNotLook, folder),
            Entry::Found(found) => {
                root.checkout = folder.to_path_buf();
                found_entry(&mut root, folder, &found);
                break;
            }
        }
    }
    Ok(root)
}

/// A root named by the host. `/` is never taken for a working directory that lies below it:
/// unrelated folders would share one store.
pub(crate) fn host_root(named: &Path, cwd: &Path) -> Result<Root, Error> {
    let path = real_cwd(named)?;
    let cwd = real_cwd(cwd)?;
    if path.parent().is_none() && path != cwd {
        let mut root = canonical_root(&cwd)?;
        root.note(NoteKind::HostRootReplaced, path);
        return Ok(root);
    }
    Ok(Root {
        checkout: path.clone(),
        path,
        kind: RootKind::GivenByHost,
        cwd,
        notes: Vec::new(),
    })
}

enum Entry {
    None,
    /// There is something, or may be, and the system does not let us see.
    Hidden,
    Found(fs::Metadata),
}

fn is_absent(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

fn entry(path: &Path) -> Entry {
    let denied = match fs::metadata(path) {
        Ok(meta) => return Entry::Found(meta),
        // Nothing there, or a link without a target, which does not count.
        Err(e) if is_absent(&e) => return Entry::None,
        Err(e) => e.kind() == io::ErrorKind::PermissionDenied,
    };
    match fs::symlink_metadata(path) {
        // The entry is there, and leads somewhere that we may not see.
        Ok(meta) if denied => Entry::Found(meta),
        // A link in a loop does not count either.
        Ok(meta) if meta.is_symlink() => Entry::None,
        Err(e) if is_absent(&e) => Entry::None,
        _ => Entry::Hidden,
    }
}

fn found_entry(root: &mut Root, folder: &Path, meta: &fs::Metadata) {
    let dot_git = folder.join(".git");
    root.path = folder.to_path_buf();
    // Git wants to own the folder, the entry, and the git directory behind it.
    if is_foreign(meta) || fs::metadata(folder).is_ok_and(|meta| is_foreign(&meta)) {
        root.note(NoteKind::ForeignOwner, folder);
    }
    if meta.is_dir() {
        root.kind = RootKind::Repository;
    } else if meta.is_file() {
        root.kind = RootKind::OwnFolder;
        match pointer::pointer_target(folder) {
            Ok(git_dir) => follow(root, folder, &git_dir),
            Err(fault) => root.note(
                match fault {
                    PointerFault::Malformed => NoteKind::MalformedPointer,
                    PointerFault::TooLarge => NoteKind::PointerTooLarge,
                    PointerFault::Denied => NoteKind::MayNotLook,
                    PointerFault::Dangling => NoteKind::DanglingPointer,
                },
                dot_git,
            ),
        }
    } else if meta.is_symlink() {
        root.kind = RootKind::Repository;
        root.note(NoteKind::MayNotLook, dot_git);
    } else {
        root.kind = RootKind::OwnFolder;
        root.note(NoteKind::MalformedPointer, dot_git);
    }
}

/// The root for a pointer file in `folder` that names the existing `git_dir`. On entry the root
/// is `folder` itself, and it stays so wherever the pointer is not confirmed.
fn follow(root: &mut Root, folder: &Path, git_dir: &Path) {
    let dot_git = folder.join(".git");
    if root.notes.is_empty() && fs::metadata(git_dir).is_ok_and(|meta| is_foreign(&meta)) {
        root.note(NoteKind::ForeignOwner, git_dir);
    }
    match pointer::common_dir(git_dir) {
        Some(Ok(common)) => {
            // The metadata has to lie where git puts it, or a `commondir` could name anything;
            // and it has to name this very folder back, or any folder could claim to be a
            // worktree of any repository.
            let in_place = git_dir
                .parent()
                .is_some_and(|parent| parent == common.join("worktrees"));
            if in_place && pointer::names_back(git_dir, folder) {
                confirmed_worktree(root, common);
            } else {
                root.note(NoteKind::ForgedPointer, dot_git);
            }
        }
        Some(Err(PointerFault::Denied)) => root.note(NoteKind::MayNotLook, dot_git),
        Some(Err(_)) => root.note(NoteKind::DanglingPointer, dot_git),
        None if git_dir.starts_with(folder) && pointer::is_bare_store(git_dir) => {
            root.kind = RootKind::BareFolder;
            root.path = store_root(git_dir);
        }
        None => {
            let submodule = in_modules(git_dir);
            if submodule {
                root.kind = RootKind::Submodule;
            }
            if !pointer::is_git_dir(git_dir)
                || git_dir.parent().is_some_and(|p| p.ends_with("worktrees"))
            {
                root.note(NoteKind::DanglingPointer, dot_git);
            } else if git_dir.ends_with(".git")
                || submodule && pointer::work_tree(git_dir).is_none_or(|own| own != folder)
            {
                root.note(NoteKind::UnconfirmedPointer, dot_git);
            }
        }
    }
}

fn confirmed_worktree(root: &mut Root, common: PathBuf) {
    if in_modules(&common) {
        // Never the store below `modules`: people do not know that folder. Its `config` is
        // believed only if the folder that it names leads back to it.
        let work_tree = pointer::work_tree(&common).filter(|work_tree| {
            fs::symlink_metadata(work_tree.join(".git")).is_ok_and(|meta| meta.is_file())
                && pointer::pointer_target(work_tree).is_ok_and(|target| target == common)
        });
        match work_tree {
            Some(work_tree) => {
                root.kind = RootKind::WorktreeOfSubmodule;
                root.path = work_tree;
            }
            None => root.note(NoteKind::ForgedWorkTree, common),
        }
    } else {
        root.kind = if common.ends_with(".git") {
            RootKind::LinkedWorktree
        } else {
            RootKind::WorktreeOfStore
        };
        root.path = store_root(&common);
    }
}

/// A store named `.git` stands for its parent; any other for itself.
fn store_root(common: &Path) -> PathBuf {
    match common.parent() {
        Some(parent) if common.ends_with(".git") => parent.to_path_buf(),
        _ => common.to_path_buf(),
    }
}

/// Whether a git directory belongs to a submodule: it lies below the `modules` of another git
/// directory, whatever that one is named (`.git`, a bare store, a separate git directory, or the
/// metadata of a worktree, `.git/worktrees/NAME`).
fn in_modules(git_dir: &Path) -> bool {
    git_dir.ancestors().skip(1).any(|folder| {
        folder.ends_with("modules")
            && folder
                .parent()
                .is_some_and(|owner| owner.ends_with(".git") || pointer::has_modules(owner))
    })
}

#[cfg(unix)]
fn is_foreign(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.uid() != crate::env::effective_user()
}

#[cfg(not(unix))]
fn is_foreign(_meta: &fs::Metadata) -> bool {
    false
}
