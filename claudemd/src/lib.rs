//! Loads an agent's instruction files: four layers, upward walk, imports and path-scoped rules.
//!
//! This crate is reserved for that purpose and has no functionality yet.
