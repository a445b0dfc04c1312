//! What holds for every input.

use memdir_index::{
    Change, Durability, Entry, Index, Limits, MAX_ENTRY_CHARS, Measure, NameCase, StoreOptions,
    strip, truncate,
};
use memdir_types::MemoryType;
use proptest::prelude::*;

use crate::world::{World, cleared};

/// Text that looks like an index with everything that can go wrong in it.
fn index_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => ("[a-c]{1,2}", ".{0,12}").prop_map(|(f, h)| format!("- [{f}]({f}.md) — {h}")),
        1 => Just("---".to_owned()),
        1 => Just("<!-- x".to_owned()),
        1 => Just("-->".to_owned()),
        1 => Just("<!-- y -->".to_owned()),
        1 => Just("```".to_owned()),
        1 => Just("# H".to_owned()),
        2 => ".{0,20}",
        1 => Just(String::new()),
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    (proptest::collection::vec((line, end), 0..12), any::<bool>()).prop_map(|(lines, finished)| {
        let mut text: String = lines
            .iter()
            .map(|(line, end)| format!("{line}{end}"))
            .collect();
        if !finished {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let file = prop_oneof![
        "[a-c]{1,2}\\.md",
        "[^/\\p{C}\\s:]{1,20}\\.md",
        "[a-z]{1,3}/[a-z %#()<>'\"\\[\\]\\\\é项]{1,9}x\\.md",
    ];
    ("\\PC{0,40}", file, "\\PC{0,40}")
        .prop_map(|(title, file, hook)| Entry::new(&title, &file, &hook))
}

proptest! {
    #[test]
    fn an_entry_that_fits_reads_back(entry in any_entry()) {
        let line = entry.to_line();
        prop_assert!(!line.contains('\n'));
        if line.chars().count() <= MAX_ENTRY_CHARS && !entry.is_shortened() {
            prop_assert_eq!(Entry::parse(&line), Some(entry));
        } else {
            prop_assert_eq!(Entry::parse(&line).map(|e| e.file), Some(entry.file));
        }
    }

    #[test]
    fn a_written_line_is_never_longer_than_allowed(title in ".{0,300}", hook in ".{0,300}") {
        let line = Entry::new(&title, "topic.md", &hook).to_line();
        prop_assert!(line.chars().count() <= MAX_ENTRY_CHARS);
        prop_assert_eq!(Entry::parse(&line).unwrap().file, "topic.md");
    }

    #[test]
    fn reading_an_entry_never_panics(line in ".{0,80}", soup in "[-*+ \\[\\]()<>\\\\%#.md/:—]{0,60}") {
        let _ = Entry::parse(&line);
        let _ = Entry::parse(&soup);
        let _ = Entry::parse(&format!("- [{soup}]({line}.md)"));
    }

    #[test]
    fn an_index_renders_as_it_was_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in index_text()) {
        prop_assert_eq!(Index::from_bytes(&bytes).to_bytes(), bytes);
        prop_assert_eq!(Index::parse(&text).render(), text);
    }

    #[test]
    fn an_upsert_leaves_one_visible_line_and_all_others(text in index_text(), entry in any_entry()) {
        let mut index = Index::parse(&text).name_case(NameCase::Sensitive);
        let others: Vec<String> = foreign(&index, &entry.file);
        index.upsert(&entry);
        prop_assert_eq!(foreign(&index, &entry.file), others);
        // What was written is there for the next reader, and once.
        let read = Index::parse(&index.render()).name_case(NameCase::Sensitive);
        prop_assert_eq!(&read, &index);
        prop_assert_eq!(read.entries().filter(|e| same(e, &entry.file)).count(), 1);
        prop_assert_eq!(index.clone().upsert(&entry), Change::Unchanged);
    }

    #[test]
    fn an_upsert_is_seen_by_a_model(text in index_text(), hook in "\\PC{0,30}") {
        let mut index = Index::parse(&text);
        let entry = Entry::new("Zebra", "zebra.md", &hook);
        index.upsert(&entry);
        let rendered = index.render();
        prop_assert!(strip(rendered.as_bytes()).contains("[Zebra](zebra.md)"));
    }

    #[test]
    fn a_remove_leaves_all_other_lines(text in index_text(), file in "[a-c]{1,2}\\.md") {
        let mut index = Index::parse(&text).name_case(NameCase::Sensitive);
        let others = foreign(&index, &file);
        let stood: Vec<Entry> = index.entries().filter(|e| !same(e, &file)).cloned().collect();
        index.remove(&file);
        let mut left = foreign(&index, &file);
        // A rule that comes to stand first gets a blank line before it.
        if left.len() > others.len() {
            prop_assert_eq!(left.remove(0), "");
            prop_assert!(others[0].starts_with("---"));
        }
        prop_assert_eq!(left, others);
        prop_assert!(index.find(&file).is_none());
        // The next reader meets the same entries: none is hidden by what became of the rest.
        let read = Index::parse(&index.render());
        prop_assert_eq!(read.entries().cloned().collect::<Vec<_>>(), stood);
    }

    #[test]
    fn a_rename_moves_one_line(text in index_text(), from in "[a-c]\\.md", to in "[a-c]\\.md") {
        let mut index = Index::parse(&text).name_case(NameCase::Sensitive);
        let had = index.find(&from).is_some();
        index.rename(&from, &to);
        if had {
            prop_assert_eq!(index.entries().filter(|e| e.file == to).count(), 1);
            prop_assert!(from == to || index.find(&from).is_none());
        } else {
            prop_assert_eq!(index.render(), text);
        }
    }

    #[test]
    fn a_truncated_text_exceeds_no_cap(text in "(\\PC{0,12}\n?){0,12}", lines in 0..8_usize, size in 0..60_usize, utf16 in any::<bool>()) {
        let measure = if utf16 { Measure::Utf16 } else { Measure::Bytes };
        let cut = truncate(&text, Limits::new(measure).lines(lines).size(size));
        prop_assert!(cut.kept_lines <= lines);
        prop_assert!(measure.size(&cut.text) <= size);
        prop_assert_eq!(cut.kept_size, measure.size(&cut.text));
        let whole = truncate(&text, Limits::new(measure).lines(usize::MAX).size(usize::MAX));
        prop_assert_eq!(whole.exceeded, None);
        prop_assert!(whole.text.starts_with(&*cut.text));
        prop_assert_eq!(cut.exceeded.is_none(), cut.text == whole.text);
        // The cut is at a line end; only a first line that is too long is cut inside.
        let rest = &whole.text[cut.text.len()..];
        prop_assert!(rest.is_empty() || rest.starts_with('\n') || !cut.text.contains('\n'));
    }

    #[test]
    fn kept_and_dropped_entries_are_all_entries(count in 0..40_usize, lines in 1..40_usize) {
        let text: String = (0..count).map(|n| format!("- [N](n{n}.md)\n")).collect();
        let cut = truncate(&text, Limits::default().lines(lines));
        let kept = Index::parse(&cut.text).entries().count();
        prop_assert_eq!(kept + cut.dropped.len(), count);
        for dropped in &cut.dropped {
            prop_assert_eq!(&dropped.entry.file, &format!("n{}.md", dropped.line - 1));
        }
    }

    #[test]
    fn stripping_never_panics_and_is_done_in_one_pass(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in index_text()) {
        let _ = strip(&bytes);
        prop_assert!(strip(text.as_bytes()).len() <= text.len());
    }
}

/// One step of a host: which memory, and what is done to it.
fn step() -> impl Strategy<Value = (u8, u8, u8)> {
    (0..4_u8, 0..5_u8, 0..5_u8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn index_and_files_agree_after_any_steps(steps in proptest::collection::vec(step(), 1..12)) {
        let world = World::with("# kept\n", &[]);
        let options = StoreOptions::default().durability(Durability::ProcessDeath);
        let store = world.store_with(options);
        let mut model = std::collections::BTreeSet::new();
        for (n, (what, a, b)) in steps.into_iter().enumerate() {
            let (from, to) = (format!("{a}.md"), format!("sub/{b}.md"));
            match what {
                0 | 1 => {
                    let file = if what == 0 { &from } else { &to };
                    let memory = cleared(MemoryType::User, file, &format!("step {n}"));
                    store.save_as(file, memory, None).unwrap();
                    model.insert(file.clone());
                }
                2 => {
                    prop_assert_eq!(store.remove(&from, None).is_ok(), model.remove(&from));
                }
                _ => {
                    let can = model.contains(&from) && !model.contains(&to);
                    prop_assert_eq!(store.rename(&from, &to).is_ok(), can);
                    if can {
                        model.remove(&from);
                        model.insert(to);
                    }
                }
            }
            prop_assert!(store.check().unwrap().is_clean());
            let listed: std::collections::BTreeSet<String> =
                store.index().unwrap().entries().map(|entry| entry.file.clone()).collect();
            prop_assert_eq!(&listed, &model);
        }
        prop_assert!(world.index().starts_with("# kept\n"));
    }
}

fn same(entry: &Entry, file: &str) -> bool {
    let mut probe = Index::parse("").name_case(NameCase::Sensitive);
    probe.upsert(entry);
    probe.find(file).is_some()
}

/// The lines that are no entry of the file.
fn foreign(index: &Index, file: &str) -> Vec<String> {
    index
        .lines()
        .filter(|(_, _, entry)| entry.is_none_or(|entry| !same(entry, file)))
        .map(|(_, text, _)| text)
        .collect()
}
