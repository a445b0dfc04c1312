#![doc = include_str!("../README.md")]

// In reading order: what comes in, what comes out, how files are found, read and cut up, the
// rules, the session, the words.
mod layer;
mod options;
mod roots;
mod switch;

mod date;
mod file;
mod report;
mod report_text;

mod paths;
mod read;
mod resolve;

mod clean;
mod exclude;
mod import;

mod frontmatter;
mod globs;
mod rule_index;
mod rules;

mod deliver;
mod discover;
mod expand;
mod loader;
mod session;

mod context;
mod prompt;

#[cfg(feature = "serde")]
mod ser;

pub use context::{Section, UserContext};
pub use date::Date;
pub use file::{Event, Extent, LoadReason, LoadedFile};
pub use frontmatter::{Header, PathsKey};
pub use globs::{PathGlobs, PatternProblem};
pub use import::{Reference, references};
pub use layer::{Layer, Source};
pub use options::{
    AgentsMd, Approval, Approver, Budget, ExcludePaths, External, ExternalImport, MAX_FILE_BYTES,
    MAX_IMPORT_BYTES, MAX_IMPORT_DEPTH, MAX_IMPORTS, MAX_TOTAL_BYTES, Options, SIZE_WARNING_CHARS,
    Trigger,
};
pub use paths::is_inside;
pub use report::{Loaded, Miss, Place, Report, SkipReason, Skipped, Waiting, Warning, WarningKind};
pub use resolve::locate;
pub use roots::{Platform, Roots};
pub use session::{Operation, Reason, RuleMatch, RuleState, Session};
pub use switch::{Switch, Switches};
