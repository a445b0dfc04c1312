//! Laws that hold for any directory, query and answer.

use std::collections::HashSet;
use std::future::{pending, ready};

use memdir_recall::{
    Fill, MAX_SURFACED_BYTES, MAX_SURFACED_LINES, Options, Query, ScanCache, ScanOptions,
    SelectReply, read_reply, scan, selector_fn, surface_text,
};
use proptest::prelude::*;

use crate::world::{World, answer, files, now};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "database",
            "tests",
            "release",
            "freeze",
            "数据库",
            "测试",
            "发布",
            "getUserName",
            "retry_count",
            "the",
            "of",
            "tracker",
            "pipeline",
            "Rust",
            "time-out",
            "é",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..12).prop_map(|words| words.join(" "))
}

fn fill() -> impl Strategy<Value = Fill> {
    prop::sample::select(vec![Fill::Never, Fill::BehindPicks, Fill::Always])
}

fn world(memories: &[(String, String)]) -> World {
    let world = World::new();
    for (number, (description, body)) in memories.iter().enumerate() {
        let kind = ["user", "feedback", "project", "reference"][number % 4];
        let description = serde_json::to_string(description).unwrap();
        world.memory(&format!("m{number}.md"), kind, &description, body);
    }
    world
}

/// Words of one term each, and one of two pairs; common ones and others.
const WHOLE: [&str; 8] = [
    "database",
    "tests",
    "current",
    "directory",
    "tracker",
    "invoice",
    "数据库",
    "giraffe",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn picks_are_few_offered_fresh_and_played_again(
        memories in prop::collection::vec((text(), text()), 0..12),
        asked in text(),
        named in prop::collection::vec(0..15usize, 0..9),
        seen in prop::collection::hash_set(0..12usize, 0..4),
        (fill, reply, cut) in (fill(), any::<bool>(), any::<prop::sample::Index>()),
    ) {
        let world = world(&memories);
        let recall = world.recall_with(&Options::default().fill(fill).manifest(6));
        let names: Vec<String> = named.iter().map(|n| format!("m{n}.md")).collect();
        let mut text = serde_json::json!({"selected_memories": names}).to_string();
        if reply {
            text.truncate(cut.index(text.len()));
        }
        let surfaced: Vec<String> = seen.iter().map(|n| format!("m{n}.md")).collect();
        let query = Query::new(&asked).surfaced(&surfaced).recent_tools(["Rust"]);
        let selector = selector_fn(|_| answer(&text));
        let hanging = selector_fn(|_| pending::<Result<SelectReply, std::io::Error>>());
        let failing =
            selector_fn(|_| ready(Err::<SelectReply, _>(std::io::Error::other(text.clone()))));
        for picked in [
            recall.pick(&query),
            now(recall.pick_with(&query, &failing, pending::<()>())),
            now(recall.pick_with(&query, &selector, pending::<()>())),
            now(recall.pick_with(&query, &hanging, ready(()))),
        ] {
            let files = files(&picked);
            let receipt = &picked.receipt;
            prop_assert!(files.len() <= 5);
            prop_assert_eq!(files.iter().collect::<HashSet<_>>().len(), files.len());
            for file in &files {
                prop_assert!(recall.memories().iter().any(|m| m.file == *file));
                prop_assert!(!surfaced.iter().any(|s| s == file));
            }
            prop_assert_eq!(&receipt.replay(), &receipt.picks);
            prop_assert_eq!(files.len(), receipt.picks.len());
            if let Some(model) = &receipt.model {
                prop_assert!(model.offered.len() <= 6);
                prop_assert!(model.offered.iter().all(|o| !surfaced.contains(o)));
            }
            #[cfg(feature = "serde")]
            {
                let json = serde_json::to_string(receipt).unwrap();
                let back: memdir_recall::Receipt = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&back.replay(), &receipt.picks);
                prop_assert_eq!(&back, receipt);
            }
        }
        prop_assert_eq!(recall.pick(&query), world.recall_with(&Options::default().fill(fill).manifest(6)).pick(&query));
    }

    #[test]
    fn more_of_the_words_is_never_less_evidence(
        words in prop::collection::vec(prop::sample::select(WHOLE.to_vec()), 1..8),
        fewer in prop::collection::vec(any::<bool>(), 8),
        about in any::<bool>(),
    ) {
        // Both are as long; what one lacks, another word stands for.
        let text = |holds: &dyn Fn(usize) -> bool| -> String {
            let places = words.iter().enumerate();
            let words: Vec<&str> = places
                .map(|(at, word)| match (holds(at), word.is_ascii()) {
                    (true, _) => *word,
                    (false, true) => "zebra",
                    (false, false) => "斑马群",
                })
                .collect();
            words.join(" ")
        };
        let (some, all) = (text(&|at| fewer[at]), text(&|_| true));
        let world = match about {
            true => world(&[(some, String::new()), (all, String::new())]),
            false => world(&[(String::new(), some), (String::new(), all)]),
        };
        let receipt = world.recall().pick(&Query::new(&words.join(" "))).receipt;
        let evidence = |file: &str| {
            let found = receipt.candidates.iter().find(|c| c.file == file);
            found.map_or(0, |candidate| candidate.evidence)
        };
        prop_assert!(evidence("m1.md") > 0, "{}", receipt);
        prop_assert!(evidence("m0.md") <= evidence("m1.md"), "{}", receipt);
    }

    #[test]
    fn what_was_refreshed_is_what_a_new_scan_finds(
        rounds in prop::collection::vec(prop::collection::vec(change(), 1..4), 1..4),
        asked in text(),
    ) {
        let world = World::new();
        let mut recall = world.recall();
        let mut cache = ScanCache::new();
        let query = Query::new(&asked);
        for (round, changes) in rounds.into_iter().enumerate() {
            for change in changes {
                match change {
                    Change::Write(at, description, body, age) => {
                        let file = format!("{}m{at}.md", if at % 2 == 0 { "sub/" } else { "" });
                        let description = serde_json::to_string(&description).unwrap();
                        // Size and time tell changes apart.
                        let body = format!("{}{body}", "\n".repeat(round));
                        world.memory(&file, "user", &description, &body);
                        world.set_age(&file, age * 100 + round as u64);
                    }
                    Change::Remove(at) => {
                        let file = format!("{}m{at}.md", if at % 2 == 0 { "sub/" } else { "" });
                        let _ = std::fs::remove_file(world.path(&file));
                    }
                }
            }
            recall.refresh().unwrap();
            let fresh = world.recall();
            prop_assert_eq!(recall.memories(), fresh.memories());
            prop_assert_eq!(recall.skipped(), fresh.skipped());
            prop_assert_eq!(recall.index_bytes(), fresh.index_bytes());
            prop_assert_eq!(recall.pick(&query), fresh.pick(&query));
            // All of them, and once more when nothing changed; fewer; and all again.
            for newest in [usize::MAX, usize::MAX, 3, 3, usize::MAX] {
                let options = ScanOptions::default().newest(newest);
                let (known, new) = (cache.scan(world.dir(), &options).unwrap(), scan(world.dir(), &options).unwrap());
                prop_assert_eq!((known.memories, known.older), (new.memories, new.older));
            }
        }
    }

    #[test]
    fn any_answer_selects_offered_names_only(reply in "\\PC{0,200}|[\\[\\]{}\",:a-d.md ]{0,120}") {
        let offered = ["a.md", "b.md", "c.md"];
        for reply in [reply.clone(), format!("{{\"selected_memories\":{reply}"), format!("[\"a.md\",{reply}")] {
            let read = read_reply(&reply, &offered);
            prop_assert!(read.picks.len() <= 5);
            prop_assert!(read.picks.iter().all(|p| offered.contains(&p.as_str())));
            let unique: HashSet<&String> = read.picks.iter().collect();
            prop_assert_eq!(unique.len(), read.picks.len());
        }
    }

    #[test]
    fn a_surfaced_text_stays_in_its_fence_and_within_its_caps(
        text in "(\\PC|\n|`|</?system-reminder>){0,400}",
        repeat in 1..40usize,
        note in proptest::option::of("\\PC{0,40}"),
    ) {
        let surfaced = surface_text("/m/a.md", &text.repeat(repeat), note.as_deref());
        prop_assert!(surfaced.bytes <= MAX_SURFACED_BYTES);
        prop_assert!(surfaced.lines <= MAX_SURFACED_LINES);
        prop_assert_eq!(surfaced.text.matches("</system-reminder>").count(), 1);
        prop_assert_eq!(surfaced.text.matches("<system-reminder>").count(), 1);
        let fence = surfaced.text.lines().find(|l| l.starts_with("```") && l.chars().all(|c| c == '`')).unwrap();
        prop_assert!(surfaced.text.lines().filter(|l| *l == fence).count() == 2);
    }

    #[test]
    fn a_listed_header_is_what_the_parser_of_the_whole_file_says(
        (open, close) in (fence(), fence()),
        lines in prop::collection::vec(header_line(), 0..8),
        many in prop_oneof![Just(0), 0..40usize],
        body in "(\\PC|\n|\r|---\n){0,60}",
    ) {
        let comments = "# c\n".repeat(many);
        let text = format!("{open}{comments}{}{close}{body}", lines.concat());
        let world = World::new();
        world.write("a.md", &text);
        let found = scan(world.dir(), &ScanOptions::default()).unwrap();
        prop_assert_eq!(&found.memories[0].header, &memdir_types::parse_header(&text));
        let recall = world.recall();
        prop_assert_eq!(&recall.memories()[0].header, &memdir_types::parse_header(&text));
    }
}

