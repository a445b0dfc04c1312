//! What a fresh notes file holds. The headings are the format's, the descriptions are ours.

/// Headings, and what belongs below each.
pub(super) const SECTIONS: [(&str, &str); 10] = [
    (
        "Session Title",
        "A line of five to ten words that tells this session from others.",
    ),
    (
        "Current State",
        "What is being worked on at this moment, what is next, what is still open.",
    ),
    (
        "Task specification",
        "What the person asked for, with limits, and decisions that were made about it.",
    ),
    (
        "Files and Functions",
        "The files that matter, what is in each, and why it matters here.",
    ),
    (
        "Workflow",
        "Commands that are run, in which order, and how to read what they print.",
    ),
    (
        "Errors & Corrections",
        "What failed and how it was fixed; what the person corrected; what not to try again.",
    ),
    (
        "Codebase and System Documentation",
        "The parts of the system and how they fit together.",
    ),
    (
        "Learnings",
        "What worked well, what did not, and what to avoid; nothing that stands elsewhere.",
    ),
    (
        "Key results",
        "Answers, tables and texts that the person asked for, in full.",
    ),
    (
        "Worklog",
        "Step by step, what was tried and done: one short line for each.",
    ),
];

/// The text of a fresh notes file: ten sections, each a heading and a line in italics that says
/// what belongs there.
#[must_use]
pub fn notes_template() -> String {
    let mut text = String::new();
    for (heading, description) in SECTIONS {
        text.push_str(&format!("# {heading}\n_{description}_\n\n"));
    }
    text
}
