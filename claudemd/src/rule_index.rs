//! Many rules with their bases, compiled once and asked by path.

use std::path::{Path, PathBuf};

use crate::globs::PathGlobs;
use crate::roots::Platform;

/// All conditional rules of a session. A rule is known by the number that `insert` returned.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleIndex {
    rules: Vec<(Vec<PathBuf>, PathGlobs)>,
}

impl RuleIndex {
    pub(crate) fn new(_platform: Platform) -> RuleIndex {
        RuleIndex::default()
    }

    /// Adds a rule that applies below any of its bases (absolute; the spelled folder and, if it
    /// differs, the real one). Numbers count up from 0.
    pub(crate) fn insert(&mut self, bases: &[PathBuf], globs: PathGlobs) -> usize {
        self.rules.push((bases.to_vec(), globs));
        self.rules.len() - 1
    }

    /// The numbers of the rules that match an absolute path, ascending, added to `out` without
    /// repeats. Called once for the path as spelled and, if it differs, once for the real one.
    pub(crate) fn matches(&self, path: &Path, out: &mut Vec<usize>) {
        for (number, (bases, globs)) in self.rules.iter().enumerate() {
            let hit = bases.iter().any(|base| {
                path.strip_prefix(base)
                    .is_ok_and(|relative| globs.is_match(relative))
            });
            if hit && !out.contains(&number) {
                out.push(number);
            }
        }
        out.sort_unstable();
    }
}
