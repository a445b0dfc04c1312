//! What a session starts with, and the check that all of it is there again after a compaction.

use std::fmt;

use serde_json::Value;

use crate::{Message, Role};

/// What a fresh session starts with, beside the conversation.
///
/// The host makes it from disk, the same way for a session that starts and for one that was
/// compacted, and asks [`SessionStart::missing`] about the request that it is about to send.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SessionStart {
    /// The pieces, in the order in which they were added.
    pub pieces: Vec<Piece>,
}

/// One of the things that a session starts with.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Piece {
    /// An instruction file or a rule.
    Instructions {
        /// Its path.
        name: String,
        /// Its text, as the model sees it.
        text: String,
    },
    /// The instructions for the memory, and its index.
    MemoryPrompt {
        /// The text.
        text: String,
    },
    /// A tool.
    Tool {
        /// Its definition, with `name`, as it is sent.
        definition: Value,
    },
    /// The instructions of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The text.
        text: String,
    },
    /// What a hook of the session's start says, with the source `compact`.
    Hook {
        /// The hook.
        name: String,
        /// The text.
        text: String,
    },
    /// A file, the plan or a skill that a compaction brought back.
    Restored {
        /// The path, or the name of the skill.
        name: String,
        /// The text.
        text: String,
    },
}

impl Piece {
    /// How to name it to a person.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Piece::Instructions { name, .. }
            | Piece::Hook { name, .. }
            | Piece::Restored { name, .. } => name,
            Piece::MemoryPrompt { .. } => "memory prompt",
            Piece::Tool { definition } => tool_name(definition),
            Piece::Mcp { server, .. } => server,
        }
    }
}

fn tool_name(definition: &Value) -> &str {
    let name = definition.get("name").and_then(Value::as_str);
    name.unwrap_or_default()
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Sent<'a> {
    /// The system prompt.
    pub system: &'a str,
    /// The definitions of the tools.
    pub tools: &'a [Value],
    /// The messages.
    pub messages: &'a [Message],
}

impl<'a> Sent<'a> {
    /// A request.
    #[must_use]
    pub fn new(system: &'a str, tools: &'a [Value], messages: &'a [Message]) -> Sent<'a> {
        Sent {
            system,
            tools,
            messages,
        }
    }
}

/// A piece that is not in a request as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// What is wrong.
    pub how: Lack,
}

/// What is wrong with a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Lack {
    /// Its text is not there, byte for byte.
    Absent,
    /// A tool of that name is there with another definition.
    Changed,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.how {
            Lack::Absent => write!(f, "{} is not there", self.name),
            Lack::Changed => write!(f, "{} is there with another definition", self.name),
        }
    }
}

impl SessionStart {
    /// A session that starts with nothing.
    #[must_use]
    pub fn new() -> SessionStart {
        SessionStart::default()
    }

    fn with(mut self, piece: Piece) -> SessionStart {
        self.pieces.push(piece);
        self
    }

    /// Adds an instruction file or a rule, by its path and its text as the model sees it.
    #[must_use]
    pub fn instructions(self, name: impl Into<String>, text: impl Into<String>) -> SessionStart {
        self.with(Piece::Instructions {
            name: name.into(),
            text: text.into(),
        })
    }

    /// Adds the instructions for the memory, or its index.
    #[must_use]
    pub fn memory_prompt(self, text: impl Into<String>) -> SessionStart {
        self.with(Piece::MemoryPrompt { text: text.into() })
    }

    /// Adds a tool by its definition.
    #[must_use]
    pub fn tool(self, definition: Value) -> SessionStart {
        self.with(Piece::Tool { definition })
    }

    /// Adds the instructions of an MCP server.
    #[must_use]
    pub fn mcp(self, server: impl Into<String>, text: impl Into<String>) -> SessionStart {
        self.with(Piece::Mcp {
            server: server.into(),
            text: text.into(),
        })
    }

    /// Adds what a hook of the session's start says.
    #[must_use]
    pub fn hook(self, name: impl Into<String>, text: impl Into<String>) -> SessionStart {
        self.with(Piece::Hook {
            name: name.into(),
            text: text.into(),
        })
    }

    pub(crate) fn restored(self, name: impl Into<String>, text: impl Into<String>) -> SessionStart {
        self.with(Piece::Restored {
            name: name.into(),
            text: text.into(),
        })
    }

    /// What is not in a request, byte for byte; empty if all of it is.
    ///
    /// Tools have to be among the definitions; everything else may stand in the system prompt or
    /// in one text of the user's messages, because what the model quotes is no instruction: give
    /// what is sent, and nothing that stands before the boundary. Pieces without text are never
    /// missing. Linear in the request for each piece.
    #[must_use]
    pub fn missing(&self, sent: &Sent<'_>) -> Vec<Missing> {
        let mut missing = Vec::new();
        for piece in &self.pieces {
            let how = match piece {
                Piece::Tool { definition } => tool(definition, sent.tools),
                Piece::Instructions { text, .. }
                | Piece::MemoryPrompt { text }
                | Piece::Mcp { text, .. }
                | Piece::Hook { text, .. }
                | Piece::Restored { text, .. } => {
                    let stands = text.trim().is_empty()
                        || sent.system.contains(text.as_str())
                        || sent
                            .messages
                            .iter()
                            .filter(|message| message.role == Role::User)
                            .flat_map(Message::texts)
                            .any(|block| block.contains(text.as_str()));
                    (!stands).then_some(Lack::Absent)
                }
            };
            missing.extend(how.map(|how| Missing {
                name: piece.name().to_owned(),
                how,
            }));
        }
        missing
    }
}

fn tool(definition: &Value, tools: &[Value]) -> Option<Lack> {
    let name = tool_name(definition);
    let mut named = tools.iter().filter(|tool| tool_name(tool) == name);
    match named.next() {
        None => Some(Lack::Absent),
        Some(tool) if same(tool, definition) => None,
        Some(_) => Some(Lack::Changed),
    }
}

/// The mark of the cache moves from tool to tool, and is no part of the definition.
fn same(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else {
        return a == b;
    };
    let rest = |map: &serde_json::Map<String, Value>| {
        map.iter()
            .filter(|(key, _)| *key != "cache_control")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<serde_json::Map<String, Value>>()
    };
    rest(a) == rest(b)
}
