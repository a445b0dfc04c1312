//! The lexical stage: text to terms, terms to an index, a query to scores.

mod common;
mod evidence;
mod glossary;
pub(crate) mod index;
mod interner;
mod inverted;
mod lengths;
mod lookup;
mod numbers;
pub(crate) mod rank;
mod stop;
pub(crate) mod text;
