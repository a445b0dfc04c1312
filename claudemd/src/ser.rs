//! Paths as text: one that is not UTF-8 is serialized with replacement, not refused.

use std::path::{Path, PathBuf};

use serde::Serializer;

pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

pub(crate) fn opt_path<S: Serializer>(
    path: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => serializer.serialize_some(&path.to_string_lossy()),
        None => serializer.serialize_none(),
    }
}

pub(crate) fn paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

pub(crate) fn opt_os<S: Serializer>(
    word: &Option<std::ffi::OsString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match word {
        Some(word) => serializer.serialize_some(&word.to_string_lossy()),
        None => serializer.serialize_none(),
    }
}
