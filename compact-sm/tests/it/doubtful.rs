//! Whatever a model answers, it is never the only thing that stays.

use compact_sm::{
    BadSummary, Block, Breaker, Cause, Compact, Compaction, Counter, Estimate, Estimator, Flags,
    KEEP_MIN_TEXT_MESSAGES, KEEP_MIN_TOKENS, Message, NoHooks, NotCompacted, Origin, Overrides,
    Policy, Refused, Settings, Source, SummaryForm, SummaryReply, TAIL_FROM_TOKENS, TRUSTED_TOKENS,
    Usage, WhyNot, Window, compact, read_summary, validate,
};
use proptest::prelude::*;

use crate::compaction::counter;
use crate::scripted::{SUMMARY, Scripted, now};
use crate::world::{self, words};

/// Twenty refusals in languages, and in words, that no list of the crate knows.
const UNSEEN: [&str; 20] = [
    "Üzgünüm, bu konuda size yardımcı olamam.",
    "عذرًا، لا يمكنني المساعدة في ذلك.",
    "Niestety nie mogę w tym pomóc.",
    "क्षमा करें, मैं इसमें सहायता नहीं कर सकता।",
    "Samahani, siwezi kukusaidia na hilo.",
    "Xin lỗi, tôi không thể giúp việc này.",
    "ขออภัย ฉันช่วยเรื่องนี้ไม่ได้",
    "Λυπάμαι, δεν μπορώ να βοηθήσω σε αυτό.",
    "מצטער, אני לא יכול לעזור בזה.",
    "Sajnálom, ebben nem tudok segíteni.",
    "Valitettavasti en voi auttaa tässä asiassa.",
    "Îmi pare rău, nu pot face acest lucru.",
    "Maaf, saya tidak bisa membantu soal itu.",
    "متأسفم، نمی‌توانم در این مورد کمک کنم.",
    "দুঃখিত, আমি এতে সাহায্য করতে পারব না।",
    "மன்னிக்கவும், என்னால் உதவ முடியாது.",
    "ვწუხვარ, ამაში ვერ დაგეხმარებით.",
    "Vabandust, ma ei saa selles aidata.",
    "Því miður get ég ekki hjálpað með þetta.",
    "Ma binu, mi ò lè ràn ọ́ lọ́wọ́.",
];

/// The person asks, the model answers; so many tokens, twenty messages.
fn talk(tokens: usize) -> Vec<Message> {
    let mut list = Vec::new();
    for at in 0..10 {
        list.push(Message::user(format!("question {at}: what of part {at}?")));
        list.push(Message::assistant(words(tokens / 10 - 20)));
    }
    list.push(Message::user(
        "Now write the docs, und zwar auf Deutsch: 文档。",
    ));
    list.push(Message::assistant("I begin with build.md."));
    list
}

fn run(list: &[Message], cause: &Cause<'_>, answer: &str) -> Result<Compaction, NotCompacted> {
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    now(compact(
        list,
        cause,
        &how,
        &Scripted::says(answer),
        &NoHooks,
    ))
}

/// All texts that a list holds.
fn texts(list: &[Message]) -> Vec<&str> {
    list.iter().flat_map(Message::texts).collect()
}

fn tokens(list: &[Message]) -> u64 {
    list.iter().map(|message| counter().message(message)).sum()
}

#[test]
fn after_a_refusal_in_an_unknown_language_stands_what_the_person_said_last() {
    for size in [3_000, 12_000, 24_000] {
        let list = talk(size);
        for refusal in UNSEEN {
            for answer in [refusal.to_owned(), format!("<summary>{refusal}</summary>")] {
                let causes = [
                    Cause::manual(None),
                    Cause::Refused(Refused::default()),
                    Cause::partial(0..list.len(), None),
                    Cause::partial(2..list.len() - 1, None),
                ];
                for cause in causes {
                    let done = run(&list, &cause, &answer).unwrap();
                    let got = done.into_messages();
                    assert_eq!(validate(&got), []);
                    assert!(tokens(&got) < tokens(&list));
                    // Three messages of the person, and the last answer, byte for byte.
                    let said = texts(&got);
                    for at in [16, 18, 20, 21] {
                        let text = list[at].texts().next().unwrap();
                        assert!(said.contains(&text), "{size}: {answer}: {at} is lost");
                    }
                    // A third of it at least, or 10,000 tokens, are there.
                    assert!(
                        tokens(&got) >= 10_000.min(size as u64 / 3),
                        "{size}: {answer}"
                    );
                }
            }
        }
    }
}

