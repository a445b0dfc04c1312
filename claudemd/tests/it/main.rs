//! The behaviour of claudemd, by topic.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![cfg(unix)]

mod imports;
mod laws;
mod layers;
mod obstacles;
mod places;
mod rule_globs;
mod rule_headers;
mod rule_laws;
mod rule_vectors;
mod session;
mod texts;
mod vectors;
mod world;
