//! From how much evidence on there is an answer.

use memdir_recall::{Options, Query, Recall};

use crate::words::{directory, finds, identifiers};
use crate::world::{World, files};

/// A directory of so many memories of so many words, none of which stands in two of them, beside
/// one of the same length that is about invoices.
fn invoices(memories: usize, words: usize) -> World {
    let filler = |from: usize, words: usize| -> String {
        (from..from + words).map(|n| format!("w{n}q ")).collect()
    };
    let mut files: Vec<(String, String)> = (1..memories)
        .map(|at| (format!("m{at}.md"), filler(at * 1_000, words)))
        .collect();
    let about = format!("the invoice {}", filler(0, words - 1));
    files.push(("invoice.md".to_owned(), about));
    let files: Vec<(&str, &str, &str)> = files
        .iter()
        .map(|(file, body)| (file.as_str(), "session", body.as_str()))
        .collect();
    directory(&files)
}

#[test]
fn the_floor_grows_with_what_chance_does() {
    #[track_caller]
    fn floor(world: &World, query: &str) -> u8 {
        world.recall().pick(&Query::new(query)).receipt.rules.floor
    }
    let usual = invoices(100, 50);
    let four = "the invoice of penguin summer ends";
    assert_eq!(floor(&usual, four), 10);
    assert_eq!(floor(&invoices(100, 400), four), 18, "long memories");
    assert_eq!(floor(&invoices(1_000, 50), four), 17, "many memories");
    assert_eq!(floor(&invoices(20, 10), four), 6, "few short ones");
    assert_eq!(floor(&invoices(2, 10), four), 6, "hardly any");
    assert_eq!(floor(&usual, "invoice"), 14, "one word");
    let long = "which invoice of penguin summer ended late because customs kept eleven boxes";
    assert_eq!(floor(&usual, long), 8, "a long query");
    let huge = invoices(1_000, 400);
    assert_eq!(floor(&huge, "invoice"), 40, "no further");
    finds(&huge.recall(), "invoice", "invoice.md");
}

#[test]
fn a_floor_of_the_host_grows_likewise_and_none_stays_none() {
    let world = invoices(1_000, 50);
    let floors = |options: Options| {
        let recall = world.recall_with(&options);
        let rules = recall.pick(&Query::new("invoice giraffe")).receipt.rules;
        (rules.floor, rules.one_word_floor)
    };
    let options = Options::default();
    assert_eq!(floors(options.clone().floor(0).one_word_floor(0)), (0, 0));
    assert_eq!(
        floors(options.clone().floor(100).one_word_floor(60)),
        (100, 60)
    );
    assert_eq!(floors(options.floor(10).one_word_floor(20)), (21, 40));
}

#[test]
fn the_floor_is_a_matter_of_options() {
    let world = identifiers();
    let query = Query::new("Where do penguins spend thirty seconds of polar summer?");
    let picks = |options: &Options| {
        let recall = Recall::scan(world.dir(), options).unwrap();
        files(&recall.pick(&query)).len()
    };
    assert_eq!(picks(&Options::default()), 0);
    assert_eq!(picks(&Options::default().floor(0).one_word_floor(0)), 1);
    assert_eq!(picks(&Options::default().floor(100)), 0);
}

#[test]
fn one_word_of_several_needs_most_evidence_and_three_need_least() {
    let world = invoices(100, 50);
    // The floor in a line of the receipt.
    let floor = |query: &str| {
        let receipt = world.recall().pick(&Query::new(query)).receipt;
        let line = receipt.to_string();
        let line = line.lines().find(|line| line.contains("invoice.md"));
        let floor = line.and_then(|line| line.split("floor ").nth(1)?.split(' ').next());
        floor.map(str::to_owned).unwrap()
    };
    assert_eq!(floor("invoice giraffe okapi tapir"), "15");
    assert_eq!(floor("invoice w1q okapi tapir"), "12");
    assert_eq!(floor("invoice w1q w2q tapir"), "10");
    // Of one word no memory can hold more.
    assert_eq!(floor("the invoice"), "14");
    assert_eq!(floor("please explain the invoice"), "12");
    // Nor of three characters or of one name; four characters are two words mostly.
    let rules = |query: &str| world.recall().pick(&Query::new(query)).receipt.rules;
    for name in ["数据库", "单元测试", "unit tests"] {
        assert_eq!(rules(name).floor, rules(name).one_word_floor, "{name}");
    }
    for words in ["企鹅夏天", "penguin summer"] {
        assert!(rules(words).floor < rules(words).one_word_floor, "{words}");
    }
}

/// The evidence for a memory, in ten-thousandths.
#[track_caller]
fn evidence(world: &World, query: &str, file: &str) -> f32 {
    let receipt = world.recall().pick(&Query::new(query)).receipt;
    let found = receipt.candidates.iter().find(|c| c.file == file);
    f32::from(found.unwrap().evidence)
}

#[test]
fn what_no_memory_holds_is_missed_most() {
    let world = invoices(100, 50);
    // `giraffe` stands nowhere, `w1000q` in one other memory, as `invoice` does in one.
    let alone = evidence(&world, "invoice", "invoice.md");
    let elsewhere = alone / evidence(&world, "invoice w1000q", "invoice.md");
    assert!((1.99..2.01).contains(&elsewhere), "{elsewhere}");
    // It is rarer by a quarter, and missed 1.3 times as much.
    let nowhere = alone / evidence(&world, "invoice giraffe", "invoice.md");
    assert!((2.6..2.7).contains(&nowhere), "{nowhere}");
}

#[test]
fn words_that_stand_close_together_say_more_and_neighbors_most() {
    let far = "x1 ".repeat(30);
    let texts = [
        ("neighbors.md", format!("tracker invoice x0 {far}")),
        ("close.md", format!("tracker x0 invoice {far}")),
        ("far.md", format!("tracker {far} x0 invoice")),
    ];
    let texts: Vec<(&str, &str, &str)> = texts
        .iter()
        .map(|(file, body)| (*file, "y", body.as_str()))
        .collect();
    let world = directory(&texts);
    let query = "tracker invoice giraffe okapi tapir";
    let [neighbors, close, far] =
        ["neighbors.md", "close.md", "far.md"].map(|file| evidence(&world, query, file));
    assert!(far * 1.3 < close, "{far} {close}");
    assert!(close * 1.3 < neighbors, "{close} {neighbors}");
}

#[test]
fn the_highest_floors_that_a_host_can_ask_for_are_applied() {
    let world = invoices(100, 50);
    let options = Options::default().floor(0).one_word_floor(255);
    let picked = world
        .recall_with(&options)
        .pick(&Query::new("invoice w1q okapi tapir"));
    // Two fifths of the way.
    assert!(
        picked.receipt.to_string().contains("floor 102 %"),
        "{}",
        picked.receipt
    );
    assert_eq!(files(&picked), [""; 0]);
    assert_eq!(picked.receipt.replay(), picked.receipt.picks);
}

#[test]
fn the_best_is_picked_whatever_is_asked_of_the_others() {
    let world = identifiers();
    for percent in [100, 101, u8::MAX] {
        let options = Options::default().beside_best(percent);
        let recall = Recall::scan(world.dir(), &options).unwrap();
        let picked = recall.pick(&Query::new("retry limit"));
        assert!(!picked.memories.is_empty(), "{}", picked.receipt);
        assert_eq!(picked.receipt.replay(), picked.receipt.picks);
    }
}
