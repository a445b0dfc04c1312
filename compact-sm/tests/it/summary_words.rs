//! Words that stand in place of a summary, and words that look like them.

use compact_sm::{
    BadSummary, Breaker, Cause, Compact, Estimate, Estimator, NoHooks, Summary, SummaryForm,
    SummaryReply, WhyNot, compact, read_summary,
};
use proptest::prelude::*;

use crate::compaction::{counter, manual};
use crate::scripted::{Scripted, now};
use crate::world::tool_loop;

fn read(text: &str) -> Result<Summary, BadSummary> {
    read_summary(&SummaryReply::text(text))
}

#[track_caller]
fn check(text: &str, expected: Result<(), BadSummary>) {
    assert_eq!(read(text).map(|_| ()), expected, "{text:?}");
    let tagged = format!("<analysis>hm</analysis>\n<summary>\n{text}\n</summary>");
    assert_eq!(read(&tagged).map(|_| ()), expected, "{tagged:?}");
}

#[test]
fn a_refusal_in_words_is_declined_with_and_without_the_tag() {
    for text in [
        "I can't help with that.",
        "**I cannot summarize this conversation.**",
        "\"I'm unable to assist with this request.\"",
        "I'm sorry, but I can't reproduce any of that.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "抱歉，我无法总结这段对话。",
        "I cannot provide a summary. The messages hold material about weapons.",
        "It would not be appropriate for me to summarize this.",
    ] {
        check(text, Err(BadSummary::Declined));
    }
}

#[test]
fn a_summary_may_tell_of_refusals_and_of_what_cannot_be_done() {
    for text in [
        "The user asked for a key; the assistant declined because it is not theirs.",
        "\"I can't help with that,\" said the model, and the user asked another.",
        "Unfortunately, I cannot reproduce the crash; the user will send a core dump.",
        "I was unable to help with the driver, so the user took another card.",
        "I can't open the database yet. The user will fix its mode.",
        "Leider kann ich den Server nicht starten, Port 80 ist belegt.",
    ] {
        check(text, Ok(()));
    }
}

#[test]
fn a_long_answer_that_begins_by_refusing_a_part_is_a_summary() {
    let told = "The user moved the routes to the new framework and the tests pass. ".repeat(8);
    check(&format!("I can't help with the exploit. {told}"), Ok(()));
    check(
        "I can't help with the exploit. Ask for something else, please.",
        Err(BadSummary::Declined),
    );
}

#[test]
fn phrases_for_nothing_are_empty() {
    for text in [
        "N/A",
        "(no content)",
        "No summary available.",
        "- None",
        "There is nothing to summarize.",
        "Keine Zusammenfassung verfügbar.",
        "暂无摘要",
        "API Error: 529 overloaded",
        "[your summary here]",
    ] {
        check(text, Err(BadSummary::Empty));
    }
    for text in [
        "None of the tests fail.",
        "Empty files are skipped now.",
        "No errors are left in parse.rs.",
    ] {
        check(text, Ok(()));
    }
}

#[test]
fn headings_with_nothing_below_are_empty_and_one_that_has_something_is_enough() {
    let sections = |what: [&str; 3]| {
        format!(
            "1. Primary request and intent: {}\n2. **Key technical concepts**:\n   - {}\n\
             ### 3. Errors and fixes\n{}\n",
            what[0], what[1], what[2]
        )
    };
    check(&sections(["None", "N/A", "(none)"]), Err(BadSummary::Empty));
    check(&sections(["...", "...", "..."]), Err(BadSummary::Empty));
    check(&sections(["None", "zlib", "none"]), Ok(()));
    // A list of what is done is none of headings.
    check("1. Fix the build: done\n2. Run the tests: done", Ok(()));
}

#[test]
fn the_words_of_the_request_are_no_answer_to_it() {
    let prompt = compact_sm::summary_prompt(compact_sm::Scope::Whole, None);
    let sections = prompt
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let sections: Vec<&str> = sections.collect();
    assert!(sections.len() >= 9);
    check(&sections[..9].join("\n"), Err(BadSummary::Empty));
}

#[test]
fn words_that_go_on_with_the_work_are_no_summary() {
    for text in [
        "I'll continue with the task now.",
        "Sure! What would you like me to do?",
        "Got it. Let me look at the file first.",
        "I have read the conversation and I am ready to continue.",
        "Just give me a moment, please.",
        "好的，我继续。",
    ] {
        check(text, Err(BadSummary::GoesOn));
    }
    check(
        "Let me note what matters: the parser is done, the lexer is not.",
        Ok(()),
    );
    check("Sure! Here is the summary: the linker needs zlib.", Ok(()));
}

#[test]
fn words_for_nothing_are_nothing_however_often_they_are_said() {
    let said = |text: &str| read(&text.repeat(4_000)).map(|_| ()).unwrap_err();
    assert_eq!(said("None. "), BadSummary::Empty);
    assert_eq!(said("1. Errors: none\n"), BadSummary::Empty);
    assert_eq!(said("I can't help with that. "), BadSummary::Declined);
    assert_eq!(said("Let me go on now. "), BadSummary::GoesOn);
    assert_eq!(said("好的，我继续。"), BadSummary::GoesOn);
}

