//! What holds for every input.

use memdir_types::{
    Audience, Date, Memory, MemoryType, TypePlace, file_name, gate, gate_text, lint, parse_header,
};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = MemoryType> {
    prop::sample::select(MemoryType::ALL.to_vec())
}

/// Texts with a taste for what YAML and terminals make something of.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z ]{1,8}",
        4 => prop::sample::select(vec![
            ":", ": ", " #", "#", "\"", "'", "\\", "- ", "? ", "|", ">", "[", "]", "{", "}", ",", "&a", "*a", "!t", "%", "@", "`",
            "~", "null", "yes", "0x11", "1e3", ".inf", "2_4_13", "018", "2026-04-01", "12:30", "=", "<<", "---", "...", "\n", "\r", "\r\n",
            "\t", "\0", "\u{1b}", "\u{7f}", "\u{85}", "\u{a0}", "\u{2028}", "\u{2029}", "\u{feff}", "\u{fffe}", "\u{ffff}", "\u{10ffff}",
            "\u{200b}", "\u{202e}", "\u{e0041}", "中文", "：", "é", "👩‍💻", "🏴", "<types>", "</system-reminder>", "  ",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Lines as they stand in headers, sound and broken ones.
fn header_line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "name",
        "description",
        "type",
        "modified",
        "metadata",
        "other",
        "\"name\"",
        "'x y'",
        "a b",
        "  type",
        "  sub",
        "null",
        "true",
        "y",
        "5",
        "- a",
        "# c",
        "?",
        "",
    ]);
    let colon = prop::sample::select(vec![": ", ":", " : ", ":\t", ":  ", ""]);
    let value = prop_oneof![
        4 => prop::sample::select(vec![
            "", "user", "Feedback", "decision", "plain text", "a: b", "a #b", "# c", "\"q\"", "\"q\" # c", "'it''s'", "\"a \"b\" c\"", "\"open", "|", ">-", "|2",
            "[a, b]", "[a", "{a: b}", "{{x}}", "&a x", "*a", "!t x", "!!str 5", "~", "null", "yes", "0x11", "1e3", ".inf", "2026-04-01", "12:30:45", "1_000", "中文：x",
            "{type: user}", "{node: a, type: 'user', modified: 5}", "a\tb", "@x", "`x`", "%x", "- x", "...", "a, b", "\"\\u202e\"", "\"\\x3ctypes>\"", "<types>", "é 👩‍💻", "-", "5 # c",
        ]).prop_map(str::to_owned),
        1 => text(),
    ];
    (key, colon, value).prop_map(|(key, colon, value)| format!("{key}{colon}{value}"))
}

/// Whole files: mostly a block with both fences, now and then without.
fn file() -> impl Strategy<Value = String> {
    let eol = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let fence = prop::sample::select(vec![
        "---", "---", "---", "---", "---", "--- ", "----", "", "...",
    ]);
    let lines = prop::collection::vec(header_line(), 0..7);
    (
        prop::sample::select(vec!["", "", "", "\u{feff}"]),
        fence.clone(),
        lines,
        fence,
        eol,
        text(),
    )
        .prop_map(|(bom, open, lines, close, eol, body)| {
            format!(
                "{bom}{open}{eol}{}{close}{eol}{eol}{body}",
                lines
                    .iter()
                    .map(|line| format!("{line}{eol}"))
                    .collect::<String>()
            )
        })
}

/// Files of a kind that is never broken, so that edits are accepted.
fn sound_file() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "name: old",
        "name: 'old'  # c",
        "description: d #1",
        "description: \"a: b\"",
        "description: >-\n  one\n  two",
        "type: user",
        "type: Feedback # c",
        "modified: 2026-04-01",
        "metadata:\n  node: x\n  type: project # c",
        "metadata: {a: b, type: user}",
        "# comment",
        "",
        "other: [1,\n  2]",
        "tags:\n- a\n- b",
        "extra: |\n  # text\n  name: x\n",
        "k: v",
    ]);
    (
        prop::collection::vec(line, 0..8),
        prop::sample::select(vec!["\n", "\r\n"]),
        text(),
    )
        .prop_map(|(lines, eol, body)| {
            let mut seen = std::collections::BTreeSet::new();
            let lines: Vec<_> = lines
                .into_iter()
                .filter(|l| seen.insert(l.split(':').next().unwrap().to_owned()) || l.is_empty())
                .collect();
            format!("---\n{}\n---\n", lines.join("\n")).replace('\n', eol) + &body
        })
}

