//! The lines of a change, cut where there are too many.

use memdir_types::redact;
use similar::{ChangeTag, TextDiff};

use super::report::printable;

/// Lines of context around a change.
const CONTEXT: usize = 2;
/// The most lines, of both texts together, that are compared one by one: 4,000. Comparing takes
/// time in the square of them.
const MAX_COMPARED: usize = 4_000;
/// The most bytes of one diff: 8 KiB.
const MAX_BYTES: usize = 8 << 10;
/// The most characters of one line.
const MAX_LINE: usize = 400;

/// The most lines that are compared for one report, and the most bytes of all its diffs.
const MAX_ALL_COMPARED: usize = 100_000;
const MAX_ALL_BYTES: usize = 1 << 20;

/// Compares the files of one report, in bounded time and memory.
#[derive(Debug)]
pub(super) struct Differ {
    lines_left: usize,
    bytes_left: usize,
}

impl Default for Differ {
    fn default() -> Differ {
        Differ {
            lines_left: MAX_ALL_COMPARED,
            bytes_left: MAX_ALL_BYTES,
        }
    }
}

/// What a diff says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) text: String,
    compared: usize,
}

impl Differ {
    /// The difference of two texts, line by line. Bytes that are no text, and secrets, are
    /// replaced.
    pub(super) fn diff(&mut self, before: &[u8], after: &[u8]) -> Lines {
        let lines = diff(
            before,
            after,
            self.lines_left,
            MAX_BYTES.min(self.bytes_left),
        );
        self.lines_left = self.lines_left.saturating_sub(lines.compared);
        self.bytes_left = self.bytes_left.saturating_sub(lines.text.len());
        lines
    }
}

fn diff(before: &[u8], after: &[u8], most_lines: usize, most_bytes: usize) -> Lines {
    if before == after {
        return Lines::default();
    }
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    let (before, after) = (before.as_ref(), after.as_ref());
    let unlike = Unlike::of(before, after);
    let not_shown = |why: &str| Lines {
        added: unlike.come,
        removed: unlike.gone,
        compared: 0,
        text: format!(
            "@@ {} lines are replaced by {}, {why} @@\n",
            unlike.gone, unlike.come
        ),
    };
    if unlike.gone + unlike.come > MAX_COMPARED.min(most_lines) {
        return not_shown("too many to show");
    }
    // As a whole and first: of a secret that is cut, or has signs between its lines, the rest
    // would be shown.
    let (before, after) = (redact(before).text, redact(after).text);
    if before == after {
        return not_shown("secrets, which are not shown");
    }
    let Unlike {
        old,
        new,
        head,
        gone,
        come,
    } = Unlike::of(&before, &after);
    let from = head.saturating_sub(CONTEXT);
    let old = &old[from..(head + gone + CONTEXT).min(old.len())];
    let new = &new[from..(head + come + CONTEXT).min(new.len())];
    let diff = TextDiff::from_slices(old, new);
    let mut lines = Lines {
        compared: gone + come,
        ..Lines::default()
    };
    let mut left = 0_usize;
    for group in diff.grouped_ops(CONTEXT) {
        let (mut before, mut after) = (Span::default(), Span::default());
        let mut body = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            before.add(change.old_index());
            after.add(change.new_index());
            lines.added += usize::from(sign == '+');
            lines.removed += usize::from(sign == '-');
            let text = change.value().trim_end_matches(['\n', '\r']);
            let shown: String = text.chars().take(MAX_LINE).collect();
            let cut = if shown.len() < text.len() { "…" } else { "" };
            body.push(format!("{sign}{}{cut}\n", printable(&shown)));
        }
        let header = format!("@@ -{} +{} @@\n", before.shown(from), after.shown(from));
        push(&mut lines.text, &mut left, &header, most_bytes);
        for line in body {
            push(&mut lines.text, &mut left, &line, most_bytes);
        }
    }
    if left > 0 {
        lines.text.push_str(&format!("@@ {left} more lines @@\n"));
    }
    lines
}

/// Where two texts differ. Whatever is the same at both ends need not be compared.
struct Unlike<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// Lines that are the same before it.
    head: usize,
    gone: usize,
    come: usize,
}

impl<'a> Unlike<'a> {
    fn of(before: &'a str, after: &'a str) -> Unlike<'a> {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let new: Vec<&str> = after.split_inclusive('\n').collect();
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take(rest).take_while(|(a, b)| a == b).count();
        let (gone, come) = (old.len() - head - tail, new.len() - head - tail);
        Unlike {
            old,
            new,
            head,
            gone,
            come,
        }
    }
}

/// The lines of one text that a hunk shows.
#[derive(Default)]
struct Span {
    first: Option<usize>,
    count: usize,
}

