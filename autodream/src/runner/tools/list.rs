//! Glob and LS: names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use globset::{GlobBuilder, GlobMatcher};

use super::input::{Fields, needed};
use super::lines::explain;
use super::walk::walk;
use super::{Context, Outcome, shown};

/// 200 files: more are not listed by a pattern.
const LISTED_FILES: usize = 200;
/// 1,000 names: more of a folder are not listed.
const LISTED_NAMES: usize = 1_000;
/// 1,000 bytes: a longer pattern is none that a person would read.
const MAX_PATTERN_BYTES: usize = 1_000;

/// A pattern in which `*` stays within one name.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("A pattern has at most {MAX_PATTERN_BYTES} bytes."));
    }
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("The pattern is not understood: {}", error.kind()))
}

pub(super) fn glob(context: &Context<'_>, base: &Path, fields: &Fields) -> Result<Outcome, String> {
    let pattern = needed(fields, "pattern")?;
    // The judge answers for an absolute pattern with the place of its fixed part.
    let is_special = |part: &str| part.contains(['*', '?', '[', '{']);
    let rest = if Path::new(pattern).is_absolute() {
        let parts = pattern.split('/').skip_while(|part| !is_special(part));
        parts.collect::<Vec<_>>().join("/")
    } else {
        pattern.trim_start_matches("./").to_owned()
    };
    let mut is_cut = false;
    let found = if rest.is_empty() {
        vec![base.to_path_buf()]
    } else {
        let matcher = matcher(&rest)?;
        let walk = walk(base, context.judge);
        is_cut = walk.is_cut;
        let mut found = walk.files;
        found.retain(|path| matcher.is_match(path.strip_prefix(base).unwrap_or(path)));
        found
    };
    let mut text = listed(found);
    if is_cut {
        text.push_str("\n[not all files were looked at: name a folder]");
    }
    Ok(Outcome::good(text))
}

/// The latest first.
fn listed(found: Vec<PathBuf>) -> String {
    if found.is_empty() {
        return "[no file matches]".to_owned();
    }
    let mut dated: Vec<(SystemTime, PathBuf)> = found
        .into_iter()
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    dated.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut text = String::new();
    for (_, path) in dated.iter().take(LISTED_FILES) {
        text.push_str(&shown(path));
        text.push('\n');
    }
    if let Some(more @ 1..) = dated.len().checked_sub(LISTED_FILES) {
        text.push_str(&format!("[and {more} more]"));
    }
    text
}

pub(super) fn folder(context: &Context<'_>, path: &Path) -> Result<Outcome, String> {
    let entries = fs::read_dir(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotADirectory => format!("{} is no folder", shown(path)),
        _ => explain(path, &error),
    })?;
    let mut names = Vec::new();
    let mut is_cut = false;
    for entry in entries.flatten() {
        if names.len() >= LISTED_NAMES {
            is_cut = true;
            break;
        }
        let place = entry.path();
        // What may not be read is not named either.
        if context.judge.may_read(&place).is_err() {
            continue;
        }
        let mark = match entry.file_type() {
            Ok(kind) if kind.is_dir() => "/",
            _ => "",
        };
        names.push(format!("{}{mark}", shown(Path::new(&entry.file_name()))));
    }
    names.sort_unstable();
    if names.is_empty() {
        return Ok(Outcome::good("[nothing is there]"));
    }
    let mut text = names.join("\n");
    if is_cut {
        text.push_str("\n[and more]");
    }
    Ok(Outcome::good(text))
}
