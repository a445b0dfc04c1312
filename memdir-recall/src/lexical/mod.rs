//! The lexical stage: text to terms, terms to an index, a query to scores.

mod across;
mod common;
mod dictionary;
pub(crate) mod evidence;
mod forms;
mod gather;
mod glossary;
mod holders;
pub(crate) mod index;
mod lookup;
mod merge;
mod postings;
pub(crate) mod rank;
mod slips;
mod stop;
pub(crate) mod text;
