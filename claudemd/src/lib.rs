//! Loads an agent's instruction files: four layers, upward walk, imports and path-scoped rules.

mod roots;

mod frontmatter;
mod globs;
mod rule_index;

pub use frontmatter::{Header, PathsKey};
pub use globs::{PathGlobs, PatternProblem};
pub use roots::Platform;
