#![doc = include_str!("../README.md")]

// In reading order: what comes in, what is decided, what the answer offers, the guards.
mod env;
mod settings;

mod source;
mod switch;

mod git_root;
mod project_key;
mod resolve;

mod layout;

mod identity;

mod guard;
mod override_value;

mod contain;

mod error;
mod read;
#[cfg(feature = "serde")]
mod ser;

pub use contain::{contains, open_inside, resolve_inside};
pub use env::{Env, Platform};
pub use error::{Error, ErrorKind};
#[cfg(feature = "git2")]
pub use git_root::{CrossCheck, cross_check};
pub use git_root::{NoteKind, Root, RootKind, RootNote, canonical_root, real_cwd, worktrees};
pub use guard::{MAX_COMPONENT_BYTES, MAX_NAME_BYTES, NameFault, check_name};
pub use identity::{Collisions, MAX_IDENTITY_BYTES, MAX_RECORDED_ROOTS, Recorded, collisions};
pub use layout::{
    Date, ENTRYPOINT, Ensured, IDENTITY_FILE, LOCK_FILE, MemoryDir, TeamLayout, session_notes,
    transcript_dir,
};
pub use override_value::{MIN_OVERRIDE_UNITS, RejectReason, Tilde, check_override};
pub use project_key::{MAX_KEY_UNITS, existing_key, project_key, project_key_of};
pub use resolve::{Options, Resolution, WorktreePolicy, resolve, resolve_with};
pub use settings::{
    Layer, LayerSettings, MAX_SETTINGS_BYTES, Settings, SettingsFault, SettingsOptions,
    SettingsProblem, Stated,
};
pub use source::{Origin, ProjectTrust, Rejected, Source};
pub use switch::{DecidedBy, IndexText, State, Switch, index_text, switch};
