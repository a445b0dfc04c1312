//! Splits a text into frontmatter and body, and reads the `paths` of a rule.

mod lines;
mod yaml;

use yaml::{Item, Value};

/// What the `paths` key of a rule says.
///
/// Deliberately exhaustive: a rule is scoped, or it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PathsKey {
    /// No key, or a value that the format takes for "everywhere": empty, null, `**`, a number …
    Everywhere,
    /// The patterns, in order, split and trimmed; never empty.
    Only(Vec<String>),
}

/// The frontmatter of a rule and the text after it.
///
/// `paths` is a string, cut at commas outside braces, or a list of such strings. Spellings that
/// YAML refuses and people write all the same are read as meant: `paths: **/*.ts`,
/// `paths: {src,lib}/**`, a list item `- *.txt` or `- !src/gen/**`, a block scalar with one pattern
/// per line, and any value next to a broken other key.
///
/// ```
/// use claudemd::{Header, PathsKey};
///
/// let rule = Header::parse("---\npaths: {src,lib}/**/*.ts, *.md\n---\nUse tabs.\n");
/// assert_eq!(rule.paths, PathsKey::Only(vec!["{src,lib}/**/*.ts".into(), "*.md".into()]));
/// assert_eq!(rule.body, "Use tabs.\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Header<'a> {
    /// What `paths` says.
    pub paths: PathsKey,
    /// The text after the frontmatter, untouched; the whole text if there is none.
    pub body: &'a str,
    /// What a person should know: ignored values, rescued spellings, keys of other tools.
    pub warnings: Vec<String>,
}

impl<'a> Header<'a> {
    /// The largest frontmatter that is read, in bytes; a larger one is removed and not read, so
    /// that no parser sees it. Real ones have a few hundred.
    pub const MAX_BYTES: usize = 64 << 10;

