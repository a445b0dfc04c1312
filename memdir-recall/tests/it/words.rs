//! What words alone find.

use memdir_recall::{Options, Query, Recall};

use crate::world::{World, files};

pub(crate) fn directory(memories: &[(&str, &str, &str)]) -> World {
    let world = World::new();
    for (file, description, body) in memories {
        world.memory(file, "project", description, body);
    }
    world
}

pub(crate) fn identifiers() -> World {
    directory(&[
        (
            "names.md",
            "naming",
            "Call getUserName before HTTPServer starts.",
        ),
        (
            "limits.md",
            "limits",
            "max_retry_count is 3, see src/net/backoff.rs.",
        ),
        ("timeout.md", "waiting", "The timeout is 30 seconds."),
        ("chain.md", "metal", "A key chain hangs by the door."),
        ("i3.md", "desktop", "i3lock and utf-8 terminals"),
        (
            "abroad.md",
            "coffee",
            "Das Café in der Straße. Тесты запускаются ночью.",
        ),
    ])
}

#[track_caller]
pub(crate) fn finds(recall: &Recall, query: &str, file: &str) {
    let picked = recall.pick(&Query::new(query));
    assert_eq!(
        files(&picked).first(),
        Some(&file),
        "{query}: {}",
        picked.receipt
    );
}

#[track_caller]
fn silent(recall: &Recall, query: &str) {
    let picked = recall.pick(&Query::new(query));
    assert_eq!(files(&picked), [""; 0], "{query}: {}", picked.receipt);
}

#[test]
fn identifiers_are_found_by_their_parts_and_as_a_whole() {
    let recall = identifiers().recall();
    finds(&recall, "user name", "names.md");
    finds(&recall, "getusername", "names.md");
    finds(&recall, "get_user_name", "names.md");
    finds(&recall, "http server", "names.md");
    finds(&recall, "retry count", "limits.md");
    finds(&recall, "maxRetryCount", "limits.md");
    finds(&recall, "MAX-RETRY-COUNT", "limits.md");
    finds(&recall, "backoff.rs", "limits.md");
    finds(&recall, "src/net", "limits.md");
    finds(&recall, "i3lock", "i3.md");
    finds(&recall, "utf8", "i3.md");
}

#[test]
fn words_are_found_in_other_forms() {
    let recall = identifiers().recall();
    finds(&recall, "naming", "names.md");
    finds(&recall, "retries", "limits.md");
    finds(&recall, "TIMEOUTS", "timeout.md");
    finds(&recall, "cafe", "abroad.md");
    finds(&recall, "CAFÉ", "abroad.md");
    finds(&recall, "cafe\u{301}", "abroad.md");
    finds(&recall, "ｔｉｍｅｏｕｔ", "timeout.md");
    finds(&recall, "тест", "abroad.md");
}

#[test]
fn irregular_forms_and_other_spellings_are_found() {
    let recall = directory(&[
        (
            "race.md",
            "x",
            "Mira ran the half marathon and bought new shoes.",
        ),
        (
            "theme.md",
            "x",
            "Colours are serialised as hex; what was overridden stays.",
        ),
    ])
    .recall();
    finds(&recall, "did anybody run a marathon", "race.md");
    finds(&recall, "buying", "race.md");
    finds(&recall, "coloring", "theme.md");
    finds(&recall, "serialization", "theme.md");
    finds(&recall, "override", "theme.md");
}

