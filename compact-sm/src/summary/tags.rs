//! The form of an answer: a scratchpad, and the summary in its tag. Models spell tags in every
//! letter case, write several summaries, and speak of the tags in between.

/// What an answer is like around its summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// There is no tag.
    None,
    /// It was opened and not closed.
    Open,
    /// It was closed.
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Analysis,
    Summary,
}

/// A tag in a text.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: usize,
    end: usize,
    name: Name,
    closes: bool,
}

const NAMES: [(&str, Name); 2] = [("analysis", Name::Analysis), ("summary", Name::Summary)];

/// Scratchpads that some models put in front of an answer on their own.
const THOUGHTS: [&str; 4] = ["think", "thinking", "thoughts", "reasoning"];

/// All tags of a text, in order. Linear.
fn marks(text: &str) -> Vec<Mark> {
    let found = text.match_indices('<');
    found.filter_map(|(at, _)| mark(text, at)).collect()
}

fn mark(text: &str, at: usize) -> Option<Mark> {
    NAMES.iter().find_map(|(spelled, name)| {
        let (end, closes) = tag(text, at, spelled)?;
        Some(Mark {
            at,
            end,
            name: *name,
            closes,
        })
    })
}

/// Where a tag of this name ends that begins here, and whether it closes.
fn tag(text: &str, at: usize, name: &str) -> Option<(usize, bool)> {
    let rest = text[at..].strip_prefix('<')?;
    let (closes, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let spelled = rest.get(..name.len())?;
    if !spelled.eq_ignore_ascii_case(name) {
        return None;
    }
    let rest = rest[name.len()..].trim_start().strip_prefix('>')?;
    Some((text.len() - rest.len(), closes))
}

/// Without the beginning of a tag at which an answer was cut off.
pub(super) fn without_cut_tag(text: &str) -> &str {
    let Some(at) = text.rfind('<') else {
        return text;
    };
    let (before, end) = text.split_at(at);
    let name = end[1..].strip_prefix('/').unwrap_or(&end[1..]);
    let is_cut = |(whole, _): &(&str, Name)| {
        let begin = whole.get(..name.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name))
    };
    match NAMES.iter().any(is_cut) {
        true => before,
        false => text,
    }
}

/// Is there a word beside the tags? Dots, fences and brackets are no summary.
pub(super) fn has_words(text: &str) -> bool {
    let mut at = 0;
    for mark in marks(text) {
        if text[at..mark.at].contains(char::is_alphanumeric) {
            return true;
        }
        at = mark.end;
    }
    text[at..].contains(char::is_alphanumeric)
}

/// Is there a scratchpad?
pub(super) fn has_scratchpad(text: &str) -> bool {
    let is_it = |mark: &Mark| mark.name == Name::Analysis && !mark.closes;
    marks(text).iter().any(is_it)
}

/// Without what a model thought before it answered, if it is closed.
pub(super) fn without_thoughts(text: &str) -> &str {
    let text = text.trim_start();
    let mut opened = THOUGHTS.iter().filter(|name| {
        let opened = tag(text, 0, name);
        opened.is_some_and(|(_, closes)| !closes)
    });
    let Some(name) = opened.next() else {
        return text;
    };
    let ends = text
        .match_indices('<')
        .filter_map(|(at, _)| tag(text, at, name));
    let end = ends
        .filter(|(_, closes)| *closes)
        .map(|(end, _)| end)
        .next();
    end.map_or(text, |end| &text[end..])
}

/// What counts of an answer, and what its tag is like.
pub(super) fn inside(text: &str) -> (String, Tag) {
    let all = marks(text);
    let opens = |mark: &&Mark| mark.name == Name::Summary && !mark.closes;
    let scratchpad = all.iter().find(|m| m.name == Name::Analysis && !m.closes);
    let first = all.iter().find(opens);
    // A scratchpad may speak of the tag, so the one right behind it is the one that counts.
    let behind = all.windows(2).find_map(|pair| match pair {
        [end, start] if end.name == Name::Analysis && end.closes && opens(&start) => {
            text[end.end..start.at].trim().is_empty().then_some(start)
        }
        _ => None,
    });
    // Words in front of the form may name its tags, a summary that begins the answer counts.
    let is_before = |mark: &&Mark| {
        let begins = text[..mark.at].trim().is_empty() || behind.is_none();
        begins && scratchpad.is_none_or(|scratchpad| mark.at < scratchpad.at)
    };
    if let Some(start) = first.filter(is_before).or(behind) {
        return tagged(text, start.end);
    }
    let rest = without_scratchpad(text, &all);
    let again = marks(&rest);
    match (again.iter().find(opens), first) {
        (Some(start), _) => tagged(&rest, start.end),
        // A scratchpad that was never closed, and all there is stands in it.
        (None, Some(start)) if rest.trim().is_empty() => tagged(text, start.end),
        _ => (rest, Tag::None),
    }
}

/// What stands in the tag that was opened before `start`, and in those behind it.
fn tagged(text: &str, start: usize) -> (String, Tag) {
    let text = &text[start..];
    let all = marks(text);
    let of_summary: Vec<&Mark> = all.iter().filter(|m| m.name == Name::Summary).collect();
    let Some(last) = of_summary.iter().rfind(|mark| mark.closes) else {
        let open = unscratched(text);
        return (open.to_owned(), Tag::Open);
    };
    let parts = siblings(text, &of_summary).unwrap_or_else(|| vec![&text[..last.at]]);
    let parts: Vec<&str> = parts
        .into_iter()
        .map(|part| unscratched(part).trim())
        .filter(|part| !part.is_empty())
        .collect();
    (parts.join("\n\n"), Tag::Closed)
}

/// The texts of several summaries in a row; none if there is one, or if the tags do not match, as
/// where a summary quotes one of them.
fn siblings<'a>(text: &'a str, of_summary: &[&Mark]) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (1_usize, 0);
    for mark in of_summary {
        match (mark.closes, depth) {
            (true, 0) => return None,
            (true, 1) => {
                parts.push(&text[from..mark.at]);
                depth = 0;
            }
            (true, _) => depth -= 1,
            (false, _) => {
                if depth == 0 {
                    from = mark.end;
                }
                depth += 1;
            }
        }
    }
    (depth == 0 && parts.len() > 1).then_some(parts)
}

/// Without a scratchpad that stands in the summary's own tag, in front of everything.
fn unscratched(text: &str) -> &str {
    let trimmed = text.trim_start();
    let all = marks(trimmed);
    let begins = |mark: &Mark| mark.at == 0 && mark.name == Name::Analysis && !mark.closes;
    if !all.first().is_some_and(begins) {
        return text;
    }
    let end = all.iter().find(|m| m.name == Name::Analysis && m.closes);
    end.map_or(text, |end| &trimmed[end.end..])
}

fn without_scratchpad(text: &str, all: &[Mark]) -> String {
    let mut kept = String::new();
    let (mut from, mut is_in) = (0, false);
    for mark in all.iter().filter(|mark| mark.name == Name::Analysis) {
        match (is_in, mark.closes) {
            (false, false) => {
                kept.push_str(&text[from..mark.at]);
                is_in = true;
            }
            (true, true) => {
                from = mark.end;
                is_in = false;
            }
            _ => {}
        }
    }
    // One that is never closed takes everything behind it.
    if !is_in {
        kept.push_str(&text[from..]);
    }
    kept
}
