//! A folder by its path, where the system has no handles of folders.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What stands under a name. Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Unknown,
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    pub(super) kind: Kind,
    pub(super) modified: SystemTime,
    pub(super) bytes: u64,
}

pub(super) struct Folder {
    root: PathBuf,
    below: String,
}

impl Folder {
    pub(super) fn open_root(path: &Path) -> io::Result<Folder> {
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder {
            root: path.to_owned(),
            below: String::new(),
        })
    }

    fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    #[expect(clippy::unnecessary_wraps, reason = "as its sibling")]
    pub(super) fn child(&self, name: &str) -> io::Result<Folder> {
        Ok(Folder {
            root: self.root.clone(),
            below: format!("{}{name}/", self.below),
        })
    }

    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        let file = format!("{}{name}", self.below);
        memdir_paths::open_inside(&self.root, &file).map_err(io::Error::other)
    }

    pub(super) fn for_each(&self, mut each: impl FnMut(&[u8], Kind) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(self.path())? {
            let entry = entry?;
            let kind = entry.file_type().map_or(Kind::Unknown, kind);
            if !each(entry.file_name().as_encoded_bytes(), kind) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        let name = String::from_utf8_lossy(name);
        Ok(read(&fs::symlink_metadata(self.path().join(&*name))?))
    }
}

impl Stat {
    pub(super) fn of(file: &File) -> io::Result<Stat> {
        Ok(read(&file.metadata()?))
    }
}

fn read(meta: &fs::Metadata) -> Stat {
    Stat {
        kind: kind(meta.file_type()),
        modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        bytes: meta.len(),
    }
}

fn kind(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
