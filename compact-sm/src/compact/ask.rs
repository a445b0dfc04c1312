//! Asks a model for a summary.

use super::result::WhyNot;
use crate::summarizer::{SummarizeError, Summarizer};
use crate::summary::{BadSummary, MAX_TRIMS, Summary, SummaryRequest, Trim, read_summary};
use crate::tokens::Counter;

/// Asks until there is a summary, or a reason why there is none.
pub(super) async fn ask<S: Summarizer + Sync>(
    summarizer: &S,
    mut request: SummaryRequest,
    counter: &(dyn Counter + Sync),
) -> Result<(Summary, usize), WhyNot> {
    let (mut requests, mut trims, mut trimmed) = (0, 0, request.left_out);
    let mut called = false;
    loop {
        requests += 1;
        match summarizer.summarize(request.clone()).await {
            Ok(reply) => match read_summary(&reply) {
                Ok(summary) => return Ok((summary, trimmed)),
                Err(BadSummary::CalledTool { .. }) if !called => called = true,
                Err(why) => return Err(WhyNot::BadSummary(why)),
            },
            Err(SummarizeError::TooLong { over_by }) => {
                if trims == MAX_TRIMS {
                    return Err(WhyNot::TooLong { requests });
                }
                trims += 1;
                match request.trim(over_by, counter) {
                    Trim::Dropped { messages, .. } => trimmed += messages,
                    Trim::OneLeft => return Err(WhyNot::TooLong { requests }),
                }
            }
            Err(SummarizeError::Other(error)) => return Err(WhyNot::Summarizer(error)),
        }
    }
}
