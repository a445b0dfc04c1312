//! `claudeMdExcludes`: globs over absolute paths.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::options::ExcludePaths;
use crate::paths::canonical;
use crate::report::{Warning, WarningKind};

/// The excludes of a session, compiled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Excludes {
    patterns: Vec<Exclude>,
    real: bool,
}

#[derive(Debug, Clone)]
struct Exclude {
    text: String,
    /// `!x` excludes everything but x.
    negated: bool,
    /// The pattern, and the pattern with the real path of its plain beginning.
    matchers: Vec<GlobMatcher>,
}

impl Excludes {
    pub(crate) fn new(
        patterns: &[String],
        paths: ExcludePaths,
        warnings: &mut Vec<Warning>,
    ) -> Excludes {
        let mut out = Excludes {
            patterns: Vec::new(),
            real: paths == ExcludePaths::FoundAndReal,
        };
        for text in patterns {
            let mut warn = |reason: &str| {
                warnings.push(Warning {
                    path: PathBuf::from(text),
                    kind: WarningKind::Exclude {
                        pattern: text.clone(),
                        reason: reason.to_owned(),
                    },
                });
            };
            let (negated, pattern) = match text.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, text.as_str()),
            };
            if negated {
                warn("excludes everything that it does not name");
            } else if !pattern.starts_with(['/', '*', '{', '[', '?']) && !has_drive(pattern) {
                warn("matches nothing: write an absolute path, or begin with **/");
            }
            let real = real_beginning(pattern);
            let is_folder = !pattern.contains(['*', '?', '[', '{']) && Path::new(pattern).is_dir();
            if is_folder {
                warn("names a folder and matches no file: add /**");
            }
            let mut matchers = Vec::new();
            for pattern in std::iter::once(pattern).chain(real.as_deref()) {
                match compile(pattern) {
                    Some(matcher) => matchers.push(matcher),
                    None => warn("is no valid pattern, and excludes nothing"),
                }
            }
            if !matchers.is_empty() {
                out.patterns.push(Exclude {
                    text: text.clone(),
                    negated,
                    matchers,
                });
            }
        }
        out
    }

    /// The pattern that excludes a file, if one does.
    pub(crate) fn hit(&self, found: &Path, real: &Path) -> Option<&str> {
        let hits = |exclude: &&Exclude| {
            let one = |path: &Path| exclude.matchers.iter().any(|m| m.is_match(path));
            let matched = one(found) || (self.real && real != found && one(real));
            matched != exclude.negated
        };
        let found = self.patterns.iter().find(hits)?;
        Some(&found.text)
    }
}

/// Compiles a glob in which `*` stays in one folder; `None` if it is no glob, or a monstrous one.
fn compile(pattern: &str) -> Option<GlobMatcher> {
    /// Bytes of one pattern at most. Our choice: longer ones take long to compile.
    const MAX_PATTERN_BYTES: usize = 4_096;
    if pattern.len() > MAX_PATTERN_BYTES {
        return None;
    }
    let mut builder = GlobBuilder::new(pattern);
    builder.literal_separator(true).empty_alternates(true);
    Some(builder.build().ok()?.compile_matcher())
}

fn has_drive(pattern: &str) -> bool {
    pattern.as_bytes().get(1) == Some(&b':')
}

/// The pattern with the folder before its first wild card resolved, if that changes it: on macOS
/// `/tmp` is a link, and the file is found below `/private/tmp`.
fn real_beginning(pattern: &str) -> Option<String> {
    if !pattern.starts_with('/') {
        return None;
    }
    let wild = pattern.find(['*', '?', '[', '{', '\\']);
    let plain = &pattern[..wild.unwrap_or(pattern.len())];
    let (folder, _) = plain
        .rsplit_once('/')
        .filter(|(folder, _)| !folder.is_empty())?;
    let real = canonical(Path::new(folder))?;
    let real = real.to_str().filter(|real| *real != folder)?;
    if real.contains(['*', '?', '[', '{', '\\', '!']) {
        return None;
    }
    Some(format!("{real}{}", &pattern[folder.len()..]))
}
