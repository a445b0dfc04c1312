//! What the model is told by the runner: its tools, and the few words between the turns.

use super::chat::ToolDefinition;

/// The tools, in the order in which they are offered.
pub(super) const TOOLS: &[ToolDefinition] = &[
    ToolDefinition {
        name: "Read",
        description: "\
Reads a text file. Answers with numbered lines: the number, a tab, the line. Long files and long \
lines are cut, and the answer says where to go on; `offset` is the first line, `limit` how many.",
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"},"offset":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}},"required":["file_path"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "Grep",
        description: "\
Searches the lines of a file, or of all files below a folder, for a regular expression. \
`output_mode` is `files_with_matches` (default), `content` or `count`; `glob` picks files by \
name. With `content`, `-n` shows line numbers, and `-A`, `-B`, `-C` lines around a match. Hidden \
files, links and files that are no text are left out.",
        schema: r#"{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"absolute path of a file or folder"},"glob":{"type":"string"},"output_mode":{"type":"string","enum":["files_with_matches","content","count"]},"-i":{"type":"boolean"},"-n":{"type":"boolean"},"-A":{"type":"integer","minimum":0},"-B":{"type":"integer","minimum":0},"-C":{"type":"integer","minimum":0},"head_limit":{"type":"integer","minimum":1}},"required":["pattern"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "Glob",
        description: "\
Lists files by a pattern such as `**/*.md`, the latest change first. Hidden files and links are \
left out.",
        schema: r#"{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"absolute path of a folder"}},"required":["pattern"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "LS",
        description: "Lists a folder: one name for each line, with a `/` behind folders.",
        schema: r#"{"type":"object","properties":{"path":{"type":"string","description":"absolute path"}},"required":["path"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "Edit",
        description: "\
Replaces a text in a file by another. `old_string` has to stand there exactly once, white space \
included; with `replace_all` every one of them is replaced.",
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"},"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["file_path","old_string","new_string"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "MultiEdit",
        description: "\
Makes several replacements in one file, one after the other, all or none of them. Each is as in \
Edit.",
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"},"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["old_string","new_string"],"additionalProperties":false}}},"required":["file_path","edits"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "Write",
        description: "Writes a whole file. What stood there is gone; missing folders are made.",
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"},"content":{"type":"string"}},"required":["file_path","content"],"additionalProperties":false}"#,
    },
    ToolDefinition {
        name: "Bash",
        description: "\
Runs a command line that only reads: programs such as `ls`, `find`, `grep`, `cat`, `head`, \
`tail`, `wc`, `stat`, `sort`, `cut`, `sed -n`, `jq` and `git log`, joined by pipes, `&&`, `||` or \
`;`. No variables, no substitution, no redirection into files, no `cd`.",
        schema: r#"{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}"#,
    },
];

/// After an answer that was cut off, and that used no tool.
pub(super) const GO_ON: &str = "Your answer was cut off at its limit. Go on where it ended, in \
    shorter steps: one tool call at a time.";

/// To a use of a tool in an answer that was cut off behind it.
pub(super) const CUT_OFF: &str = "Your answer was cut off, so this call may lack its end, and \
    nothing was done. Write less in one call.";

/// To the uses of tools behind the most that are done in one turn.
pub(super) const TOO_MANY: &str = "There are too many calls in one turn; this one was not done. \
    Repeat it.";
