//! The two caps: what is kept, what is counted, what the notice names.

use std::borrow::Cow;

use memdir_index::{Exceeded, Limits, MAX_BYTES, MAX_LINES, Measure, size_figure, strip, truncate};

/// Lines `L00001`, `L00002` … filled on the right to a width.
fn lines(count: usize, width: usize) -> String {
    (1..=count)
        .map(|n| format!("{:x<width$}\n", format!("L{n:05}")))
        .collect()
}

struct Expected {
    kept_units: usize,
    kept_lines: usize,
    notice: Option<(Exceeded, Option<usize>, Option<&'static str>)>,
}

/// As the client counts: UTF-16 units after stripping.
#[track_caller]
fn client(
    text: &str,
    kept_units: usize,
    kept_lines: usize,
    notice: Option<(Exceeded, Option<usize>, Option<&'static str>)>,
) {
    let expected = Expected {
        kept_units,
        kept_lines,
        notice,
    };
    let stripped = strip(text.as_bytes());
    let cut = truncate(&stripped, Limits::new(Measure::Utf16));
    assert_eq!(cut.text.encode_utf16().count(), expected.kept_units);
    assert_eq!(cut.kept_size, expected.kept_units);
    assert_eq!(cut.kept_lines, expected.kept_lines);
    assert!(stripped.starts_with(&*cut.text));
    let facts = cut
        .notice_facts()
        .map(|facts| (facts.kind, facts.lines, facts.size));
    let wanted = expected
        .notice
        .map(|(kind, lines, size)| (kind, lines, size.map(str::to_owned)));
    assert_eq!(facts, wanted);
    assert_eq!(cut.notice().is_some(), wanted.is_some());
}

#[test]
fn line_cap_as_the_client() {
    use Exceeded::Lines;
    client(lines(199, 6).trim_end(), 1392, 199, None);
    client(&lines(200, 6), 1399, 200, None);
    client(&lines(201, 6), 1399, 200, Some((Lines, Some(201), None)));
    client(
        lines(201, 6).trim_end(),
        1399,
        200,
        Some((Lines, Some(201), None)),
    );
    client(&lines(400, 6), 1399, 200, Some((Lines, Some(400), None)));
    // Blank lines at the ends do not count, line ends keep their CR.
    client(&format!("\n\n\n{}\n\n", lines(200, 6)), 1399, 200, None);
    client(
        &lines(201, 6).replace('\n', "\r\n"),
        1599,
        200,
        Some((Lines, Some(201), None)),
    );
    // Neither do frontmatter and comments.
    client(
        &format!("---\na: b\n---\n{}", lines(200, 6)),
        1399,
        200,
        None,
    );
    client(
        &format!("<!--{}\n-->\n{}", "\nc".repeat(50), lines(199, 6)),
        1392,
        199,
        None,
    );
}

#[test]
fn size_cap_as_the_client() {
    use Exceeded::Size;
    client(&"z".repeat(24_999), 24_999, 1, None);
    client(&format!("{}\n", "z".repeat(25_000)), 25_000, 1, None);
    client(
        &"z".repeat(25_001),
        25_000,
        1,
        Some((Size, None, Some("24.4KB"))),
    );
    client(
        &"z".repeat(60_000),
        25_000,
        1,
        Some((Size, None, Some("58.6KB"))),
    );
    client(
        &"q".repeat(1_048_576),
        25_000,
        1,
        Some((Size, None, Some("1MB"))),
    );
    client(&lines(100, 249), 24_999, 100, None);
    client(
        &format!("{}q", lines(100, 249)),
        24_999,
        100,
        Some((Size, None, Some("24.4KB"))),
    );
}

#[test]
fn the_cut_is_at_the_last_newline_at_or_before_the_limit() {
    use Exceeded::Size;
    let after = format!("\nX{}\n", "w".repeat(50));
    client(
        &format!("A\n{}{after}", "z".repeat(24_998)),
        25_000,
        2,
        Some((Size, None, Some("24.5KB"))),
    );
    client(
        &format!("A\n{}{after}", "z".repeat(24_997)),
        24_999,
        2,
        Some((Size, None, Some("24.5KB"))),
    );
    client(
        &format!("{}\nL2\nL3\n", "H".repeat(30_000)),
        25_000,
        1,
        Some((Size, None, Some("29.3KB"))),
    );
    client(
        &format!("L1\n{}\nL3\n", "H".repeat(30_000)),
        2,
        1,
        Some((Size, None, Some("29.3KB"))),
    );
}

#[test]
fn the_notice_names_what_the_whole_text_exceeds() {
    use Exceeded::{Both, Lines};
    client(&lines(260, 90), 18_199, 200, Some((Lines, Some(260), None)));
    client(
        &lines(260, 100),
        20_199,
        200,
        Some((Both, Some(260), Some("25.6KB"))),
    );
    client(
        &lines(210, 200),
        24_923,
        124,
        Some((Both, Some(210), Some("41.2KB"))),
    );
}

#[test]
fn units_are_neither_bytes_nor_characters() {
    client(
        &format!("{}\n", "项".repeat(80)).repeat(110),
        8_909,
        110,
        None,
    );
    client(
        &format!("{}\n", "项".repeat(200)).repeat(140),
        24_923,
        124,
        Some((Exceeded::Size, None, Some("27.5KB"))),
    );
    client(&"项".repeat(9_000), 9_000, 1, None);
    client(
        &format!("{}\n", "😀".repeat(30)).repeat(190),
        11_589,
        190,
        None,
    );
    // A pair of surrogates is not split: ours ends before it.
    client(
        &format!("x{}", "😀".repeat(13_000)),
        24_999,
        1,
        Some((Exceeded::Size, None, Some("25.4KB"))),
    );
}

#[test]
fn two_hundred_lines_of_197_kb_are_cut_by_bytes_alone() {
    let text: String = (0..200)
        .map(|n| format!("- [N](n{n:03}.md) — {}\n", "h".repeat(988)))
        .collect();
    assert_eq!(text.len() / 1_000, 201);
    let text: String = (0..200)
        .map(|n| format!("- [N](n{n:03}.md) — {}\n", "h".repeat(967)))
        .collect();
    assert!((197_000..198_000).contains(&text.len()), "{}", text.len());
    let cut = truncate(&text, Limits::default());
    assert_eq!(cut.exceeded, Some(Exceeded::Size));
    assert_eq!((cut.total_lines, cut.total_size), (200, text.len() - 1));
    assert_eq!((cut.kept_lines, cut.dropped.len()), (25, 175));
    assert_eq!(
        (cut.dropped[0].line, &*cut.dropped[0].entry.file),
        (26, "n025.md")
    );
    insta::assert_snapshot!(cut.notice().unwrap(), @r"> WARNING: MEMORY.md is 192.8KB large and at most 24.4KB are loaded: what follows after this point was left out. 175 entries are missing here. Give each memory one line of at most 150 characters, and keep the detail in its own file.");
}

#[test]
fn a_byte_limit_inside_a_character_cuts_at_the_line_before() {
    let line = format!("- [记](aaa.md) — {}", "固".repeat(38));
    assert_eq!(line.len() + 1, 135);
    let text = format!("{line}\n").repeat(200);
    assert!(!text.is_char_boundary(MAX_BYTES));
    let cut = truncate(&text, Limits::default());
    assert_eq!(cut.kept_lines, 185);
    assert_eq!(cut.text, format!("{line}\n").repeat(185).trim_end());
    assert!(cut.notice().is_some());
    assert_eq!(cut.dropped.len(), 15);
}

#[test]
fn without_a_line_end_the_cut_is_at_a_character_boundary() {
    let kept = |text: &str, size: usize| {
        truncate(text, Limits::new(Measure::Bytes).size(size))
            .text
            .len()
    };
    assert_eq!(kept("aé", 2), 1);
    assert_eq!(kept("aé", 3), 3);
    assert_eq!(kept("é", 1), 0);
    assert_eq!(kept("项目", 4), 3);
    assert_eq!(kept("a", 0), 0);
    assert_eq!(kept("abc", 2), 2);
    // A line end exactly at the limit is one.
    assert_eq!(kept("a\nb\nc", 3), 3);
}

#[test]
fn an_entry_that_is_cut_in_the_middle_counts_as_dropped() {
    let text = format!("- [A](a.md) — {}", "h".repeat(40));
    let cut = truncate(&text, Limits::default().size(30));
    assert_eq!(cut.dropped.len(), 1);
    assert_eq!(cut.dropped[0].line, 1);
}

#[test]
fn an_owned_report_is_the_same_and_names_its_caps_in_a_word() {
    let text = "- [A](a.md)\n- [B](b.md)\n- [C](c.md)";
    for (limits, word) in [
        (Limits::default().lines(2), "lines"),
        (Limits::default().size(15), "bytes"),
        (Limits::default().lines(2).size(15), "both"),
    ] {
        let cut = truncate(text, limits);
        assert_eq!(cut.clone().into_owned(), cut);
        assert_eq!(cut.exceeded.unwrap().to_string(), word);
    }
}

#[test]
fn entries_beyond_the_line_cap_are_named() {
    let text: String = (1..=202).map(|n| format!("- [N](n{n}.md)\n")).collect();
    let cut = truncate(&text, Limits::default());
    let dropped: Vec<_> = cut
        .dropped
        .iter()
        .map(|d| (d.line, &*d.entry.file))
        .collect();
    assert_eq!(dropped, [(201, "n201.md"), (202, "n202.md")]);
    assert_eq!(cut.kept_lines, MAX_LINES);
}

#[test]
fn what_fits_is_borrowed() {
    for text in ["", "- [A](a.md)", "\n- [A](a.md)\n\n"] {
        let cut = truncate(text, Limits::default());
        assert!(matches!(cut.text, Cow::Borrowed(_)));
        assert_eq!((cut.exceeded, cut.notice()), (None, None));
        assert_eq!(cut.dropped, []);
    }
}

#[test]
fn caps_of_zero_keep_nothing() {
    assert_eq!(truncate("a\nb", Limits::default().lines(0)).text, "");
    assert_eq!(truncate("a\nb", Limits::default().size(0)).text, "");
}

#[test]
fn sizes_have_one_decimal_and_halves_round_up() {
    for (units, figure) in [
        (0, "0KB"),
        (256, "0.3KB"),
        (25_000, "24.4KB"),
        (25_001, "24.4KB"),
        (25_600, "25KB"),
        (25_856, "25.3KB"),
        (1_048_575, "1024KB"),
        (1_048_576, "1MB"),
        (1_572_864, "1.5MB"),
    ] {
        assert_eq!(size_figure(units), figure, "{units}");
    }
}

#[test]
fn notices_say_what_was_left_out_and_what_helps() {
    let notice = |text: &str, limits: Limits| truncate(text, limits).notice().unwrap();
    let text: String = (1..=202).map(|n| format!("- [N](n{n}.md)\n")).collect();
    insta::assert_snapshot!(notice(&text, Limits::default()), @r"> WARNING: MEMORY.md is 202 lines long and at most 200 are loaded: what follows after this point was left out. 2 entries are missing here. Give each memory one line of at most 150 characters, and keep the detail in its own file.");
    insta::assert_snapshot!(notice(&text, Limits::default().size(1_024)), @r"> WARNING: MEMORY.md is 202 lines long and 2.9KB large, and at most 200 lines and 1KB are loaded: what follows after this point was left out. 129 entries are missing here. Give each memory one line of at most 150 characters, and keep the detail in its own file.");
    insta::assert_snapshot!(notice("prose ".repeat(1_000).as_str(), Limits::default().size(1_024)), @r"> WARNING: MEMORY.md is 5.9KB large and at most 1KB are loaded: what follows after this point was left out. Give each memory one line of at most 150 characters, and keep the detail in its own file.");
}
