//! The behavior of memdir-types, by topic.

mod read;
