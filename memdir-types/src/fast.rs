//! Reads the headers that nearly every memory has without starting a YAML parser.
//!
//! A block qualifies if every line is empty, a comment, or a key with a value that means the
//! same in every YAML. On such a block the answer is the parser's answer (a property test holds
//! the two together), at a small part of the time. Everything else is left to the parser.

use std::ops::Range;

use crate::read::Layout;
use crate::recover::is_null;
use crate::scan::{Entry, Style};
use crate::yaml::{Leaf, Leaves};

/// The leaves of a block, or `None` if it has anything out of the ordinary.
pub(crate) fn parse(text: &str, inner: Range<usize>, layout: &Layout) -> Option<Leaves> {
    let block = &text[inner];
    // A carriage return that does not end a line is a line end to YAML, and not to us.
    let ordinary = |c: char| c == '\n' || c == '\r' || is_ordinary(c);
    if !block.chars().all(ordinary) || block.matches('\r').count() != block.matches("\r\n").count()
    {
        return None;
    }
    let mut leaves = Leaves::default();
    let mut seen = Vec::with_capacity(layout.top.len());
    for entry in &layout.top {
        let key = simple_key(text, entry, &mut seen)?;
        if entry.indent != 0 {
            return None;
        }
        if key == "metadata" && entry.style == Style::Empty && entry.is_multi_line(text) {
            nested(text, layout, &mut leaves)?;
            continue;
        }
        if entry.is_multi_line(text) {
            return None;
        }
        let leaf = simple_value(text, entry)?;
        match key {
            "name" => leaves.name = leaf,
            "description" => leaves.description = leaf,
            "type" => leaves.kind = leaf,
            "modified" => leaves.modified = leaf,
            _ => {}
        }
    }
    Some(leaves)
}

fn nested(text: &str, layout: &Layout, leaves: &mut Leaves) -> Option<()> {
    let indent = layout.nested.first()?.indent;
    let mut seen = Vec::with_capacity(layout.nested.len());
    for entry in &layout.nested {
        let key = simple_key(text, entry, &mut seen)?;
        if entry.indent != indent || entry.is_multi_line(text) {
            return None;
        }
        let leaf = simple_value(text, entry)?;
        match key {
            "type" => leaves.nested_kind = leaf,
            "modified" => leaves.nested_modified = leaf,
            _ => {}
        }
    }
    Some(())
}

/// A key of ASCII letters, digits, `_` and `-`, written without quotes, once.
fn simple_key<'t>(text: &'t str, entry: &Entry, seen: &mut Vec<&'t str>) -> Option<&'t str> {
    let key = entry.key(text);
    let simple = entry.style != Style::Junk
        && !entry.tight
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && text[entry.key.end..].starts_with(':')
        && !is_null(key)
        && !seen.contains(&key);
    // A handful of keys is the rule; more of them are the parser's business.
    if !simple || seen.len() >= 32 {
        return None;
    }
    seen.push(key);
    Some(key)
}

fn simple_value(text: &str, entry: &Entry) -> Option<Leaf> {
    let value = entry.value(text);
    let rest = &text[entry.value.end..entry.first_line_end];
    if !rest.trim().is_empty() {
        return None;
    }
    match entry.style {
        Style::Empty => Some(Leaf::Null),
        Style::Plain => {
            let simple = value.starts_with(char::is_alphanumeric)
                && !value.contains(": ")
                && !value.ends_with(':')
                && !value.contains(" #")
                && !is_null(value);
            simple.then(|| Leaf::Text(value.to_owned()))
        }
        Style::Double | Style::Single => {
            let inner = &value[1..value.len() - 1];
            let simple = !inner.contains(['\\', '\'', '"']);
            simple.then(|| Leaf::Text(inner.to_owned()))
        }
        _ => None,
    }
}

/// Characters that no YAML version treats as anything but text.
fn is_ordinary(c: char) -> bool {
    let code = u32::from(c);
    c == ' '
        || !(c.is_control()
            || c.is_whitespace()
            || c == '\u{feff}'
            || code & 0xfffe == 0xfffe
            || (0xfdd0..=0xfdef).contains(&code))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml;

    fn line() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec![
            "name",
            "description",
            "type",
            "modified",
            "metadata",
            "  type",
            "  modified",
            "  other",
            "other",
            "yes",
            "on",
            "null",
            "a-b",
            "x1",
            "# c",
            "",
            " name",
        ]);
        let value = prop_oneof![
            4 => prop::sample::select(vec![
                "", " ", " a", " user", " 0x11", " 1e3", " 018", " 2026-04-01", " 12:30:45", " yes", " true", " null", " ~", " a: b", " a #b", " a#b", " # c", " a:", " a : b",
                " \"q\"", " 'q'", " \"\"", " ''", " \"a'b\"", " 'a\"b'", " \"q\" # c", " \"q\"x", " \"a: b #c\"", " 中文：x", " 10年", " é", " [a]", " {a: b}", " a, b", " a [b] {c}", " a\tb", " a\u{85}b",
                " a\u{2028}b", " a\u{feff}b", " a\u{a0}b", " 1_000", " +1", " .inf", " a!b", " a&b *c", " a|b", " a%b@c`d", " a?", " a - b", " ---", " y", " NaN", " 1.5", " 0o7", " a\\nb",
            ]).prop_map(str::to_owned),
            1 => " [a-zA-Z0-9 :#'\"\\\\,._-]{0,10}",
            1 => any::<char>().prop_map(|c| format!(" a{c}b")),
        ];
        (
            key,
            prop::sample::select(vec![":", ":", ":", " :", ""]),
            value,
            prop::sample::select(vec!["\n", "\n", "\r\n"]),
        )
            .prop_map(|(key, colon, value, eol)| format!("{key}{colon}{value}{eol}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_short_way_says_what_the_parser_says(lines in prop::collection::vec(line(), 0..4)) {
            let block = lines.concat();
            let layout = Layout::of(&block, 0..block.len());
            if let Some(leaves) = parse(&block, 0..block.len(), &layout) {
                prop_assert_eq!(Some(leaves), yaml::parse(&block));
            }
        }
    }

    #[test]
    fn ordinary_headers_take_the_short_way() {
        for block in [
            "name: Tests\ndescription: \"a: b\"\ntype: user\n",
            "name: 用户背景\r\ndescription: 10年 Go 经验\r\ntype: user\r\n",
            "name: a\n# c\n\nmetadata:\n  node_type: memory\n  type: feedback\nother: 5\n",
        ] {
            let layout = Layout::of(block, 0..block.len());
            assert!(parse(block, 0..block.len(), &layout).is_some(), "{block:?}");
        }
    }
}
