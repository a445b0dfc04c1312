//! Picks at most five relevant memories for a user's message, with a small model or without one.
//!
//! This crate is reserved for that purpose and has no functionality yet.
