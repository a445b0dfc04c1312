//! The behavior of compact-sm, by topic.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod breaker;
mod messages;
mod repairs;
mod tokens;
mod transcripts;
mod validity;
mod window;
mod world;
