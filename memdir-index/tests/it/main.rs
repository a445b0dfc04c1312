//! The behaviour of memdir-index, by topic.
