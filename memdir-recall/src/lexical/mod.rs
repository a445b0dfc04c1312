//! The lexical stage: text to terms, terms to an index, a query to scores.

mod glossary;
pub(crate) mod index;
pub(crate) mod rank;
mod stop;
pub(crate) mod text;
