//! The one error type of the crate.

use std::error::Error as StdError;
use std::fmt;

/// What failed. What was left out, ignored or not due is no error: it is a value beside the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server refuses the request as too long although it was compacted.
    StillTooLong {
        /// What the server counted, in tokens, if it said so.
        tokens: Option<u64>,
        /// What it takes, in tokens, if it said so.
        limit: Option<u64>,
    },
    /// The plan was made for another list of messages.
    OtherHistory {
        /// Messages that the plan was made for.
        planned: usize,
        /// Messages that were given.
        given: usize,
    },
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error { kind }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::StillTooLong { tokens, limit } => {
                f.write_str("the compacted request is still too long")?;
                match (tokens, limit) {
                    (Some(tokens), Some(limit)) => {
                        write!(f, ": {tokens} tokens, expected at most {limit}")
                    }
                    (None, Some(limit)) => write!(f, ": expected at most {limit} tokens"),
                    _ => Ok(()),
                }
            }
            ErrorKind::OtherHistory { planned, given } => write!(
                f,
                "expected the list that the plan was made for: {planned} messages planned, {given} given"
            ),
        }
    }
}

impl StdError for Error {}
