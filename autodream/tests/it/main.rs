//! What the crate promises, by topic.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests look at real clocks, processes and threads"
)]

mod config;
mod corpus;
mod directory;
mod dream;
mod dream_by_hand;
mod dream_stops;
mod errors;
#[cfg(all(feature = "runner", unix))]
mod executor;
mod gate;
mod hostile;
mod lock;
mod lock_left;
mod merge;
mod night;
mod policy;
mod prompt;
#[cfg(feature = "runner")]
mod runner;
#[cfg(feature = "runner")]
mod runner_ends;
#[cfg(feature = "runner")]
mod runner_laws;
#[cfg(feature = "runner")]
mod runner_tools;
#[cfg(feature = "runner")]
mod scripted;
mod sessions;
mod shell;
mod shell_effects;
mod shell_mutations;
mod shell_options;
mod shell_run;
mod shell_world;
mod subagent;
mod task;
mod transaction;
mod transaction_files;
mod transaction_laws;
mod undo;
mod validation;
mod world;
