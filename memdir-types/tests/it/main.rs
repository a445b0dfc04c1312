//! The behavior of memdir-types, by topic.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod edit;
mod errors;
mod file_name;
mod fixtures;
mod gate;
mod gate_tags;
mod guidance;
mod header;
mod hostile;
mod laws;
mod lint;
mod read;
mod recover;
mod repair;
mod secret_forms;
mod secret_shapes;
mod secrets;
#[cfg(feature = "serde")]
mod serialize;
mod write;
