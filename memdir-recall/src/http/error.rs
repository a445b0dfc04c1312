//! What may go wrong on the way to a model: the kind, the status, a short excerpt, never a key.

use std::error::Error as StdError;
use std::fmt;

use crate::text::one_line;

/// How much of a body is shown: 200 characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// What stands in the place of a secret.
const HIDDEN: &str = "[key]";

/// The shortest start of a secret that counts as one: 8 bytes.
const MIN_SECRET_BYTES: usize = 8;

/// Why a call failed. Its text holds no key and no header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    kind: HttpErrorKind,
    excerpt: String,
}

/// The kinds of [`HttpError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpErrorKind {
    /// The client cannot be made as asked for.
    Setup,
    /// No connection could be made, or it broke.
    Connection,
    /// The time for the connection or for the whole call is over.
    Timeout,
    /// The service answered with an error.
    Status {
        /// The HTTP status.
        status: u16,
        /// The `error.type` of the body, if it says.
        error_type: Option<String>,
    },
    /// The body is larger than this crate reads.
    TooLarge,
    /// The body is not what the API answers.
    Unexpected,
}

impl HttpError {
    pub(super) fn new(kind: HttpErrorKind, excerpt: &str) -> HttpError {
        HttpError {
            kind,
            excerpt: one_line(excerpt, MAX_EXCERPT_CHARS),
        }
    }

    pub(super) fn setup(reason: &str) -> HttpError {
        HttpError::new(HttpErrorKind::Setup, reason)
    }

    /// The same error without a secret that may stand in its texts.
    pub(super) fn without(mut self, secret: &str) -> HttpError {
        hide(&mut self.excerpt, secret);
        if let HttpErrorKind::Status { error_type, .. } = &mut self.kind
            && let Some(text) = error_type
        {
            hide(text, secret);
        }
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &HttpErrorKind {
        &self.kind
    }
}

/// Hides a secret, also one whose end was cut off.
fn hide(text: &mut String, secret: &str) {
    if secret.is_empty() {
        return;
    }
    *text = text.replace(secret, HIDDEN);
    for end in (MIN_SECRET_BYTES..secret.len()).rev() {
        if let Some(part) = secret.get(..end)
            && let Some(cut) = text.find(part)
        {
            text.truncate(cut);
            text.push_str(HIDDEN);
            break;
        }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            HttpErrorKind::Setup => f.write_str("the client cannot be made")?,
            HttpErrorKind::Connection => f.write_str("no connection to the service")?,
            HttpErrorKind::Timeout => f.write_str("the service did not answer in time")?,
            HttpErrorKind::Status { status, error_type } => {
                write!(f, "the service answered {status}")?;
                if let Some(error_type) = error_type {
                    write!(f, " ({error_type})")?;
                }
            }
            HttpErrorKind::TooLarge => {
                write!(
                    f,
                    "the answer is larger than {} bytes",
                    super::MAX_BODY_BYTES
                )?;
            }
            HttpErrorKind::Unexpected => f.write_str("the answer is not one of the service")?,
        }
        if !self.excerpt.is_empty() {
            write!(f, ": {}", self.excerpt)?;
        }
        Ok(())
    }
}

impl StdError for HttpError {}