#[test]
fn a_summary_is_in_form_by_its_tag_or_by_its_headings() {
    let form = |text: &str| read(text).unwrap().form;
    assert_eq!(form("the linker needs zlib"), SummaryForm::Free);
    assert_eq!(form("<summary>the linker needs zlib"), SummaryForm::Asked);
    let headings = "## Primary request and intent\nfix it\n## Errors and fixes\nzlib\n\
                    ## Pending tasks\ndocs";
    assert_eq!(form(headings), SummaryForm::Asked);
    assert_eq!(form("## Goal\nfix it\n## Errors\nzlib"), SummaryForm::Free);
}

#[test]
fn next_to_nothing_does_not_stand_for_a_long_conversation() {
    let long = tool_loop(150, 1_000);
    let too_short = |text: &str| match manual(&long, &Scripted::says(text)) {
        Ok(_) => None,
        Err(failed) => match failed.why {
            WhyNot::BadSummary(why @ BadSummary::TooShort { .. }) => Some(why.to_string()),
            why => panic!("{why:?}"),
        },
    };
    let words = "They fixed the build: zlib was missing.";
    let why = too_short(words).unwrap();
    assert!(
        why.contains("the summary has 10 tokens, which is too little for the 15"),
        "{why}"
    );
    assert!(too_short("<summary>The parser</summary>").is_some());
    // In its form, or with some more words, it is taken.
    let more = "It is linked now, all 214 tests pass, and the docs come next, build.md first.";
    assert!(too_short(&format!("<summary>{words} {more}</summary>")).is_none());
    assert!(too_short(&format!("{words} {more}")).is_some());
    assert!(too_short(&format!("{words} {}", "And so on, with names. ".repeat(18))).is_none());
    // A short conversation has a short summary.
    assert!(manual(&tool_loop(20, 1_000), &Scripted::says(words)).is_ok());
}

#[test]
fn three_answers_of_nothing_leave_the_conversation_and_stop_automatic_attempts() {
    let list = tool_loop(150, 1_000);
    let before = list.clone();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let cause = Cause::Refused(compact_sm::Refused::default());
    for (at, text) in ["N/A", "I can't help with that.", "I'll go on."]
        .iter()
        .enumerate()
    {
        let model = Scripted::says(text);
        let done = compact(&list, &cause, &how, &model, &NoHooks);
        assert!(matches!(now(done).unwrap_err().why, WhyNot::BadSummary(_)));
        assert_eq!(breaker.state().failures as usize, at + 1);
        assert_eq!(list, before);
    }
    let model = Scripted::says("fine");
    let done = compact(&list, &cause, &how, &model, &NoHooks);
    assert!(matches!(now(done).unwrap_err().why, WhyNot::NotStarted(_)));
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<summary>".to_owned()),
        Just("</Summary>".to_owned()),
        Just("<Analysis>".to_owned()),
        Just("</analysis>".to_owned()),
        Just("I can't help with that. ".to_owned()),
        Just("None\n".to_owned()),
        Just("\n1. Pending tasks: ".to_owned()),
        Just("抱歉，".to_owned()),
        Just("\"".to_owned()),
        "[a-zA-Z.:,<>/ äß無できません…'’\"#*-]{0,12}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn no_answer_panics_and_what_is_taken_has_a_word(
        pieces in proptest::collection::vec(piece(), 0..12),
        cut in any::<bool>(),
        before in any::<u64>(),
    ) {
        let mut reply = SummaryReply::text(pieces.concat());
        if cut {
            reply = reply.stop_reason("max_tokens");
        }
        if let Ok(summary) = read_summary(&reply) {
            prop_assert!(summary.text.contains(char::is_alphanumeric));
            let counter = Estimator::new(Estimate::BytesDiv4);
            let fits = summary.stands_for(before, &counter);
            prop_assert!(fits.is_err() || before > 0);
        }
    }

    #[test]
    fn a_closed_scratchpad_never_leaks(
        pieces in proptest::collection::vec("[a-z .]{0,20}|<summary>", 0..6),
        upper in any::<bool>(),
        told in "[a-z]{3,10} told",
    ) {
        let thoughts = pieces.concat();
        prop_assume!(!thoughts.contains("told"));
        let tag = if upper { "ANALYSIS" } else { "analysis" };
        let text = format!("<{tag}>q9 {thoughts}</{tag}><summary>{told}</summary>");
        let summary = read(&text).unwrap();
        prop_assert_eq!(summary.text, told);
    }

    #[test]
    fn any_summary_that_tells_something_is_told_again_without_its_tag(
        told in "The user [a-z]{1,9} the [a-z]{1,9} [a-z ]{0,40}",
    ) {
        let told = told.trim();
        prop_assert_eq!(read(told).unwrap().text, told);
        let tagged = format!("<summary>{told}</summary>");
        prop_assert_eq!(read(&tagged).unwrap().text, told);
    }
}
