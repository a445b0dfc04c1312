//! The words around what comes back after a compaction.

/// What stands before the text of a file.
pub(crate) fn file(path: &str) -> String {
    format!(
        "The file {path} was read or changed before the conversation was compacted. Its text now:"
    )
}

/// A file without text.
pub(crate) fn empty(path: &str) -> String {
    format!(
        "The file {path} was read or changed before the conversation was compacted. It is empty now."
    )
}

/// Stands for a file that is too long.
pub(crate) fn reference(path: &str) -> String {
    format!(
        "The file {path} was read or changed before the conversation was compacted. It is too long \
         to stand here; read it if it is needed."
    )
}

/// What stands before the plan.
pub(crate) fn plan(path: &str) -> String {
    format!("The plan that is being worked on stands in {path}. Its text now:")
}

/// What stands before the text of a skill.
pub(crate) fn skill(name: &str) -> String {
    format!(
        "The skill {name} was called before the conversation was compacted and still holds. Its text:"
    )
}

/// Stands at the end of a head.
pub(crate) fn rest(bytes: u64, line: usize) -> String {
    format!("\n[{bytes} more bytes are left out here; read on from line {line}]")
}

/// The same where there is no file to read on.
pub(crate) fn rest_of_skill(bytes: u64) -> String {
    format!("\n[{bytes} more bytes are left out here]")
}
