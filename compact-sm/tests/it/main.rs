//! The behavior of compact-sm, by topic.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod answers;
mod auto_traits;
mod breaker;
mod compaction;
mod compaction_failures;
mod compaction_ways;
mod doubtful;
mod from_notes;
mod kept_tail;
mod kept_tail_borders;
mod laws;
mod lines;
mod messages;
mod micro;
mod modes;
mod notes_edits;
mod notes_pieces;
mod notes_taking;
mod notes_text;
mod odd_files;
mod odd_messages;
mod odd_plans;
mod odd_usage;
mod prefix;
mod reinjection;
mod repairs;
mod restored_again;
mod restoring;
mod scripted;
#[cfg(feature = "serde")]
mod serialize;
mod shrinks;
mod summarizer_errors;
mod summary_reply;
mod summary_request;
mod summary_retry;
mod summary_room;
mod summary_words;
mod switches;
mod tokens;
mod transcripts;
mod validity;
mod waiting_calls;
mod window;
mod world;
