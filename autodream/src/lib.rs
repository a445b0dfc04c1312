//! Consolidates an agent's memory in the background, behind gates ordered by cost and under a lock that rolls back.
//!
//! This crate is reserved for that purpose and has no functionality yet.
