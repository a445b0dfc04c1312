//! The lexical stage: text to terms, terms to an index, a query to scores.

mod across;
mod bytes;
mod chance;
mod common;
mod dictionary;
pub(crate) mod evidence;
mod finder;
mod forms;
mod gain;
mod gather;
mod glossary;
mod holders;
pub(crate) mod index;
mod joined;
mod lookup;
mod merge;
mod postings;
pub(crate) mod rank;
mod slips;
mod stems;
pub(crate) mod stop;
pub(crate) mod text;
mod walk;
