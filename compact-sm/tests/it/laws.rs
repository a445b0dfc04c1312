//! Laws of compaction, over generated conversations.

use std::collections::HashMap;

use compact_sm::{
    Block, Counter, Estimate, Estimator, Fallback, Form, FromNotes, KeepConfig, Message,
    MicroOptions, Notes, Origin, Stop, Summarized, When, from_notes, micro, validate,
};
use proptest::prelude::*;
use std::time::Duration;

use crate::world;

fn config() -> impl Strategy<Value = KeepConfig> {
    (0..3_000_u64, 0..9_usize, 1..6_000_u64).prop_map(|(min, texts, max)| {
        KeepConfig::default()
            .min_tokens(min)
            .min_text_messages(texts)
            .max_tokens(max)
    })
}

fn summarized() -> impl Strategy<Value = Summarized> {
    prop_oneof![
        Just(Summarized::Unknown),
        (0..80_usize).prop_map(Summarized::Count),
        (0..80_usize).prop_map(|at| Summarized::Uuid(format!("uuid-{at}"))),
    ]
}

/// Blocks of each response by its id.
fn responses(messages: &[Message]) -> HashMap<&str, usize> {
    let mut responses = HashMap::new();
    for message in messages {
        if let Some(id) = &message.id {
            *responses.entry(id.as_str()).or_default() += message.content.blocks.len();
        }
    }
    responses
}

/// A conversation that was compacted before, by its half.
fn with_boundary(mut list: Vec<Message>, boundary: bool) -> Vec<Message> {
    if boundary {
        list.insert(
            0,
            Message::user("earlier").origin(Origin::Summary).uuid("old"),
        );
        list.insert(0, Message::user("long ago").uuid("older"));
    }
    list
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_plan_of_a_valid_list_is_valid(
        rounds in world::rounds(), open: bool, boundary: bool, text_form: bool, command: bool,
        config in config(), summarized in summarized(), drops: bool,
    ) {
        let mut list = with_boundary(world::conversation(&rounds, open), boundary);
        if command {
            list.push(Message::user("/compact now"));
        }
        // With open calls before it, the command is not a valid message; it is left out anyway.
        prop_assume!(validate(&list).is_empty() || (command && open));
        let counter = Estimator::new(Estimate::BytesDiv4);
        let mut options = FromNotes::default().keep(config);
        if text_form {
            options = options.form(Form::Text);
        }
        if drops {
            options = options.not_covered(compact_sm::NotCovered::Drop);
        }
        let notes = Notes::new("# State\nwork goes on\n").summarized(summarized.clone());
        let before = list.clone();
        let plan = match from_notes(&list, &notes, &options, &counter) {
            Ok(plan) => plan,
            Err(_) => {
                prop_assert_eq!(list, before);
                return Ok(());
            }
        };
        let (range, stop) = (plan.kept.clone(), plan.stop);
        let done = plan.apply(list).unwrap();
        prop_assert_eq!(validate(&done.messages), vec![]);
        // Whole responses.
        let (old, new) = (responses(&before), responses(&done.messages));
        for (id, blocks) in &new {
            prop_assert_eq!(old.get(id), Some(blocks));
        }
        // At least what was promised …
        let kept = &done.messages[1..];
        let tokens: u64 = kept.iter().map(|m| counter.message(m)).sum();
        let texts = kept.iter().filter(|m| m.has_text()).count();
        let floor = if boundary { 2 } else { 0 };
        let reached = tokens >= config.min_tokens && texts >= config.min_text_messages;
        prop_assert!(range.start >= floor);
        match stop {
            Stop::Minima => prop_assert!(reached),
            Stop::Floor => prop_assert_eq!(range.start, floor),
            stop => prop_assert_eq!(stop, Stop::Maximum),
        }
        // … never more than the maximum, unless one turn alone exceeds it: then no place to cut
        // is left inside.
        if tokens > config.max_tokens {
            for at in 1..kept.len() {
                let shorter = [&[Message::user("notes")], &kept[at..]].concat();
                let whole = responses(&shorter).iter().all(|(id, n)| old.get(id) == Some(n));
                let apart = match (&kept[at - 1].id, &kept[at].id) {
                    (None, None) => kept[at - 1].role != kept[at].role,
                    _ => true,
                };
                prop_assert!(!validate(&shorter).is_empty() || !whole || !apart);
            }
        }
        // What the notes do not cover is there.
        if !drops && let Summarized::Count(count) = summarized {
            prop_assert!(range.start <= count.max(floor));
        }
        // A second time changes nothing.
        let again = notes.summarized(done.summarized.clone());
        let second = from_notes(&done.messages, &again, &options, &counter);
        prop_assert!(matches!(second, Err(Fallback::DoesNotShrink { .. })), "{:?}", second);
    }

    #[test]
    fn clearing_leaves_a_valid_list_valid(rounds in world::rounds(), open: bool, keep in 0..4_usize, budget: bool) {
        let list = world::conversation(&rounds, open);
        let counter = Estimator::new(Estimate::BytesDiv4);
        let options = MicroOptions::default().keep(keep).protect_tokens(50);
        let when = if budget { When::Budget } else { When::Idle(Duration::from_secs(9_999)) };
        let plan = micro(&list, when, &options, &counter);
        let results = |list: &[Message]| list.iter().map(|m| m.results().count()).sum::<usize>();
        let count = results(&list);
        prop_assert!(plan.clear.len() < count.max(1));
        let done = plan.apply(list).unwrap();
        prop_assert_eq!(validate(&done.messages), vec![]);
        prop_assert_eq!(results(&done.messages), count);
        let again = micro(&done.messages, when, &options, &counter);
        prop_assert!(again.clear.iter().all(|c| !done.cleared.contains(c)));
    }

    #[test]
    fn notes_of_any_shape_stay_within_their_budget(
        sections in proptest::collection::vec(("(# )?[A-Z]{1,9}", "[a-z ]{0,30}|```|中文", 0..1_000_usize), 0..14),
    ) {
        let text: String = sections.iter().map(|(head, line, n)| format!("{head}\n{}\n", format!("{line}\n").repeat(*n))).collect();
        let list = world::tool_loop(120, 400);
        let counter = Estimator::new(Estimate::BytesDiv4);
        if let Ok(plan) = from_notes(&list, &Notes::new(format!("{text}x")), &FromNotes::default(), &counter) {
            prop_assert!(counter.message(&plan.insert) < 14_000);
            prop_assert!(plan.cuts.iter().all(|cut| cut.after <= cut.before));
        }
    }
}

#[test]
fn a_conversation_that_goes_on_after_its_compaction_is_valid() {
    let list = world::tool_loop(80, 500);
    let counter = Estimator::default();
    let plan = from_notes(
        &list,
        &Notes::new("fixing"),
        &FromNotes::default(),
        &counter,
    )
    .unwrap();
    let mut messages = plan.apply(list).unwrap().messages;
    let call = Block::tool_use("next", "Bash", serde_json::json!({"command": "ls"}));
    messages.push(Message::assistant([call]));
    messages.push(Message::user([Block::tool_result("next", "ok")]));
    assert_eq!(validate(&messages), []);
}
