//! Behavior of memdir-age, by topic.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod ages;
mod laws;
mod modified;