    /// Reads the header of a rule. Never fails: what cannot be understood is a warning, and a rule
    /// without a usable `paths` applies everywhere.
    ///
    /// Frontmatter begins with the first byte of the text, `---` alone on its line, and ends with
    /// the next such line. Without an end there is none.
    pub fn parse(text: &'a str) -> Header<'a> {
        let (block, body) = split(text);
        let mut warnings = Vec::new();
        let paths = match block {
            Some(block) if block.len() > Self::MAX_BYTES => {
                warnings.push(format!(
                    "the frontmatter is longer than {} bytes and was not read, so the rule applies everywhere",
                    Self::MAX_BYTES
                ));
                PathsKey::Everywhere
            }
            Some(block) => read(block, &mut warnings),
            None => {
                warnings.extend(hidden(text));
                PathsKey::Everywhere
            }
        };
        Header {
            paths,
            body,
            warnings,
        }
    }
}

/// The inside of the frontmatter, if there is one, and the text after it. A byte order mark or a
/// blank line before the first fence means that there is none.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next() else {
        return (None, text);
    };
    if !first.ends_with('\n') || !is_fence(first) {
        return (None, text);
    }
    let mut at = first.len();
    for line in lines {
        if is_fence(line) {
            return (Some(&text[first.len()..at]), &text[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// Why a frontmatter that its author surely meant is none.
fn hidden(text: &str) -> Option<String> {
    let rest = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_ascii_whitespace());
    let first = rest.split_inclusive('\n').next()?;
    let means = rest.lines().take(20).any(|line| line.starts_with("paths:"));
    if !means || !is_fence(first) {
        return None;
    }
    let why = if text.starts_with('\u{feff}') {
        "a byte order mark stands before the frontmatter"
    } else if rest.len() < text.len() {
        "white space stands before the frontmatter"
    } else {
        "the frontmatter is not closed by a line `---`"
    };
    Some(format!(
        "{why}, so it is text and the rule applies everywhere"
    ))
}

/// Reads the inside of a frontmatter.
fn read(block: &str, warnings: &mut Vec<String>) -> PathsKey {
    // The fast path answers only where YAML would say the same.
    let (value, keys) = match lines::flat(block).or_else(|| strict(block)) {
        Some(found) => found,
        None => lines::lenient(block, warnings),
    };
    let paths = match value {
        Value::Missing => None,
        value => Some(patterns(value, warnings)),
    };
    match paths {
        Some(paths) => paths,
        None => {
            warnings.extend(keys.iter().filter_map(|key| near_miss(key)));
            PathsKey::Everywhere
        }
    }
}

/// What YAML says, unless it is about a folded scalar, whose lines YAML would join.
fn strict(block: &str) -> Option<(Value, Vec<String>)> {
    let folded = |line: &str| {
        lines::key(line) == Some("paths")
            && line
                .split_once(':')
                .is_some_and(|(_, value)| value.trim_start().starts_with('>'))
    };
    match block.lines().any(folded) {
        true => None,
        false => yaml::parse(block),
    }
}

/// The patterns of a value that was written.
fn patterns(value: Value, warnings: &mut Vec<String>) -> PathsKey {
    let mut found = Vec::new();
    let everywhere = |what: &str| format!("`paths` {what}, so the rule applies everywhere");
    match value {
        Value::Missing => return PathsKey::Everywhere,
        Value::Null => {
            warnings.push(everywhere("is empty"));
            return PathsKey::Everywhere;
        }
        Value::Other(what) => {
            warnings.push(everywhere(&format!("is {what}, not a text or a list")));
            return PathsKey::Everywhere;
        }
        Value::Text(text) => cut(&text, &mut found),
        Value::List(items) => {
            let written = items.len();
            let mut skipped = 0;
            for item in items {
                match item {
                    Item::Text(text) => cut(&text, &mut found),
                    Item::Other => skipped += 1,
                }
            }
            if skipped > 0 {
                warnings.push(format!(
                    "{skipped} of {written} items of `paths` are no texts and were skipped"
                ));
            }
        }
    }
    if found.is_empty() {
        warnings.push(everywhere("names no pattern"));
        return PathsKey::Everywhere;
    }
    let all =
        |pattern: &String| matches!(pattern.strip_suffix("/**").unwrap_or(pattern), "" | "**");
    if found.iter().all(all) {
        warnings.push(everywhere("matches everything"));
        return PathsKey::Everywhere;
    }
    warnings.extend(found.iter().filter_map(|pattern| any_depth(pattern)));
    PathsKey::Only(found)
}

/// A hint for the one pattern about which the descriptions of the format disagree: a table in them
/// says that it means the folder itself; the client goes by `.gitignore`.
fn any_depth(pattern: &str) -> Option<String> {
    pattern.eq_ignore_ascii_case("*.md").then(|| {
        format!(
            "`{pattern}` matches in every folder; `/{pattern}` would match only beside `.claude`"
        )
    })
}

/// Cuts a text at commas outside braces and at line ends.
fn cut(text: &str, out: &mut Vec<String>) {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut push = |pattern: &str| {
        let pattern = pattern.trim();
        if !pattern.is_empty() {
            out.push(pattern.to_owned());
        }
    };
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                push(&text[start..at]);
                start = at + 1;
            }
            b'\n' => {
                depth = 0;
                push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    push(&text[start..]);
}

/// A warning for a key by which other tools scope a rule.
fn near_miss(key: &str) -> Option<String> {
    let plain: String = key
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    let known = [
        "paths",
        "path",
        "glob",
        "globs",
        "applyto",
        "alwaysapply",
        "pattern",
        "patterns",
        "files",
        "filepatterns",
        "filematch",
        "filematchpattern",
        "include",
        "includes",
        "scope",
        "match",
    ];
    // Another tool writes the key, and nothing is scoped: the author may not know.
    known.contains(&plain.as_str()).then(|| {
        format!("`{key}` does not limit where the rule applies: the key of this format is `paths`")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_headers_take_the_fast_path() {
        for block in [
            "paths: src/a.ts\n",
            "paths: \"**/*.ts\"\n",
            "description: How we test\npaths:\n  - \"**/*.ts\"\n  - src/**\nname: x\n",
            "paths:\n- 'a'\n- b/*.{c,d}\n",
            "paths: src/**, !x/**\r\n",
            "paths:\n",
        ] {
            assert!(lines::flat(block).is_some(), "{block:?}");
        }
    }

    /// Blocks near what the fast path takes.
    fn block() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec![
            "paths",
            "paths",
            "name",
            "description",
            "globs",
            "a-b",
            "true",
            "y",
            "1",
            "<<",
            "\"paths\"",
        ]);
        let value = prop::sample::select(vec![
            "",
            "a",
            "a.ts",
            "src/**",
            "**/*.ts",
            "\"**/*.ts\"",
            "'*.ts'",
            "a, b",
            "a,!b",
            "{a,b}",
            "a{b,c}.ts",
            "[a, b]",
            "a: b",
            "a:",
            "a #b",
            "a#b",
            "# c",
            "null",
            "~",
            "true",
            "yes",
            "12",
            "1e3",
            "2026-01-01",
            "0x1f",
            "\"a\\tb\"",
            "'it''s'",
            "\"a\" b",
            "\"",
            "'",
            "!a",
            "*a",
            "&a",
            "@a",
            "%a",
            "`a`",
            "|",
            ">-",
            "- a",
            "-a",
            "? a",
            "a b  ",
            " a",
            "a\tb",
            "项",
            "a=b",
            "a;b",
            "inf",
            ".inf",
            "a[",
            "a]",
            "a}",
            "a'b",
            "a\"b",
            "=",
        ]);
        let line = (
            key,
            value.clone(),
            prop::collection::vec((0..3_usize, value), 0..3),
            "(\r?\n|\n\n|\n# c\n| \n)",
        )
            .prop_map(|(key, value, items, end)| {
                let mut text = if value.is_empty() {
                    format!("{key}:{end}")
                } else {
                    format!("{key}: {value}{end}")
                };
                if value.is_empty() || items.len() == 2 {
                    for (indent, item) in items {
                        text.push_str(&format!("{}- {item}{end}", " ".repeat(indent)));
                    }
                }
                text
            });
        prop::collection::vec(line, 0..4).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_fast_path_says_what_yaml_says(block in block()) {
            if let Some(found) = lines::flat(&block) {
                prop_assert_eq!(Some(found), yaml::parse(&block));
            }
        }

        #[test]
        fn the_fast_path_says_what_yaml_says_of_any_text(block in "(paths:|a:)?[-a-c: \n\"'#*{}!,.]{0,24}\n?") {
            if let Some(found) = lines::flat(&block) {
                prop_assert_eq!(Some(found), yaml::parse(&block));
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_yaml_can_read_of_paths_the_lenient_reading_reads_too(block in block()) {
            // A quote left open swallows the next lines for YAML, and is a slip for people.
            let open = |line: &str| matches!(line.trim_end().rsplit(' ').next(), Some("\"" | "'"));
            prop_assume!(!block.lines().any(open));
            if let Some((paths, _)) = strict(&block)
                && paths != Value::Missing
            {
                let broken = format!("{block}\nz: [\n");
                let (lenient, _) = lines::lenient(&broken, &mut Vec::new());
                let key = |value| patterns(value, &mut Vec::new());
                prop_assert_eq!(key(lenient), key(paths));
            }
        }
    }
}
