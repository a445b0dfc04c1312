//! Keeps an agent's conversation inside its context window, mostly from session notes, and never leaves one that an API refuses.
//!
//! This crate is reserved for that purpose and has no functionality yet.