#[test]
fn before_a_request_the_longer_tail_stays_below_the_threshold() {
    let mut list = talk(24_000);
    list.push(Message::user("and now?"));
    let (breaker, counter) = (Breaker::new(), counter());
    for window in [34_000, 40_000, 60_000] {
        let (window, flags) = (Window::new(window, 8_000), Flags::default());
        let policy = Policy::new(&window, &Overrides::default(), &Settings::default(), &flags);
        let threshold = policy.thresholds().unwrap().compact;
        let last = list.len() - 2;
        list[last].usage = Some(Usage::new(threshold + 1, 0));
        let decision = policy.decide(&list, &counter, Source::Main);
        assert!(decision.compacts(), "{decision}");
        let how = Compact::new(&breaker, &counter).policy(&policy);
        let model = Scripted::says(UNSEEN[0]);
        let cause = Cause::Auto(&decision);
        let result = now(compact(&list, &cause, &how, &model, &NoHooks));
        let unexplained = (threshold + 1).saturating_sub(tokens(&list[..=last]));
        let done = match result {
            Ok(done) => done,
            Err(failed) => panic!("{failed}: {threshold}, {unexplained}"),
        };
        assert!(done.after < threshold);
        let got = done.into_messages();
        let said = texts(&got);
        for at in [18, 20, 21, 22] {
            assert!(
                said.contains(&list[at].texts().next().unwrap()),
                "{at} is lost"
            );
        }
        assert_eq!(validate(&got), []);
    }
    assert_eq!(breaker.state().failures, 0);
}

#[test]
fn a_summary_in_its_form_and_of_its_length_stands_alone() {
    let list = talk(12_000);
    let done = run(&list, &Cause::manual(None), SUMMARY).unwrap();
    assert_eq!((done.kept.len(), done.summary_messages.len()), (1, 1));
    assert_eq!(done.summary_messages[0].content.blocks.len(), 1);
    // The same words without the form do not.
    let free = SUMMARY.replace("<summary>", "").replace("</summary>", "");
    let free = free.lines().next().unwrap().to_owned().repeat(8);
    let read = read_summary(&SummaryReply::text(free.as_str())).unwrap();
    assert_eq!(read.form, SummaryForm::Free);
    let done = run(&list, &Cause::manual(None), &free).unwrap();
    assert!(done.kept.len() > 4, "{}", done.kept.len());
}

#[test]
fn in_place_of_a_few_words_a_short_summary_in_its_form_needs_the_words_alone() {
    let list = talk(1_000);
    let done = run(
        &list,
        &Cause::manual(None),
        "<summary>Sajnos nem.</summary>",
    )
    .unwrap();
    assert_eq!(done.kept.len(), 1);
    let said = done.summary_messages[0].texts().collect::<Vec<_>>();
    assert_eq!(said.len(), 5);
    assert_eq!(said[4], list[20].texts().next().unwrap());
}

/// A conversation that stands behind a summary, with a turn so long that no tail reaches the person.
fn long_turn() -> Vec<Message> {
    let mut list =
        vec![Message::user("Summary: the API key lives in vault 7.").origin(Origin::Summary)];
    list.push(Message::user("fix the build, and never touch main"));
    list.extend(world::tool_loop(22, 1_000).into_iter().skip(1));
    list
}

#[test]
fn a_doubtful_summary_does_not_replace_the_one_before_it() {
    let mut list = long_turn();
    for round in 0..4 {
        let done = run(&list, &Cause::manual(None), UNSEEN[2]).unwrap();
        list = done.into_messages();
        let said = texts(&list);
        assert!(said[0].contains("the API key lives in vault 7."), "{round}");
        assert_eq!(said[0].matches("This session goes on from").count(), 1);
        assert_eq!(said[0].matches(UNSEEN[2]).count(), 1);
        // The words go from summary to summary, once each.
        let same = said
            .iter()
            .filter(|text| **text == "fix the build, and never touch main");
        assert_eq!(same.count(), 1);
        assert_eq!(validate(&list), []);
        let mut more = world::tool_loop(10, 1_000).split_off(1);
        for message in &mut more {
            message.id = message.id.take().map(|id| format!("{id}-{round}"));
            for block in &mut message.content.blocks {
                if let Block::ToolUse { id, .. }
                | Block::ToolResult {
                    tool_use_id: id, ..
                } = block
                {
                    *id = format!("{id}-{round}");
                }
            }
        }
        list.extend(more);
    }
}

#[test]
fn where_not_even_the_last_round_has_room_a_short_answer_fails_and_a_long_one_does_not() {
    let mut list = talk(12_000);
    list.extend(world::tool_loop(1, 60_000).into_iter().skip(1));
    let failed = run(&list, &Cause::manual(None), &words(150)).unwrap_err();
    assert!(
        matches!(
            failed.why,
            WhyNot::BadSummary(BadSummary::Doubtful { after: 150, .. })
        ),
        "{failed:?}"
    );
    let done = run(&list, &Cause::manual(None), &words(250)).unwrap();
    assert!(done.kept.is_empty());
    let got = done.into_messages();
    assert!(texts(&got).contains(&list[20].texts().next().unwrap()));
    assert_eq!(validate(&got), []);
}

