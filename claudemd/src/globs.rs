//! The patterns of one rule, compiled.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A pattern that matches nothing, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PatternProblem {
    /// The pattern as written.
    pub pattern: String,
    /// Why it matches nothing.
    pub reason: String,
}

/// The patterns of one rule, compiled: gitignore semantics without case.
#[derive(Debug, Clone)]
pub struct PathGlobs {
    matcher: Gitignore,
    problems: Vec<PatternProblem>,
}

impl PathGlobs {
    /// Compiles patterns in their order. A bad one matches nothing, is reported, and spoils
    /// neither the others nor the rule.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> PathGlobs {
        let mut builder = GitignoreBuilder::new("");
        let mut problems = Vec::new();
        let _ = builder.case_insensitive(true);
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let short = pattern.strip_suffix("/**").unwrap_or(pattern);
            if let Err(error) = builder.add_line(None, short) {
                problems.push(PatternProblem {
                    pattern: pattern.to_owned(),
                    reason: error.to_string(),
                });
            }
        }
        PathGlobs {
            matcher: builder.build().unwrap_or_else(|_| Gitignore::empty()),
            problems,
        }
    }

    /// The patterns that match nothing.
    pub fn problems(&self) -> &[PatternProblem] {
        &self.problems
    }

    /// Whether the rule applies to a path relative to its base. Absolute paths and paths with
    /// `..` never match.
    pub fn is_match(&self, relative: &Path) -> bool {
        relative.is_relative()
            && self
                .matcher
                .matched_path_or_any_parents(relative, false)
                .is_ignore()
    }
}