/// The lines of the second text that the first does not have, counted as often as they stand.
fn lines_missing_in(text: &str, other: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    other
        .split('\n')
        .filter(|line| match lines.iter().position(|found| found == line) {
            Some(at) => {
                lines.remove(at);
                false
            }
            None => true,
        })
        .map(str::to_owned)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_comes_back_byte_for_byte(text in prop_oneof![file(), any::<String>()]) {
        let memory = Memory::parse(&text);
        prop_assert_eq!(&memory.render(), &text);
        prop_assert_eq!(&Memory::parse(&memory.render()), &memory);
        prop_assert_eq!(&Memory::from_bytes(text.as_bytes()), &memory);
        prop_assert!(text.ends_with(memory.body()));
        prop_assert!(memory.warnings().is_sorted_by_key(|w| w.line));
        prop_assert!(memory.warnings().iter().all(|w| w.line >= 1 && w.line <= text.lines().count().max(1)));
        prop_assert!(!memory.is_recovered() || !memory.warnings().is_empty());
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), file in file()) {
        let mut mixed = file.into_bytes();
        let at = mixed.len() / 2;
        mixed.splice(at..at, bytes);
        let memory = Memory::from_bytes(&mixed);
        let _ = (lint(&memory, Date { year: 2026, month: 11, day: 30 }), parse_header(memory.as_str()));
        let _ = (gate(&memory, Audience::Private), gate(&memory, Audience::Team));
    }

    #[test]
    fn what_is_written_reads_back(kind in kind(), name in text(), description in text(), body in text(), place in prop::sample::select(vec![TypePlace::TopLevel, TypePlace::Metadata])) {
        let memory = Memory::with_type_at(place, kind, &name, &description, &body);
        prop_assert_eq!(memory.name(), Some(name.as_str()));
        prop_assert_eq!(memory.description(), Some(description.as_str()));
        prop_assert_eq!(memory.kind(), Some(kind));
        prop_assert_eq!(memory.body().strip_suffix('\n').unwrap_or(memory.body()), body.strip_suffix('\n').unwrap_or(&body));
        prop_assert_eq!(memory.warnings(), []);
        // Line by line as well: a broken line beside them takes nothing away.
        let broken = memory.render().replacen("---\n", "---\nx: y: z\n", 1);
        let broken = Memory::parse(&broken);
        prop_assert!(broken.is_recovered());
        prop_assert_eq!(broken.name(), Some(name.as_str()));
        prop_assert_eq!(broken.description(), Some(description.as_str()));
        prop_assert_eq!(broken.kind(), Some(kind));
        let header = parse_header(&memory.render());
        prop_assert_eq!(header.name.as_deref(), Some(name.as_str()));
        prop_assert_eq!(header.warnings.len(), 0);
    }

    #[test]
    fn an_edit_changes_its_own_value_only(file in sound_file(), which in 0..4, value in text(), kind in kind()) {
        let mut memory = Memory::parse(&file);
        prop_assume!(!memory.is_recovered() && memory.has_frontmatter());
        let before = memory.clone();
        let (key, value) = match which {
            0 => ("name", value.as_str()),
            1 => ("description", value.as_str()),
            2 => ("type", kind.as_str()),
            _ => ("modified", value.as_str()),
        };
        let result = match which {
            0 => memory.set_name(value),
            1 => memory.set_description(value),
            2 => memory.set_kind(kind),
            _ => memory.set_modified(value),
        };
        if which == 3 {
            // A time is a word: blanks around it and nulls do not come back, and are refused.
            prop_assume!(result.is_ok());
        }
        prop_assert!(result.is_ok(), "{result:?}");
        let read = match which {
            0 => memory.name(),
            1 => memory.description(),
            2 => memory.kind_text(),
            _ => memory.modified(),
        };
        prop_assert_eq!(read, Some(value));
        prop_assert_eq!(memory.body(), before.body());
        if which != 0 { prop_assert_eq!(memory.name(), before.name()); }
        if which != 1 { prop_assert_eq!(memory.description(), before.description()); }
        if which != 2 { prop_assert_eq!(memory.kind(), before.kind()); }
        if which != 3 { prop_assert_eq!(memory.modified(), before.modified()); }
        // Of the bytes: at most the lines of this key go, and one line comes for each place where
        // it stands. All others are there, in their order, with their line ends.
        let new = memory.render();
        let lost = lines_missing_in(&new, &file);
        for line in &lost {
            let own = line.trim_start().trim_end_matches('\r');
            let is_own = own.starts_with(key) || (which == 2 && own.starts_with("metadata: {")) || (which == 1 && matches!(own, "one" | "two"));
            prop_assert!(is_own, "{line:?} is gone from {new:?}");
        }
        let added = lines_missing_in(&file, &new);
        prop_assert!(added.len() <= if which == 2 { 2 } else { 1 }, "{added:?}");
        prop_assert!(added.iter().all(|line| file.starts_with("---\r\n") == line.ends_with('\r')), "{added:?}");
        let kept = |text: &str, other: &[String]| -> Vec<String> {
            let mut gone = other.to_vec();
            text.split('\n').map(str::to_owned).filter(|line| match gone.iter().position(|other| other == line) {
                Some(at) => { gone.remove(at); false }
                None => true,
            }).collect()
        };
        prop_assert_eq!(kept(&file, &lost), kept(&new, &added));
    }

    #[test]
    fn a_refused_edit_changes_nothing(file in file(), value in text()) {
        let mut memory = Memory::parse(&file);
        if memory.set_name(&value).is_err() {
            prop_assert_eq!(memory.render(), file.clone());
        } else {
            prop_assert_eq!(memory.name(), Some(value.as_str()));
        }
        let mut memory = Memory::parse(&file);
        if memory.set_body(&value).is_err() {
            prop_assert_eq!(memory.render(), file);
        } else {
            prop_assert_eq!(memory.body(), value);
        }
    }

    #[test]
    fn a_repair_says_the_same_and_loses_no_word(file in file()) {
        let before = Memory::parse(&file);
        let mut memory = before.clone();
        memory.repair().unwrap();
        prop_assert!(!memory.is_recovered());
        prop_assert_eq!(memory.name(), before.name());
        prop_assert_eq!(memory.description(), before.description());
        prop_assert_eq!(memory.kind(), before.kind());
        prop_assert_eq!(memory.modified(), before.modified());
        let rendered = memory.render();
        // An escape sequence may come back as the character that it stands for.
        prop_assume!(!file.contains('\\'));
        for word in file.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 3) {
            prop_assert!(rendered.contains(word), "{word:?} is gone from {rendered:?}");
        }
        let once = memory.clone();
        memory.repair().unwrap();
        prop_assert_eq!(memory, once);
    }

    #[test]
    fn the_gate_answers_the_same_twice(text in text(), file in file()) {
        let cleared = gate_text(&text, Audience::Private).unwrap();
        let again = gate_text(&cleared, Audience::Private).unwrap();
        prop_assert_eq!(&*again, &*cleared);
        for finding in cleared.findings() {
            prop_assert!(text.get(finding.range.clone()).is_some_and(|found| finding.code_point.is_none_or(|first| found.starts_with(first))));
        }
        if let Ok(strict) = gate_text(&text, Audience::Team) {
            prop_assert_eq!(&*strict, &text);
        }
        let memory = Memory::parse(&file);
        if let Ok(cleared) = gate(&memory, Audience::Private) {
            prop_assert_eq!(cleared.kind(), memory.kind());
            let again = gate(&cleared, Audience::Private).unwrap();
            prop_assert_eq!(again.render(), cleared.render());
        }
        match (gate(&memory, Audience::Team), gate_text(&file, Audience::Team)) {
            (Ok(cleared), Ok(_)) => prop_assert_eq!(cleared.render(), file),
            (Ok(_), Err(_)) => prop_assert!(false, "a memory is judged as strictly as its text"),
            _ => {}
        }
    }

    #[test]
    fn file_names_are_safe_and_new(kind in kind(), name in prop_oneof![text(), any::<String>()], taken in 0u8..4) {
        let mut asked = std::collections::BTreeSet::new();
        let file = file_name(kind, &name, |candidate| {
            asked.insert(candidate.to_owned());
            asked.len() <= usize::from(taken)
        });
        prop_assert_eq!(asked.len(), usize::from(taken) + 1);
        let topic = file.strip_prefix(&format!("{kind}_")).unwrap().strip_suffix(".md").unwrap();
        prop_assert!(!topic.is_empty() && topic.len() <= 62);
        prop_assert!(topic.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-'));
        prop_assert_eq!(file_name(kind, &name, |_| false), file_name(kind, &name, |_| false));
    }

    #[test]
    fn the_header_agrees_with_the_whole(file in file()) {
        prop_assume!(file.lines().count() < 30);
        let (header, memory) = (parse_header(&file), Memory::parse(&file));
        prop_assert_eq!(header.name.as_deref(), memory.name());
        prop_assert_eq!(header.description.as_deref(), memory.description());
        prop_assert_eq!(header.kind, memory.kind());
        prop_assert_eq!(header.modified.as_deref(), memory.modified());
        prop_assert_eq!(header.warnings.as_slice(), memory.warnings());
    }
}
