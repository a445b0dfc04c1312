//! Text for an 80-column terminal: cells of a table, and paragraphs.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a person reads fits a terminal of this many columns.
pub(crate) const COLUMNS: usize = 80;

/// Exactly `width` columns: cut with an ellipsis, or filled with spaces.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let missing = width.saturating_sub(text.width());
    text + &" ".repeat(missing)
}

/// At most `width` columns; a wide character takes two.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or_default();
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// `text` after `head`, broken at spaces, continued under its own beginning.
pub(crate) fn wrap(head: &str, text: &str, out: &mut String) {
    let indent = " ".repeat(head.width());
    let mut line = head.to_owned();
    let mut width = head.width();
    let mut empty = true;
    for word in text.split(' ') {
        let length = word.width();
        if !empty && width + 1 + length > COLUMNS {
            let _ = writeln!(out, "{}", line.trim_end());
            line = indent.clone();
            width = indent.len();
            empty = true;
        }
        if !empty {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += length;
        empty = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// A number and what it counts: `1 fault`, `2 faults`, `1 memory`, `2 memories`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::{fit, pad, wrap};

    #[test]
    fn cells_are_as_wide_as_they_say() {
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(pad("测试", 5), "测试 ");
        assert_eq!(fit("测试测试", 5), "测试…");
        assert_eq!(fit("abcdef", 4), "abc…");
    }

    #[test]
    fn long_texts_continue_under_their_beginning() {
        let mut out = String::new();
        wrap("  1. ", &"word ".repeat(20), &mut out);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() <= 80));
        assert!(lines[1].starts_with("     word"));
    }
}
