//! Laws that hold for every text and every tree.

use std::collections::HashSet;
use std::path::Path;

use claudemd::{Budget, LoadReason, Operation, Options, Platform, Reason, references};
use proptest::prelude::*;

use crate::world::World;

/// Markdown out of the parts that matter here.
fn markdown() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("@a.md"),
        Just(" @b.md"),
        Just("@a.md, "),
        Just("`"),
        Just("```\n"),
        Just("~~~\n"),
        Just("\n"),
        Just("\n\n"),
        Just("    "),
        Just("\t"),
        Just("<!--"),
        Just("-->"),
        Just("---\n"),
        Just("<div>"),
        Just("</div>"),
        Just("\\"),
        Just("@"),
        Just("> "),
        Just("- "),
        Just("|"),
        Just("*"),
        Just("_"),
        Just("é"),
        Just("项"),
        Just("\u{feff}"),
        Just("#"),
        Just("[x]("),
        Just(")"),
        Just("~~"),
        Just("x y"),
        Just("@dir/../a.md"),
        Just("@~/x"),
        Just("paths: '*.ts'\n"),
        Just("\r\n"),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn references_lie_in_order_and_begin_with_an_at(text in markdown()) {
        let mut end = 0;
        for reference in references(&text) {
            prop_assert!(reference.range.start >= end);
            end = reference.range.end;
            let written = &text[reference.range.clone()];
            prop_assert!(written.starts_with('@'));
            prop_assert!(!reference.path.is_empty());
            prop_assert_eq!(&reference.candidates()[0], &reference.path);
        }
    }

    #[test]
    fn any_text_gives_references_without_panic(text in any::<String>()) {
        for reference in references(&text) {
            prop_assert!(text.get(reference.range.clone()).is_some());
        }
    }

    #[test]
    fn located_paths_are_absolute_and_clean(text in "[a-z./~@ :\\\\-]{0,20}") {
        for platform in [Platform::Linux, Platform::MacOs] {
            let home = Some(Path::new("/h"));
            if let Some(path) = claudemd::locate(&text, Path::new("/r"), home, platform) {
                prop_assert!(path.is_absolute());
                prop_assert!(!path.components().any(|part| part.as_os_str() == ".."));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tree_loads_each_file_once_and_reports_the_rest(
        texts in proptest::collection::vec(markdown(), 6),
        budget in proptest::option::of(0_usize..200),
    ) {
        let names = ["CLAUDE.md", "a.md", "b.md", ".claude/rules/r.md", "s/CLAUDE.md", "s/.claude/rules/q.md"];
        let world = World::new();
        for (name, text) in names.iter().zip(&texts) {
            world.write(name, text);
        }
        let mut caps = Budget::default();
        if let Some(bytes) = budget {
            caps = caps.total(bytes);
        }
        let options = Options::default().budget(caps);
        let mut session = world.load_with(".", &options);
        let start = session.files().to_vec();
        let mut all = start.clone();
        for path in ["s/x.ts", "x.ts", "s/x.ts", "a.md"] {
            all.extend(session.for_path(path, Operation::Write));
        }
        // Each real file once.
        let own: Vec<_> = world.own(&all).collect();
        let reals: HashSet<_> = own.iter().map(|file| &file.real).collect();
        prop_assert_eq!(reals.len(), own.len());
        // An import comes after its importer, and the importer is there.
        for (at, file) in all.iter().enumerate() {
            if file.reason == LoadReason::Include {
                let parent = file.parent.as_ref().unwrap();
                let known = all[..at].iter().any(|before| before.path == *parent);
                let cut_away = budget.is_some();
                let used = parent == &world.path("a.md");
                prop_assert!(known || cut_away || used);
            }
            // Texts are trimmed, not empty, and measured.
            prop_assert!(!file.text.is_empty());
            prop_assert_eq!(file.chars, file.text.chars().count());
        }
        // The budget holds.
        if let Some(bytes) = budget {
            let total: usize = all.iter().map(|file| file.text.len()).sum();
            prop_assert!(total <= bytes);
        }
        // The report has every file, and a second load is the same.
        prop_assert_eq!(session.report().loaded.len(), all.len());
        session.invalidate(Reason::Changed);
        prop_assert_eq!(session.files(), start);
        prop_assert!(!session.is_stale());
        prop_assert!(!session.report().to_string().is_empty());
    }
}

#[test]
fn a_text_that_is_one_line_of_references_is_read_once_and_not_to_its_end() {
    for unit in ["@a.md ", "~~@a", "@b.md ~~c~~ ", "<!-- @a.md --> @b.md "] {
        let found = references(&format!("x {}", unit.repeat(300_000)));
        assert!(found.len() <= 10_001, "{unit}: {}", found.len());
    }
    assert_eq!(references(&"@a.md ".repeat(300_000)).len(), 10_001);
}
