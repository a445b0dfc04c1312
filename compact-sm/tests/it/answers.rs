//! A corpus of answers: some are summaries, some stand where one should be.
//!
//! `tests/fixtures/answers.jsonl` has one answer a line, with the tokens of what it would stand
//! for. It was written before the rules were, and in two halves, of which the rules were fitted on
//! the one called `open` alone.

use compact_sm::{BadSummary, Estimator, SummaryReply, read_summary};

struct Answer {
    is_summary: bool,
    is_open: bool,
    before: u64,
    text: String,
}

fn corpus() -> Vec<Answer> {
    let lines = include_str!("../fixtures/answers.jsonl").lines();
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        Answer {
            is_summary: value["kind"] == "summary",
            is_open: value["half"] == "open",
            before: value["before"].as_u64().unwrap(),
            text: value["text"].as_str().unwrap().to_owned(),
        }
    };
    lines.map(read).collect()
}

fn judged(answer: &Answer) -> Result<(), BadSummary> {
    let summary = read_summary(&SummaryReply::text(answer.text.as_str()))?;
    summary.stands_for(answer.before, &Estimator::default())
}

/// Answers that are judged otherwise than they should be, of how many.
fn wrong(is_summary: bool, is_open: bool) -> (Vec<String>, usize) {
    let all = corpus().into_iter();
    let of: Vec<Answer> = all
        .filter(|a| a.is_summary == is_summary && a.is_open == is_open)
        .collect();
    let wrong = of.iter().filter(|a| judged(a).is_ok() != is_summary);
    let wrong = wrong.map(|a| format!("{:?} {}: {:?}", a.text, a.before, judged(a).err()));
    (wrong.collect(), of.len())
}

#[track_caller]
fn check(is_summary: bool, is_open: bool, most: usize) {
    let (wrong, of) = wrong(is_summary, is_open);
    let kind = if is_summary { "refused" } else { "accepted" };
    assert!(of >= 60);
    let list = wrong.join("\n");
    assert!(
        wrong.len() <= most,
        "{} of {of} {kind}:\n{list}",
        wrong.len()
    );
}

#[test]
fn what_is_no_summary_is_refused() {
    check(false, true, 0);
}

#[test]
fn a_summary_is_taken_however_terse_and_whatever_it_tells_of() {
    check(true, true, 0);
}
