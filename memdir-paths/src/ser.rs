//! How paths and operating-system strings are serialised: as text, never failing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serializer;
use serde::ser::SerializeSeq;

// serde refuses paths that are not UTF-8; one odd folder name must not make a whole report
// unprintable, so such bytes become U+FFFD.

pub(crate) fn path<S: Serializer>(path: &Path, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(&path.to_string_lossy())
}

pub(crate) fn opt_path<S: Serializer>(path: &Option<PathBuf>, s: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => s.serialize_some(&*path.to_string_lossy()),
        None => s.serialize_none(),
    }
}

pub(crate) fn paths<S: Serializer>(paths: &[PathBuf], s: S) -> Result<S::Ok, S::Error> {
    let mut seq = s.serialize_seq(Some(paths.len()))?;
    for path in paths {
        seq.serialize_element(&*path.to_string_lossy())?;
    }
    seq.end()
}

pub(crate) fn opt_os<S: Serializer>(value: &Option<OsString>, s: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => s.serialize_some(&*value.to_string_lossy()),
        None => s.serialize_none(),
    }
}
