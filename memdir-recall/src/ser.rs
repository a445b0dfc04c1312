//! How some values serialise: paths as text, shared memories as themselves.

use std::path::Path;
use std::sync::Arc;

use serde::Serializer;

use crate::MemoryFile;

/// A path that is not UTF-8 is serialised with replacement, not refused.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

pub(crate) fn shared<S: Serializer>(
    memories: &[Arc<MemoryFile>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(memories.iter().map(AsRef::as_ref))
}
