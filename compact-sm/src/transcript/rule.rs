//! What a violation says.

use std::fmt;

/// One thing that the API would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Violation {
    /// The message, counted from 0.
    pub index: usize,
    /// The block in the message, counted from 0; none if it is about the message as a whole.
    pub block: Option<usize>,
    /// What is wrong.
    pub rule: Rule,
}

/// What kind of block stands where it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kind {
    /// A tool call, said by the user.
    Call,
    /// Reasoning, said by the user.
    Thinking,
    /// A tool's result, said by the model.
    Result,
    /// An image, said by the model.
    Image,
    /// A document, said by the model.
    Document,
}

/// A rule of the API that a list breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Rule {
    /// The model speaks first.
    FirstNotUser,
    /// The model speaks last, and the list is sent.
    LastNotUser,
    /// A message without a block.
    EmptyContent,
    /// A text that is empty or white space.
    EmptyText,
    /// A tool's error without a text.
    EmptyError,
    /// A block without what its type demands, or without a type.
    Malformed,
    /// A block that this role may not say.
    WrongRole {
        /// Which kind of block.
        what: Kind,
    },
    /// A call whose result is not in the next message.
    CallWithoutResult {
        /// The call.
        id: String,
    },
    /// A result whose call is not in the message before.
    ResultWithoutCall {
        /// The call that it names.
        id: String,
    },
    /// Two calls of one id.
    DuplicateCall {
        /// The id.
        id: String,
    },
    /// Two results for one call.
    DuplicateResult {
        /// The call.
        id: String,
    },
    /// A result behind something else: results come first.
    ResultsNotFirst,
    /// The id of a call is empty, or has more than letters, digits, `_` and `-`.
    BadId {
        /// The id.
        id: String,
    },
    /// The same for the name of its tool.
    BadName {
        /// The name.
        name: String,
    },
    /// The arguments of a call are no object.
    InputNotObject,
    /// A response that thinks stands in two places.
    ResponseApart {
        /// The response.
        id: String,
    },
    /// A response that ends in reasoning.
    EndsInThinking,
    /// Reasoning without its signature.
    UnsignedThinking,
    /// More images than a request takes.
    TooManyImages {
        /// Most that it takes, in items.
        max: usize,
    },
    /// More documents than a request takes.
    TooManyDocuments {
        /// Most that it takes, in items.
        max: usize,
    },
    /// More cache marks than a request takes.
    TooManyCacheMarks {
        /// Most that it takes, in items.
        max: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}", self.index)?;
        if let Some(block) = self.block {
            write!(f, ", block {block}")?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Call => "a tool call from the user",
            Kind::Thinking => "reasoning from the user",
            Kind::Result => "a tool result from the assistant",
            Kind::Image => "an image from the assistant",
            Kind::Document => "a document from the assistant",
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::FirstNotUser => f.write_str("expected the user to speak first"),
            Rule::LastNotUser => f.write_str("expected the user to speak last"),
            Rule::EmptyContent => f.write_str("expected at least one block"),
            Rule::EmptyText => f.write_str("expected a text that is not empty"),
            Rule::EmptyError => f.write_str("expected an error to say something"),
            Rule::Malformed => f.write_str("expected a block that has what its type demands"),
            Rule::WrongRole { what } => write!(f, "{what}"),
            Rule::CallWithoutResult { id } => {
                write!(f, "expected the result of {id:?} in the next message")
            }
            Rule::ResultWithoutCall { id } => {
                write!(f, "expected the call {id:?} in the message before")
            }
            Rule::DuplicateCall { id } => write!(f, "the id {id:?} names two calls"),
            Rule::DuplicateResult { id } => write!(f, "the call {id:?} has two results"),
            Rule::ResultsNotFirst => f.write_str("expected tool results before anything else"),
            Rule::BadId { id } => write!(
                f,
                "expected an id of letters, digits, `_` and `-`, not {id:?}"
            ),
            Rule::BadName { name } => write!(
                f,
                "expected a tool's name of letters, digits, `_` and `-`, not {name:?}"
            ),
            Rule::InputNotObject => f.write_str("expected the arguments to be an object"),
            Rule::ResponseApart { id } => {
                write!(f, "the response {id:?} thinks and stands in two places")
            }
            Rule::EndsInThinking => f.write_str("expected something after the reasoning"),
            Rule::UnsignedThinking => f.write_str("expected reasoning to be signed"),
            Rule::TooManyImages { max } => write!(f, "expected at most {max} images"),
            Rule::TooManyDocuments { max } => write!(f, "expected at most {max} documents"),
            Rule::TooManyCacheMarks { max } => write!(f, "expected at most {max} cache marks"),
        }
    }
}