impl Span {
    fn add(&mut self, line: Option<usize>) {
        if let Some(line) = line {
            self.first.get_or_insert(line);
            self.count += 1;
        }
    }

    /// The first line, counted from 1, and how many there are; an empty text has line 0.
    fn shown(&self, skipped: usize) -> String {
        let first = self.first.map_or(skipped, |first| skipped + first + 1);
        format!("{first},{}", self.count)
    }
}

/// Adds a line while there is room, else counts it.
fn push(text: &mut String, left: &mut usize, line: &str, most: usize) {
    if *left > 0 || text.len() + line.len() > most {
        *left += 1;
    } else {
        text.push_str(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &[u8], after: &[u8]) -> Lines {
        Differ::default().diff(before, after)
    }

    #[test]
    fn a_changed_line_stands_among_its_neighbors() {
        let lines = diff(b"a\nb\nc\nd\ne\nf\n", b"a\nb\nc\nD\ne\nf\n");
        insta::assert_snapshot!(lines.text, @r"
        @@ -2,5 +2,5 @@
         b
         c
        -d
        +D
         e
         f
        ");
        assert_eq!((lines.added, lines.removed), (1, 1));
    }

    #[test]
    fn a_new_file_is_all_new_and_a_deleted_one_all_gone() {
        assert_eq!(diff(b"", b"a\nb").text, "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(diff(b"a\r\nb\n", b"").text, "@@ -1,2 +0,0 @@\n-a\n-b\n");
        assert_eq!(diff(b"a", b"a"), Lines::default());
    }

    #[test]
    fn long_diffs_and_long_lines_are_cut_and_counted() {
        let many: String = (0..1_000).map(|n| format!("line {n}\n")).collect();
        let lines = diff(b"", many.as_bytes());
        assert_eq!(lines.added, 1_000);
        assert!(lines.text.len() < MAX_BYTES + 100 && lines.text.ends_with(" more lines @@\n"));
        let more: String = (0..5_000).map(|n| format!("other {n}\n")).collect();
        let lines = diff(many.as_bytes(), more.as_bytes());
        assert_eq!((lines.added, lines.removed), (5_000, 1_000));
        let long = "x".repeat(100_000);
        assert!(diff(b"", long.as_bytes()).text.len() < 500);
    }

    #[test]
    fn a_secret_that_goes_is_not_shown() {
        let secret = format!("ghp_{}", "x7Kd9LmQ2Rt5Vw8Yz1Bc4Ef6Gh3Jn0Ps5TuA");
        let lines = diff(format!("use {secret} here\n").as_bytes(), b"");
        assert_eq!(
            lines.text,
            "@@ -1,1 +0,0 @@\n-use [redacted: GitHub token] here\n"
        );
    }

    #[test]
    fn a_report_of_any_size_is_bounded() {
        let mut differ = Differ::default();
        let mut bytes = 0;
        for n in 0..2_000 {
            let text: String = (0..100)
                .map(|line| format!("{n} {line} of the text\n"))
                .collect();
            let lines = differ.diff(b"", text.as_bytes());
            assert_eq!(lines.added, 100);
            bytes += lines.text.len();
        }
        assert!(bytes < MAX_ALL_BYTES + 2_000 * 80, "{bytes}");
        assert_eq!(differ.lines_left, 0);
    }

    /// What the hunks make of the old text.
    fn patched(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.lines().collect();
        let (mut out, mut at) = (String::new(), 0);
        for line in diff.lines() {
            if let Some(header) = line.strip_prefix("@@ -") {
                let (range, rest) = header.split_once(" +").unwrap();
                let number =
                    |range: &str| range.split(',').next().unwrap().parse::<usize>().unwrap();
                let start = number(range).saturating_sub(1);
                out.extend(old[at..start].iter().map(|line| format!("{line}\n")));
                at = start;
                let made = out.lines().count();
                assert_eq!(made, number(rest).saturating_sub(1), "{diff}");
                continue;
            }
            let (sign, text) = line.split_at(1);
            if sign != "+" {
                assert_eq!(old[at], text, "{diff}");
                at += 1;
            }
            if sign != "-" {
                out.push_str(text);
                out.push('\n');
            }
        }
        out.extend(old[at..].iter().map(|line| format!("{line}\n")));
        out
    }

    proptest::proptest! {
        #[test]
        fn a_diff_makes_the_new_text_of_the_old(
            old in proptest::collection::vec("[abc]|pad|pad", 0..40),
            new in proptest::collection::vec("[abc]|pad|pad", 0..40),
        ) {
            let text = |lines: &[String]| -> String {
                lines.iter().map(|line| format!("{line}\n")).collect()
            };
            let (old, new) = (text(&old), text(&new));
            let lines = diff(old.as_bytes(), new.as_bytes());
            proptest::prop_assert_eq!(patched(&old, &lines.text), new);
        }
    }
}
