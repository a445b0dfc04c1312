//! How a text is written as a YAML scalar: on one line, and so that every reader gets it back.

/// Words that a YAML 1.1 reader takes for a truth value or for nothing, in any case.
const RESERVED_WORDS: [&str; 10] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "none",
];

/// A text as a scalar: plain where YAML 1.1 and 1.2 agree on it, else in double quotes.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Whether a text may stand without quotes, judged so that doubt means quotes.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    // A first letter rules out every indicator, number and date. A text that begins with a digit
    // may be one, unless a letter of another script stands in it: `10年`.
    let first_is_safe = first.is_alphabetic()
        || (first.is_ascii_digit() && text.chars().any(|c| !c.is_ascii() && c.is_alphabetic()));
    first_is_safe
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !RESERVED_WORDS
            .iter()
            .any(|word| word.eq_ignore_ascii_case(text))
        && text.chars().all(|c| c == ' ' || !needs_escape(c))
}

/// Characters that may not, or should not, stand in a line of YAML as they are: line ends of
/// either version, what the versions call unprintable, and white space that looks like a blank.
fn needs_escape(c: char) -> bool {
    let code = u32::from(c);
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || c == '\u{feff}'
        || (0xfdd0..=0xfdef).contains(&code)
        || code & 0xfffe == 0xfffe
}

/// A text in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => push_code(c, &mut out),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A line with the characters that YAML forbids even in comments spelled out.
pub(crate) fn printable(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if c != '\t' && needs_escape(c) {
            push_code(c, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

fn push_code(c: char, out: &mut String) {
    let code = u32::from(c);
    if code <= 0xff {
        out.push_str(&format!("\\x{code:02x}"));
    } else if code <= 0xffff {
        out.push_str(&format!("\\u{code:04x}"));
    } else {
        out.push_str(&format!("\\U{code:08x}"));
    }
}

/// The text of a double-quoted scalar without its quotes, or `None` if an escape is unknown.
/// Line ends must have been folded before.
pub(crate) fn unescape(inner: &str) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let digits = match chars.next()? {
            '0' => {
                out.push('\0');
                continue;
            }
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => {
                out.push(match other {
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    't' | '\t' => '\t',
                    'n' => '\n',
                    'v' => '\u{b}',
                    'f' => '\u{c}',
                    'r' => '\r',
                    'e' => '\u{1b}',
                    ' ' | '"' | '/' | '\\' => other,
                    'N' => '\u{85}',
                    '_' => '\u{a0}',
                    'L' => '\u{2028}',
                    'P' => '\u{2029}',
                    _ => return None,
                });
                continue;
            }
        };
        let mut code = 0u32;
        for _ in 0..digits {
            code = code.checked_mul(16)? + chars.next()?.to_digit(16)?;
        }
        out.push(char::from_u32(code)?);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(scalar(text), expected);
        if let Some(inner) = expected.strip_prefix('"') {
            let inner = inner.strip_suffix('"').unwrap();
            assert_eq!(unescape(inner).as_deref(), Some(text));
        }
    }

    #[test]
    fn plain_where_every_reader_agrees() {
        check(
            "Integration tests use a real database",
            "Integration tests use a real database",
        );
        check("用户背景", "用户背景");
        check("10年 Go 经验", "10年 Go 经验");
        check(
            "it's a \"test\" (really), 100%",
            "it's a \"test\" (really), 100%",
        );
        check("see issue#12 and a:b", "see issue#12 and a:b");
    }

    #[test]
    fn quoted_where_a_reader_would_see_something_else() {
        for text in [
            "2_4_13",
            "0x11",
            "0o11",
            "1e3",
            ".inf",
            "yes",
            "NO",
            "On",
            "~",
            "018",
            "- x",
            "a: b",
            " a",
            "a ",
            "a:",
            "a #b",
            "#a",
            "null",
            "Null",
            "y",
            "N",
            "1:20",
            "2026-04-01",
            "190:20:30",
            "<<",
            "=",
            "!x",
            "&x",
            "*x",
            "@x",
            "`x`",
            "%x",
            "|",
            ">",
            "[x]",
            "{x}",
            "'x'",
            "? x",
            ", x",
            "---",
            "...",
            "12",
            "+1",
            "1.5",
            "0b1",
            "2001-12-14 21:59:43",
        ] {
            check(text, &format!("\"{text}\""));
        }
        check("", "\"\"");
        check("a\nb", r#""a\nb""#);
        check("a\tb", r#""a\tb""#);
        check("\"x\" y", r#""\"x\" y""#);
        check("C:\\Users", "C:\\Users");
        check("a\u{85}b", r#""a\x85b""#);
        check("a\u{2028}b", r#""a\u2028b""#);
        check("a\u{feff}", r#""a\ufeff""#);
        check("a\u{1fffe}", r#""a\U0001fffe""#);
        check("\0\u{1b}", r#""\x00\x1b""#);
    }
}
