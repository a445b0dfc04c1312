//! The shell judge: rejects by default, and answers with what is to be run.
//!
//! In reading order: `chars`, `lex` and `words` turn text into words, `glob` replaces globs,
//! `options` reads arguments by the tables that `programs` names, the programs with a language of
//! their own have a file each, and `judge` puts it together.

mod chars;
mod filters;
mod find;
mod git;
mod git_config;
mod git_tables;
mod glob;
mod jq;
mod judge;
mod lex;
mod looking;
mod options;
mod programs;
mod script;
mod search;
mod sed;
mod small;
mod values;
mod words;

pub use judge::{judge_shell, parse_shell};
pub use script::{Command, Join, Redirection, SEARCH_PATH, Script, Step};

/// 32,768 bytes: a longer command line is refused unread. Many times what a person would read.
pub const MAX_COMMAND_BYTES: usize = 32_768;
