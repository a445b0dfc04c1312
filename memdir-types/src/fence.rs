//! Finds the two fences of a frontmatter block, by hand and before any parser runs.

use std::ops::Range;

/// Where the frontmatter of a text is. All positions are byte offsets into the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// Length of a leading byte order mark: 0 or 3.
    pub(crate) bom: usize,
    pub(crate) block: Block,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// The text does not open with a fence.
    None,
    /// The text opens with a fence, and no line closes it. `start` follows the opening line.
    Unclosed { start: usize },
    /// Both fences are there: what is between them, and where the line after them begins.
    Closed { inner: Range<usize>, after: usize },
}

/// The line that starts at `start`: its content without the line end, and the start of the next
/// line. Only `\n` and `\r\n` end a line.
pub(crate) fn line_at(text: &str, start: usize) -> (&str, usize) {
    let rest = &text[start..];
    let (line, next) = match rest.find('\n') {
        Some(at) => (&rest[..at], start + at + 1),
        None => (rest, text.len()),
    };
    (line.strip_suffix('\r').unwrap_or(line), next)
}

/// Whether a line is `---` and nothing else but trailing blanks, which nobody can see.
pub(crate) fn is_fence(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "---"
}

pub(crate) fn split(text: &str) -> Split {
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let (first, start) = line_at(text, bom);
    if !is_fence(first) {
        return Split {
            bom,
            block: Block::None,
        };
    }
    let mut at = start;
    while at < text.len() {
        let (line, next) = line_at(text, at);
        if is_fence(line) {
            return Split {
                bom,
                block: Block::Closed {
                    inner: start..at,
                    after: next,
                },
            };
        }
        at = next;
    }
    Split {
        bom,
        block: Block::Unclosed { start },
    }
}

/// The number of the line in which an offset lies, counted from 1.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Block) {
        assert_eq!(split(text).block, expected, "{text:?}");
    }

    #[test]
    fn fences_are_found_with_any_line_end() {
        check(
            "---\na\n---\nb",
            Block::Closed {
                inner: 4..6,
                after: 10,
            },
        );
        check(
            "---\r\na\r\n---\r\nb",
            Block::Closed {
                inner: 5..8,
                after: 13,
            },
        );
        check(
            "---\na\r\n---",
            Block::Closed {
                inner: 4..7,
                after: 10,
            },
        );
        check(
            "---  \n--- \t\n",
            Block::Closed {
                inner: 6..6,
                after: 12,
            },
        );
        check(
            "\u{feff}---\n---\n",
            Block::Closed {
                inner: 7..7,
                after: 11,
            },
        );
    }

    #[test]
    fn other_lines_are_not_fences() {
        check("", Block::None);
        check("----\n---\n", Block::None);
        check(" ---\n---\n", Block::None);
        check("\n---\na: b\n---\n", Block::None);
        check("# T\n\n---\ntext", Block::None);
        check("---", Block::Unclosed { start: 3 });
        check("---\na: b\n...\nb", Block::Unclosed { start: 4 });
        check("---\na: b\n ---\n----\n", Block::Unclosed { start: 4 });
    }
}
