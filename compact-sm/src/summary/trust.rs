//! Which summaries may stand alone.
//!
//! Words do not say it: a refusal in a language that no list knows looks like a short summary. So
//! the form and the length decide, and what fails them is taken only beside what was said last.

use super::{Summary, SummaryForm};
use crate::tokens::Counter;

/// A summary that stands alone has at least so much. In tokens; our own choice: nine sections with
/// little more than their headings.
pub const TRUSTED_TOKENS: u64 = 200;

/// In place of less than this a summary in its form needs no longer tail beside it. In tokens; our
/// own choice: what fits a page or two.
pub const TAIL_FROM_TOKENS: u64 = 2_000;

impl Summary {
    /// May it be none after all? It is not in the form that was asked for, or has fewer than
    /// [`TRUSTED_TOKENS`]. [`compact`](crate::compact()) never lets such a summary stand alone: the
    /// end of the conversation stays beside it word for word, and what the person said last.
    #[must_use]
    pub fn is_doubtful(&self, counter: &dyn Counter) -> bool {
        self.form == SummaryForm::Free || counter.text(&self.text) < TRUSTED_TOKENS
    }

    /// Does a longer tail have to stay beside it, if it is doubtful?
    pub(crate) fn needs_tail(&self, replaced: u64) -> bool {
        self.form == SummaryForm::Free || replaced >= TAIL_FROM_TOKENS
    }
}
