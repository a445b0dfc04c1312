//! Which messages stay as they are.

use crate::boundary::read_boundary_text;
use crate::{Message, Origin, Role};

/// Where the messages begin that may be kept: behind the last summary.
pub(crate) fn floor(messages: &[Message]) -> usize {
    messages
        .iter()
        .rposition(is_summary)
        .map_or(0, |summary| summary + 1)
}

/// A summary by its origin, or by the text form of a boundary.
pub(crate) fn is_summary(message: &Message) -> bool {
    if message.origin == Origin::Summary {
        return true;
    }
    message.role == Role::User
        && message.content.blocks.first().is_some_and(|block| {
            let text = block.as_text().unwrap_or_default();
            read_boundary_text(text).is_some()
        })
}