fn answer() -> impl Strategy<Value = String> {
    let corpus: Vec<String> = include_str!("../fixtures/answers.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["kind"] == "none")
        .map(|line| line["text"].as_str().unwrap().to_owned())
        .collect();
    let text = prop_oneof![
        3 => any::<String>(),
        3 => proptest::collection::vec("\\PC{1,9}", 1..40).prop_map(|words| words.join(" ")),
        3 => proptest::sample::select(corpus),
        2 => proptest::sample::select(UNSEEN.to_vec()).prop_map(str::to_owned),
        1 => (1..3_000_usize).prop_map(words),
        1 => Just(SUMMARY.to_owned()),
    ];
    (text, 0..4_u8).prop_map(|(text, form)| match form {
        0 => format!("<analysis>hm</analysis>\n<summary>{text}</summary>"),
        1 => format!("1. Primary request and intent: {text}\n2. Pending tasks: {text}"),
        _ => text,
    })
}

fn cause() -> impl Strategy<Value = Cause<'static>> {
    prop_oneof![
        Just(Cause::manual(None)),
        Just(Cause::Refused(Refused::default())),
        (0..30_usize, 1..60_usize).prop_map(|(from, len)| Cause::partial(from..from + len, None)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// N = 2 messages; K = 10,000 tokens and 5 messages with text, or half of the list, to a round;
    /// M = 1, the last message of the person.
    #[test]
    fn no_answer_at_all_is_the_only_thing_that_stays(
        rounds in world::rounds(), open: bool, answer in answer(), cause in cause(), scale in 0..40_usize,
    ) {
        let mut list = world::conversation(&rounds, open);
        if scale % 4 == 0 {
            list.insert(0, Message::user("earlier: vault 7").origin(Origin::Summary));
        }
        let at = list.len() / 2;
        let first = list.iter().skip(at).position(|m| m.role == compact_sm::Role::User && m.has_text());
        if let Some(first) = first {
            list.insert(at + first, Message::user(words(scale * 300 + 1)));
        }
        prop_assume!(validate(&list).is_empty());
        let before = list.clone();
        let result = run(&list, &cause, &answer);
        prop_assert_eq!(&list, &before);
        let Ok(done) = result else { return Ok(()); };
        let counter = Estimator::new(Estimate::BytesDiv4);
        let (head, kept) = (done.head.len(), done.kept.len());
        prop_assert!(done.after < done.before);
        let got = done.into_messages();
        prop_assert_eq!(validate(&got), vec![]);
        prop_assert!(tokens(&got) < tokens(&list));
        let summary = read_summary(&SummaryReply::text(answer.as_str())).unwrap();
        if !summary.is_doubtful(&counter) {
            prop_assert!(counter.text(&summary.text) >= TRUSTED_TOKENS);
            return Ok(());
        }
        // M: the person's last message.
        let person = |m: &&Message| m.role == compact_sm::Role::User && m.origin == Origin::Said && m.has_text();
        let said = texts(&got);
        if let Some(last) = list.iter().rev().find(person) {
            for text in last.texts().filter(|text| !text.trim().is_empty()) {
                prop_assert!(said.contains(&text));
            }
        }
        // An earlier summary.
        if scale % 4 == 0 {
            prop_assert!(said.iter().any(|text| text.contains("earlier: vault 7")));
        }
        // K: the end of the list, as far as it has room.
        let tail = &got[head + 1..];
        let plain = |m: &Message| (m.role, m.content.clone());
        prop_assert!(kept <= list.len());
        prop_assert!(tail.iter().map(plain).eq(list[list.len() - kept..].iter().map(plain)));
        let start = usize::from(scale % 4 == 0).max(head);
        let replaced = tokens(&list[start..list.len() - kept]);
        if summary.form == SummaryForm::Asked && replaced < TAIL_FROM_TOKENS {
            return Ok(());
        }
        let texts_kept = tail.iter().filter(|m| m.has_text()).count();
        if tokens(tail) >= KEEP_MIN_TOKENS && texts_kept >= KEEP_MIN_TEXT_MESSAGES {
            return Ok(());
        }
        // One round more, and it would have more than half; the first of the list is always told.
        let room = tokens(&list[start..]) / 2;
        let more = (start + 1..list.len() - kept).rev().find(|at| may_begin(&list, *at));
        if let Some(more) = more {
            prop_assert!(tokens(&list[more..]) > room, "{more}: {kept} of {}", list.len());
        }
    }
}

/// Is no call parted from its result before this message, and no response?
fn may_begin(list: &[Message], at: usize) -> bool {
    let mut calls: Vec<&str> = list[..at].iter().flat_map(Message::calls).collect();
    let results: Vec<&str> = list[..at].iter().flat_map(Message::results).collect();
    calls.retain(|id| !results.contains(id));
    let open_later = calls.iter().any(|id| {
        list[at..]
            .iter()
            .flat_map(Message::results)
            .any(|r| r == *id)
    });
    let is_start = list[at].role == compact_sm::Role::User && list[at].has_text();
    is_start && !open_later
}