/// Mostly what opens and closes a block, else what nearly does.
fn fence() -> impl Strategy<Value = &'static str> {
    let odd = vec![
        "--- \n",
        "---\t\n",
        "---\r\n",
        "---\u{a0}\n",
        "---\u{b}\n",
        "---\u{c}\n",
        " ---\n",
        "----\n",
        "--\n",
        "...\n",
        "\u{feff}---\n",
        "\n---\n",
        "---",
        "---\r",
        "---x\n",
        "",
    ];
    prop_oneof![3 => Just("---\n"), 2 => prop::sample::select(odd)]
}

/// A change of a directory between two looks.
#[derive(Debug, Clone)]
enum Change {
    Write(usize, String, String, u64),
    Remove(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..8usize, text(), text(), 0..4u64)
            .prop_map(|(at, description, body, age)| Change::Write(at, description, body, age)),
        1 => (0..8usize).prop_map(Change::Remove),
    ]
}

fn header_line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "name",
        "description",
        "type",
        "modified",
        "metadata",
        "tags",
        "note",
        "null",
        "Name",
        " type",
    ]);
    let value = prop_oneof![
        prop::sample::select(vec![
            "user",
            "feedback",
            "Project",
            "decision",
            "",
            "null",
            "~",
            "yes",
            "1",
            "0x1f",
            "1e3",
            "a: b",
            "a #b",
            "a#b",
            "\"quoted\"",
            "\"it's\"",
            "\"a\\nb\"",
            "'single'",
            "[1, 2]",
            "{a: b}",
            "|",
            "*a",
            "&a b",
            "中文说明",
            "\"中文\"",
            "ends:",
            "trailing ",
            "a\tb",
            "\"\"",
            "\" x \"",
            "2026-01-01",
            "\"a\" b",
            "a, b",
            "x\u{85}y",
            "x\u{2028}y",
            "- a",
            "? a",
            "é",
            "a'b",
            "\"a: b\"",
            "\"a #b\"",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ];
    let separator = prop::sample::select(vec![": ", ":", ":  "]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\n\n"]);
    (key, separator, value, end)
        .prop_map(|(key, separator, value, end)| format!("{key}{separator}{value}{end}"))
}
