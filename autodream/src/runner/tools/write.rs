//! Write, and the one place where the runner writes: beside the target, then in its place.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::input::{Fields, needed};
use super::lines::explain;
use super::{Context, Outcome, shown};
use crate::runner::judge::PlannedWrite;

/// 1 MiB: no tool writes a larger file. Many times a memory.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

pub(super) fn write(
    context: &Context<'_>,
    path: &Path,
    input: &str,
    fields: &Fields,
) -> Result<Outcome, String> {
    let content = needed(fields, "content")?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "A file has at most {MAX_FILE_BYTES} bytes; split it by topic."
        ));
    }
    let before = match fs::metadata(path) {
        Ok(meta) if meta.len() <= MAX_FILE_BYTES => fs::read_to_string(path).ok(),
        _ => None,
    };
    context.judge.may_write(&PlannedWrite {
        path,
        before: before.as_deref(),
        after: content,
        tool: "Write",
        input,
    })?;
    put(path, content)?;
    Ok(Outcome::good(format!(
        "{}: {} bytes",
        shown(path),
        content.len()
    )))
}

/// Puts a text in the place of a file, whole or not at all.
pub(super) fn put(path: &Path, text: &str) -> Result<(), String> {
    replace(path, text).map_err(|error| explain(path, &error))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".write-")
        .suffix(".tmp")
        .tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    if let Ok(meta) = fs::metadata(path) {
        temporary.as_file().set_permissions(meta.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
