//! The four layers of instructions, in their order.

use std::fmt;

/// Whose instructions a file holds. Later layers stand nearer to the conversation; nothing
/// overrides anything.
///
/// Deliberately exhaustive: the format has these four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Layer {
    /// Rolled out by an administrator; never excluded, never switched off alone.
    Managed,
    /// The person's own, for every project.
    User,
    /// Belongs to the project and is shared with everyone who works on it.
    Project,
    /// The person's own, for one project.
    Local,
}

impl Layer {
    /// All layers, in loading order.
    pub const ALL: [Layer; 4] = [Layer::Managed, Layer::User, Layer::Project, Layer::Local];

    /// The name of the layer: `managed`, `user`, `project`, `local`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::Managed => "managed",
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Local => "local",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A source of settings that can be left out. Managed files are none: they always load.
///
/// Deliberately exhaustive: these are the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Source {
    /// The user's `CLAUDE.md` and rules.
    User,
    /// `CLAUDE.md`, `.claude/CLAUDE.md` and rules of the project's directories.
    Project,
    /// `CLAUDE.local.md` of the project's directories.
    Local,
}

impl Source {
    /// All sources.
    pub const ALL: [Source; 3] = [Source::User, Source::Project, Source::Local];

    /// The name of the source.
    pub const fn as_str(self) -> &'static str {
        match self {
            Source::User => "user",
            Source::Project => "project",
            Source::Local => "local",
        }
    }

    /// The source of that name: `user`, `project`, `local`.
    pub fn from_name(name: &str) -> Option<Source> {
        match name.trim() {
            "user" => Some(Source::User),
            "project" => Some(Source::Project),
            "local" => Some(Source::Local),
            _ => None,
        }
    }
}
