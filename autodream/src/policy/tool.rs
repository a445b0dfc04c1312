//! What an agent asks to do, as its client names it.

use serde_json::Value;

use super::refusal::{Refusal, RefusalKind};

/// 4 MiB: the input of a tool with more is not read. Far more than a memory file may hold.
const MAX_INPUT_BYTES: usize = 4 << 20;

/// One use of a tool: the part of its input that decides whether it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ToolUse {
    /// Reads one file.
    Read {
        /// Its name.
        path: String,
    },
    /// Searches the text of files.
    Grep {
        /// Where; the working directory if it says nothing.
        path: Option<String>,
    },
    /// Lists files by a pattern.
    Glob {
        /// The pattern.
        pattern: String,
        /// Where; the working directory if it says nothing.
        path: Option<String>,
    },
    /// Changes a file.
    Edit {
        /// Its name.
        path: String,
    },
    /// Writes a whole file.
    Write {
        /// Its name.
        path: String,
    },
    /// Runs a command line.
    Shell {
        /// The command line.
        command: String,
    },
    /// Any other tool.
    Other {
        /// Its name.
        name: String,
    },
}

impl ToolUse {
    /// A tool use as the client words it: the name of the tool and its input as JSON text.
    ///
    /// Known are `Read`, `Grep`, `Glob`, `LS`, `Edit`, `MultiEdit`, `Write` and `Bash`; every
    /// other name becomes [`ToolUse::Other`]. Names are compared exactly.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] for input that is no such JSON, and for a command in the background
    /// or out of the host's sandbox.
    pub fn from_json(name: &str, input: &str) -> Result<ToolUse, Refusal> {
        let refuse = |why| Err(Refusal::new(RefusalKind::Input, name, why));
        if !matches!(
            name,
            "Read" | "Grep" | "Glob" | "LS" | "Edit" | "MultiEdit" | "Write" | "Bash"
        ) {
            return Ok(ToolUse::Other {
                name: name.to_owned(),
            });
        }
        if input.len() > MAX_INPUT_BYTES {
            return refuse("the input is larger than 4 MiB");
        }
        let Ok(Value::Object(input)) = serde_json::from_str(input) else {
            return refuse("the input of the tool is no JSON object");
        };
        let text = |key: &str| match input.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Refusal::new(
                RefusalKind::Input,
                key,
                "a text is expected in the input of the tool",
            )),
        };
        let needed = |key: &str| {
            text(key)?.ok_or_else(|| {
                Refusal::new(RefusalKind::Input, key, "the input of the tool lacks it")
            })
        };
        Ok(match name {
            "Read" => ToolUse::Read {
                path: needed("file_path")?,
            },
            "Grep" => ToolUse::Grep {
                path: text("path")?,
            },
            "LS" => ToolUse::Grep {
                path: Some(needed("path")?),
            },
            "Glob" => ToolUse::Glob {
                pattern: needed("pattern")?,
                path: text("path")?,
            },
            "Edit" | "MultiEdit" => ToolUse::Edit {
                path: needed("file_path")?,
            },
            "Write" => ToolUse::Write {
                path: needed("file_path")?,
            },
            _ => {
                let is_plain = |key: &str| {
                    matches!(
                        input.get(key),
                        None | Some(Value::Null | Value::Bool(false))
                    )
                };
                if !is_plain("dangerouslyDisableSandbox") {
                    return refuse("commands run in the sandbox that the host has, if it has one");
                }
                if !is_plain("run_in_background") {
                    return refuse("commands run one after the other, not in the background");
                }
                ToolUse::Shell {
                    command: needed("command")?,
                }
            }
        })
    }
}
