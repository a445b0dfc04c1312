//! Behavior of memdir-paths, one module per topic.
#![expect(
    clippy::unwrap_used,
    reason = "a failed unwrap in a helper of the tests is a failed test"
)]

mod api;
mod contain;
mod guard;
mod identity;
mod laws;
mod layout;
mod roots;
#[cfg(unix)]
mod roots_hostile;
mod roots_stores;
mod settings;
mod slug;
mod source;
mod support;
mod switch;
mod values;
