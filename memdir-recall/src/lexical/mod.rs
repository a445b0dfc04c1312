//! The lexical stage: text to terms, terms to an index, a query to scores.

mod common;
mod dictionary;
mod evidence;
mod gather;
mod glossary;
pub(crate) mod index;
mod lookup;
mod postings;
pub(crate) mod rank;
mod stop;
pub(crate) mod text;
