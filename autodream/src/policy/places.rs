//! The folders that may be read, and whether a path leads into one of them.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use memdir_paths::{MemoryDir, contains};

use super::refusal::{Refusal, RefusalKind};
use super::secrets::is_secret;

/// The three places that a consolidation may read: the project, the memory directory and the
/// transcripts. Only the memory directory may be written.
///
/// `/` is no project and no folder of transcripts: it would open everything.
#[derive(Clone, Debug)]
pub struct Roots {
    memory: Place,
    readable: Vec<Place>,
}

/// A folder as it was named and as it is. Deliberately not public: the second goes stale.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) named: PathBuf,
    /// `None` while it does not exist.
    pub(crate) real: Option<PathBuf>,
}

impl Place {
    fn new(path: &Path) -> Place {
        Place {
            named: path.to_path_buf(),
            real: fs::canonicalize(path).ok(),
        }
    }

    /// The part of a path below this folder, under either of its names.
    pub(crate) fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let real = self.real.as_deref().unwrap_or(&self.named);
        path.strip_prefix(real)
            .or_else(|_| path.strip_prefix(&self.named))
            .ok()
    }
}

impl Roots {
    /// The project, which is the real working directory of commands, and the memory directory.
    #[must_use]
    pub fn new(project: &Path, memory: &MemoryDir) -> Roots {
        let memory = Place::new(memory.path());
        let mut roots = Roots {
            readable: vec![memory.clone()],
            memory,
        };
        roots.add(project);
        roots
    }

    /// Adds a folder of transcripts.
    #[must_use]
    pub fn transcripts(mut self, folder: &Path) -> Roots {
        self.add(folder);
        self
    }

    fn add(&mut self, folder: &Path) {
        let place = Place::new(folder);
        if place.real.as_deref().unwrap_or(folder).parent().is_some() {
            self.readable.push(place);
        }
    }

    /// The memory directory, as it was named. During a run it is the copy that the agent works on.
    #[must_use]
    pub fn memory_dir(&self) -> &Path {
        &self.memory.named
    }

    pub(crate) fn memory(&self) -> &Place {
        &self.memory
    }

    /// Whether a path is one of the folders, by its real name: then there is nothing to look at.
    pub(crate) fn is_root(&self, path: &Path) -> bool {
        self.readable
            .iter()
            .any(|place| place.real.as_deref() == Some(path))
    }

    /// The real folder that a real path lies in. One that was missing may exist by now.
    pub(crate) fn root_of(&self, real: &Path) -> Option<Cow<'_, Path>> {
        self.readable
            .iter()
            .filter_map(|place| match &place.real {
                Some(root) => Some(Cow::Borrowed(root.as_path())),
                None => fs::canonicalize(&place.named).ok().map(Cow::Owned),
            })
            .find(|root| real.starts_with(root))
    }

    /// Whether an absolute path may be read: where it really leads, and that no place of
    /// credentials is on the way. A file that does not exist is judged by where it would be.
    ///
    /// A host that searches a tree itself asks this for each file of it.
    ///
    /// # Errors
    ///
    /// A [`Refusal`]: [`RefusalKind::Outside`], [`RefusalKind::Secret`], or
    /// [`RefusalKind::Special`] for pipes, devices and sockets.
    pub fn may_read(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let refuse = |kind, why| Err(Refusal::new(kind, path.to_string_lossy(), why));
        if !path.is_absolute() {
            return refuse(RefusalKind::Outside, "an absolute path is expected");
        }
        match fs::canonicalize(path) {
            Ok(real) => {
                let Some(root) = self.root_of(&real) else {
                    return refuse(RefusalKind::Outside, OUTSIDE);
                };
                // As it is called and as it is: a link does not launder a name.
                if is_secret_below(&real, &root) || self.is_secret_as_named(path) {
                    return refuse(RefusalKind::Secret, SECRET);
                }
                match fs::metadata(&real) {
                    Ok(meta) if meta.is_file() || meta.is_dir() => Ok(real),
                    _ => refuse(RefusalKind::Special, SPECIAL),
                }
            }
            Err(e) if is_missing(&e) => {
                let is_inside = self
                    .readable
                    .iter()
                    .any(|place| contains(place.real.as_deref().unwrap_or(&place.named), path));
                if !is_inside {
                    return refuse(RefusalKind::Outside, OUTSIDE);
                }
                if self.is_secret_as_named(path) {
                    return refuse(RefusalKind::Secret, SECRET);
                }
                Ok(path.to_path_buf())
            }
            Err(_) => refuse(
                RefusalKind::Outside,
                "the system does not say where it leads",
            ),
        }
    }

    /// By the names below a root alone: a root may itself lie below a folder that would be one.
    fn is_secret_as_named(&self, path: &Path) -> bool {
        let below = self.readable.iter().find_map(|place| place.below(path));
        is_secret(names(below.unwrap_or(path)))
    }
}

const OUTSIDE: &str = "it leads out of the project, the memory directory and the transcripts, which are all that may be read";
const SECRET: &str = "it is a place where credentials are kept, which is not read";
const SPECIAL: &str = "it is neither a file nor a folder";

fn is_secret_below(real: &Path, root: &Path) -> bool {
    is_secret(names(real.strip_prefix(root).unwrap_or(real)))
}

fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        // A name that is not text is none of those that we know.
        Component::Normal(name) => Some(name.to_str().unwrap_or("?")),
        _ => None,
    })
}

fn is_missing(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}
