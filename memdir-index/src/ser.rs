//! Paths as text: one that is not UTF-8 is serialised with replacement, not refused.

use std::path::Path;

pub(crate) fn path<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