#[test]
fn marks_are_left_out_where_they_are_no_letters() {
    let world = directory(&[
        ("cafe.md", "x", "Le caf\u{e9} est ferm\u{e9}."),
        ("new.md", "x", "Новый сервер."),
        ("black.md", "x", "काला रंग."),
        ("art.md", "x", "कला और कलम."),
    ]);
    let recall = world.recall();
    finds(&recall, "cafe", "cafe.md");
    // The feminine of a word whose masculine ends in a letter that has a mark.
    finds(&recall, "новая", "new.md");
    // Two words that differ by their vowels alone.
    let picks = |query: &str| {
        let picked = recall.pick(&Query::new(query));
        files(&picked)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(picks("काला"), ["black.md"]);
    assert_eq!(picks("कला"), ["art.md"]);
}

#[test]
fn words_with_spaces_are_as_many_as_they_are_in_any_script() {
    // The second begins as the first ends.
    let (query, text) = ("тест таймаут", "Тест на таймаут.");
    let world = directory(&[("a.md", "x", text)]);
    let receipt = world.recall().pick(&Query::new(query)).receipt;
    assert_eq!(receipt.candidates[0].words, 2, "{receipt}");
}

#[test]
fn a_compound_whose_parts_say_nothing_speaks_for_itself() {
    let recall = directory(&[
        ("list.md", "x", "The to-do of the team is on the wall."),
        ("axis.md", "x", "An x-y plot shows it."),
        ("other.md", "x", "The team meets on Monday."),
    ])
    .recall();
    finds(&recall, "to-do", "list.md");
    finds(&recall, "where is the x-y", "axis.md");
}

#[test]
fn the_end_of_a_long_description_counts_as_its_beginning_does() {
    let between = "okapi tapir ".repeat(200);
    let first = format!("zebra {between}");
    let last = format!("{between} zebra");
    let world = directory(&[("first.md", &first, "x"), ("last.md", &last, "x")]);
    let receipt = world.recall().pick(&Query::new("zebra")).receipt;
    let score = |file: &str| {
        let found = receipt.candidates.iter().find(|c| c.file == file);
        found.map(|c| c.score).unwrap()
    };
    assert!(
        (score("first.md") - score("last.md")).abs() < 1e-6,
        "{receipt}"
    );
}

#[test]
fn words_that_are_written_together_or_apart_find_each_other() {
    let recall = identifiers().recall();
    finds(&recall, "time out", "timeout.md");
    finds(&recall, "keychain", "chain.md");
}

#[test]
fn short_and_long_forms_find_each_other() {
    let recall = directory(&[
        ("a.md", "the database", "x"),
        ("b.md", "k8s", "x"),
        ("c.md", "repository rules", "x"),
    ])
    .recall();
    finds(&recall, "db", "a.md");
    finds(&recall, "kubernetes", "b.md");
    finds(&recall, "repo", "c.md");
}

#[test]
fn bodies_are_searched() {
    let recall = directory(&[
        ("a.md", "notes", "The zebra crossing is closed."),
        ("b.md", "notes", "Nothing here."),
    ])
    .recall();
    finds(&recall, "zebra", "a.md");
}

#[test]
fn neighbors_count_more_than_scattered_words() {
    let recall = directory(&[
        (
            "scattered.md",
            "x",
            "We release rarely. The notes of the branch are long.",
        ),
        (
            "together.md",
            "x",
            "We write rarely. The release branch of the notes is long.",
        ),
    ])
    .recall();
    finds(&recall, "release branch", "together.md");
}

#[test]
fn foreign_queries_and_empty_ones_are_met_with_silence() {
    let recall = identifiers().recall();
    silent(&recall, "");
    silent(&recall, "the of and");
    silent(&recall, "?!…");
    silent(&recall, "What should I cook with leftover rice tonight?");
    // One known word among many says little.
    silent(
        &recall,
        "Where do penguins wait for the brief polar summer season?",
    );
    silent(&recall, "怎么给花浇水");
}

/// Memories about nothing in the query, beside one that holds some of its words in its body.
fn beside_others(body: &str) -> World {
    let others: Vec<(String, String)> = (0..40)
        .map(|at| {
            (
                format!("m{at}.md"),
                format!("Zebra{at} met okapi{at} twice."),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str, &str)> = others
        .iter()
        .map(|(file, body)| (file.as_str(), "zoo", body.as_str()))
        .collect();
    files.push(("one.md", "zoo", body));
    directory(&files)
}

#[test]
fn common_words_alone_are_no_evidence() {
    let question = |word: &str| format!("Which giraffe did the {word} keeper bring?");
    // Each word stands in one memory only, so that the directory cannot tell them apart.
    for word in ["current", "default", "output", "directory"] {
        let recall = beside_others(&format!("The {word} met twice.")).recall();
        silent(&recall, &question(word));
        // Asked for alone, it is found where the memory is about it.
        let about = directory(&[("one.md", word, "Zebras."), ("two.md", "x", "Okapis.")]);
        finds(&about.recall(), word, "one.md");
    }
    for word in ["tracker", "invoice", "webhook", "kubernetes"] {
        let recall = beside_others(&format!("The {word} met twice.")).recall();
        finds(&recall, &question(word), "one.md");
    }
}

#[test]
fn fairly_common_words_are_less_evidence_than_telling_ones() {
    let world = directory(&[
        ("a.md", "x", "The packet met zebras."),
        ("b.md", "x", "The webhook met zebras."),
    ]);
    let receipt = world.recall().pick(&Query::new("packet webhook")).receipt;
    let found = |file: &str| receipt.candidates.iter().find(|c| c.file == file).unwrap();
    let (packet, webhook) = (found("a.md"), found("b.md"));
    assert_eq!(packet.share, webhook.share);
    assert!(packet.evidence * 10 < webhook.evidence * 9, "{receipt}");
}

#[test]
fn by_what_people_ask_is_hardly_evidence_and_hardly_missed() {
    for (text, queries) in [
        (
            "The reviewer explains each difference.",
            [
                "explain the difference between a stack and a queue",
                "explain the queue",
            ],
        ),
        (
            "请解释两个快照的区别。",
            ["解释二叉树和红黑树的区别", "解释红黑树"],
        ),
    ] {
        let recall = beside_others(text).recall();
        for query in queries {
            silent(&recall, query);
        }
    }
    let world = beside_others("The webhook retries once.");
    let recall = world.recall();
    let evidence = |query: &str| {
        let receipt = recall.pick(&Query::new(query)).receipt;
        receipt.candidates[0].evidence
    };
    let (asked, bare) = (evidence("explain webhook"), evidence("webhook"));
    assert!(asked * 3 > bare * 2, "{asked} {bare}");
}

#[test]
fn of_two_words_that_are_as_rare_the_telling_one_decides() {
    let world = directory(&[
        ("a.md", "x", "The current of zebras."),
        ("b.md", "x", "The webhook of zebras."),
    ]);
    finds(&world.recall(), "current webhook", "b.md");
}

#[test]
fn what_a_memory_is_about_is_more_evidence_than_what_it_mentions() {
    let world = directory(&[
        ("a.md", "the webhook", "Zebras met okapis."),
        ("b.md", "some zebras", "The webhook met okapis."),
    ]);
    let receipt = world.recall().pick(&Query::new("webhook giraffe")).receipt;
    let evidence = |file: &str| {
        let found = receipt.candidates.iter().find(|c| c.file == file);
        found.map(|c| c.evidence).unwrap()
    };
    assert!(evidence("a.md") > evidence("b.md"), "{receipt}");
    // A fifth more of it is no rounding.
    assert!(evidence("a.md") * 5 > evidence("b.md") * 6, "{receipt}");
}

#[test]
fn words_that_stand_together_are_more_evidence_than_words_that_are_scattered() {
    let between = "Zebras met okapis. ".repeat(10);
    let near = format!("The webhook sent the invoice.\n{between}");
    let apart = format!("The webhook sent it.\n{between}\nThe invoice was sent.");
    let world = directory(&[("near.md", "x", &near), ("apart.md", "x", &apart)]);
    // Not as neighbors: the query has them in the other order.
    let receipt = world
        .recall()
        .pick(&Query::new("invoice webhook giraffe"))
        .receipt;
    let found = |file: &str| receipt.candidates.iter().find(|c| c.file == file).unwrap();
    let (near, apart) = (found("near.md"), found("apart.md"));
    assert_eq!(near.matched, apart.matched);
    assert!(near.evidence * 5 > apart.evidence * 6, "{receipt}");
}

#[test]
fn what_a_memory_is_about_counts_more_than_what_it_says_again_and_again() {
    let again = "The webhook met zebras. ".repeat(3);
    let world = directory(&[
        ("a.md", "zebras", &again),
        (
            "b.md",
            "the webhook",
            "The webhook met zebras and okapis, and okapis met zebras.",
        ),
    ]);
    // In two memories nothing is rare.
    let all = Options::default().floor(0).one_word_floor(0);
    finds(&world.recall_with(&all), "webhook giraffe", "b.md");
}

#[test]
fn what_is_far_behind_the_best_is_not_picked_beside_it() {
    let mut files = vec![(
        "best.md",
        "zebra giraffe okapi tapir quagga bongo",
        "Kudu, gnu, eland, oryx.",
    )];
    files.extend([
        ("far.md", "x", "An oryx."),
        ("a.md", "x", "An oryx."),
        ("b.md", "x", "An oryx."),
    ]);
    let world = directory(&files);
    let query = Query::new("zebra giraffe okapi tapir quagga bongo kudu gnu eland oryx");
    let picks = |options: &Options| {
        let recall = Recall::scan(world.dir(), options).unwrap();
        self::files(&recall.pick(&query)).len()
    };
    assert_eq!(picks(&Options::default()), 1);
    assert_eq!(picks(&Options::default().beside_best(0)), 4);
}

#[test]
fn two_stop_words_make_no_word() {
    let world = directory(&[("a.md", "x", "Go forth."), ("b.md", "x", "Set a timeout.")]);
    silent(&world.recall(), "for the giraffe");
    finds(&world.recall(), "time out", "b.md");
}

#[test]
fn the_words_of_a_file_name_are_found_and_its_type_is_none() {
    let world = World::new();
    for (file, kind) in [("project_no_emoji.md", "project"), ("user_role.md", "user")] {
        let text = format!("---\nname: okapi\ntype: {kind}\n---\n\nThe tapir.\n");
        world.write(file, text);
    }
    let recall = world.recall();
    finds(&recall, "emoji", "project_no_emoji.md");
    finds(&recall, "user roles", "user_role.md");
    let receipt = recall.pick(&Query::new("project")).receipt;
    assert_eq!(receipt.matches, 0, "{receipt}");
}

#[test]
fn where_in_a_body_a_word_stands_does_not_matter() {
    // Places from 128 on are written in another way.
    let body = |place: usize| {
        let word = |at| if at == place { "zebra " } else { "okapi " };
        (0..150).map(word).collect::<String>()
    };
    let (early, late) = (body(3), body(135));
    let mut memories = vec![("z.md", "x", early.as_str())];
    for file in ["a.md", "b.md", "c.md", "d.md", "e.md"] {
        memories.push((file, "x", late.as_str()));
    }
    let receipt = directory(&memories)
        .recall()
        .pick(&Query::new("zebra"))
        .receipt;
    let scores: Vec<f32> = receipt.candidates.iter().map(|c| c.score).collect();
    assert!(scores.iter().all(|score| *score == scores[0]), "{scores:?}");
    let order: Vec<&str> = receipt.candidates.iter().map(|c| &*c.file).collect();
    assert_eq!(order, ["a.md", "b.md", "c.md", "d.md", "e.md", "z.md"]);
}

#[test]
fn equal_ones_stay_in_order_in_a_large_directory() {
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.md")).collect();
    let body = |n: usize| {
        if n % 20 == 7 {
            "The zebra."
        } else {
            "The okapi."
        }
    };
    let memories: Vec<(&str, &str, &str)> = (names.iter().enumerate())
        .map(|(n, name)| (name.as_str(), "x", body(n)))
        .collect();
    let picked = directory(&memories).recall().pick(&Query::new("zebra"));
    let expected = ["007.md", "027.md", "047.md", "067.md", "087.md"];
    assert_eq!(files(&picked), expected, "{}", picked.receipt);
}

#[test]
fn at_most_five_are_picked_and_equal_ones_in_the_order_of_the_scan() {
    let world = World::new();
    for number in (0..9).rev() {
        world.memory(&format!("{number}.md"), "project", "database tests", "x");
    }
    let picked = world.recall().pick(&Query::new("database tests"));
    assert_eq!(files(&picked), ["0.md", "1.md", "2.md", "3.md", "4.md"]);
    assert_eq!(picked.receipt.matches, 9);
}

#[test]
fn a_refresh_reads_what_changed_and_nothing_else() {
    let world = identifiers();
    let mut recall = world.recall();
    let unchanged = recall.refresh().unwrap();
    assert_eq!((unchanged.read, unchanged.gone), (0, 0));
    silent(&recall, "giraffe");

    world.memory("timeout.md", "project", "waiting", "The giraffe waits.");
    world.set_age("timeout.md", 1);
    world.memory("new.md", "project", "zoo", "An okapi.");
    std::fs::remove_file(world.path("names.md")).unwrap();
    let changed = recall.refresh().unwrap();
    assert_eq!((changed.read, changed.gone), (2, 1));
    finds(&recall, "giraffe", "timeout.md");
    finds(&recall, "okapi", "new.md");
    silent(&recall, "getUserName");
    // The result is that of a fresh scan.
    let query = Query::new("giraffe okapi key chain");
    assert_eq!(recall.pick(&query), world.recall().pick(&query));
}

#[test]
fn hostile_texts_cost_little_and_break_nothing() {
    let world = World::new();
    world
        .write("words.md", "word ".repeat(200_000))
        .write("one.md", "x".repeat(1 << 20))
        .write("han.md", "的".repeat(100_000))
        .write("marks.md", "\u{301}".repeat(100_000))
        .write("camel.md", "aB".repeat(100_000))
        .write("dashes.md", "a-".repeat(100_000))
        .write("nul.md", "\0".repeat(1_000));
    let recall = world.recall();
    for query in [
        "word",
        "x",
        "的",
        "\u{301}",
        "aBaB",
        "a-a-a",
        "\0",
        "字字字",
    ] {
        let _ = recall.pick(&Query::new(&query.repeat(5_000)));
    }
}

#[test]
fn what_lies_beyond_256_kib_of_a_memory_is_not_found() {
    let world = World::new();
    let filler = "filler words\n".repeat(25_000);
    world.write("a.md", format!("near\n{filler}far\n"));
    let recall = world.recall();
    finds(&recall, "near", "a.md");
    silent(&recall, "far");
}

#[test]
fn beyond_64_mib_of_bodies_memories_are_found_by_name_and_description() {
    let world = World::new();
    let body = ".".repeat(262_100);
    for number in 0..300 {
        let text = format!("---\ndescription: number{number:03}\n---\n\n{body}");
        world.write(&format!("{number:03}.md"), text);
    }
    let recall = world.recall();
    assert_eq!(recall.memories().len(), 300);
    // Each body has 256 KiB less a header.
    assert_eq!(recall.without_body(), 300 - 256);
    for number in ["number000", "number150", "number299"] {
        let picked = recall.pick(&Query::new(number));
        assert_eq!(files(&picked), [format!("{}.md", &number[6..])]);
    }
}

#[test]
fn the_index_takes_no_more_than_the_files() {
    let world = World::new();
    let empty = world.recall().index_bytes();
    for at in 0..300 {
        let (what, when) = (at % 40, at % 25);
        let body = format!(
            "The owner of system{what} asked in week {when} that its queue be drained first.\n\n\
             **Why:** messages were lost twice. **How to apply:** stop writers, wait, deploy."
        );
        let file = format!("memory_{at}.md");
        world.memory(&file, "project", "how a system is deployed", &body);
    }
    let files: usize = (0..300)
        .map(|at| world.path(&format!("memory_{at}.md")).metadata().unwrap())
        .map(|file| usize::try_from(file.len()).unwrap())
        .sum();
    let index = world.recall().index_bytes();
    assert!(
        empty < index && index <= files,
        "{empty}, {index} of {files}"
    );
}

#[test]
fn a_compound_with_a_part_that_says_nothing_is_none() {
    let (long, other) = ("z".repeat(80), "y".repeat(80));
    let recall = directory(&[
        ("long.md", "x", &format!("{long}_{long}")),
        ("part.md", "x", &format!("foo_{long}_bar")),
        ("digest.md", "x", "giraffe tapir"),
    ])
    .recall();
    let matches = |query: &str| recall.pick(&Query::new(query)).receipt.matches;
    assert_eq!(matches(&format!("{other}-{other}")), 0);
    assert_eq!(matches("foobar"), 1, "by its parts");
    let score = |query: &str| recall.pick(&Query::new(query)).receipt.candidates[0].score;
    // Not the same word again.
    let (joined, apart) = (
        score(&format!("giraffe-{long}")),
        score(&format!("giraffe {long}")),
    );
    assert_eq!(joined, apart);
}

#[test]
fn a_long_form_stands_where_the_short_one_does() {
    let recall = directory(&[
        ("a.md", "x", "The database migration of okapis."),
        ("b.md", "x", "The migration database of okapis."),
    ])
    .recall();
    for query in ["database migration", "db migration"] {
        finds(&recall, query, "a.md");
    }
    for query in ["migration database", "migration db"] {
        finds(&recall, query, "b.md");
    }
}
