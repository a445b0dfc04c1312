//! The behaviour of memdir-index, by topic.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod auto_traits;
mod batch;
mod budget;
mod check;
mod concurrency;
mod daily_log;
mod entry;
mod errors;
mod index;
mod laws;
mod links;
mod load;
mod obstacles;
mod prompt;
mod rebuild;
mod recovery;
mod save;
mod strip;
mod truncate;
mod world;
