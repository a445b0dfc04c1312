//! Splits a text into frontmatter and body, and reads the `paths` of a rule.

/// What the `paths` key of a rule says.
///
/// Deliberately exhaustive: a rule is scoped, or it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathsKey {
    /// No key, or a value that the format takes for "everywhere": empty, null, `**`, a number …
    Everywhere,
    /// The patterns, in order, split and trimmed; never empty.
    Only(Vec<String>),
}

/// The frontmatter of a rule and the text after it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Reads the header of a rule. Never fails.
    pub fn parse(text: &'a str) -> Header<'a> {
        let (block, body) = split(text);
        let mut paths = PathsKey::Everywhere;
        let lines: Vec<&str> = block.unwrap_or_default().lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(value) = line.strip_prefix("paths:") else {
                continue;
            };
            let mut items = Vec::new();
            let value = value.trim();
            if value.is_empty() {
                for item in &lines[at + 1..] {
                    match item.trim().strip_prefix("- ") {
                        Some(item) => items.push(item.trim().trim_matches(['"', '\'']).to_owned()),
                        None => break,
                    }
                }
            } else {
                let value = value.trim_matches(['"', '\'']);
                items.extend(value.split(',').map(|item| item.trim().to_owned()));
            }
            items.retain(|item| !item.is_empty());
            if items.iter().any(|item| item != "**" && item != "/**") {
                paths = PathsKey::Only(items);
            }
        }
        Header {
            paths,
            body,
            warnings: Vec::new(),
        }
    }
}

/// The inside of the frontmatter, if there is one, and the text after it. A byte order mark or a
/// blank line before the first fence means that there is none.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let is_fence = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_matches([' ', '\t', '\r', '\n']).is_empty())
    };
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
