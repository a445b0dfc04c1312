//! Every way to compact gives a valid list of any valid one, and failing changes nothing.

use compact_sm::{
    BadSummary, Block, Breaker, Cause, Compact, Estimate, Estimator, Form, HookResult, Hooks,
    Limits, Message, MicroOptions, NotCovered, Notes, Origin, Refused, Restore, Summarized,
    TAIL_FROM_TOKENS, When, WhyNot, compact, files_fn, validate, validate_with,
};
use proptest::prelude::*;

use crate::scripted::{Answer, Scripted, now, says};
use crate::world;

struct Start;

impl Hooks for Start {
    async fn session_start(&self) -> Vec<HookResult> {
        vec![HookResult::new("greet", "it is Monday")]
    }
}

fn cause() -> impl Strategy<Value = Cause<'static>> {
    prop_oneof![
        Just(Cause::manual(None)),
        Just(Cause::manual(Some("keep the names"))),
        Just(Cause::Refused(Refused::default())),
        (1..2_000_u64).prop_map(|over| {
            let text = format!(
                "prompt is too long: {} tokens > 100000 maximum",
                100_000 + over
            );
            Cause::Refused(Refused::read(&text).unwrap())
        }),
        (0..50_usize, 0..50_usize).prop_map(|(a, b)| Cause::partial(a..b, None)),
        (0..50_usize).prop_map(|end| Cause::partial(0..end, None)),
        (0..50_usize).prop_map(|start| Cause::partial(start..usize::MAX, Some("x"))),
    ]
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let answer = prop_oneof![
        3 => Just(says("<summary>short</summary>")),
        1 => Just(says("")),
        1 => Just(says("{}")),
        1 => Just(Answer::TooLong(None)),
        1 => (0..3_000_u64).prop_map(|over| Answer::TooLong(Some(over))),
        1 => Just(Answer::Fails("down")),
        1 => (0..40_000_usize).prop_map(|n| says(&"x".repeat(n))),
    ];
    proptest::collection::vec(answer, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_result_is_valid_and_the_rest_is_word_for_word(
        rounds in world::rounds(), open: bool, boundary: bool, command: bool, text_form: bool,
        cause in cause(), next in cause(), answers in answers(), with_notes: bool, micro: bool, room in 0..9_000_u64,
    ) {
        let mut list = world::conversation(&rounds, open);
        if boundary {
            list.insert(0, Message::user("what was before").origin(Origin::Summary).uuid("old"));
        }
        prop_assume!(validate(&list).is_empty());
        if command && !open {
            list.push(Message::user("/compact SECRET-COMMAND").uuid("command"));
        }
        let before = list.clone();
        let (breaker, counter) = (Breaker::new(), Estimator::new(Estimate::BytesDiv4));
        let notes = Notes::new("# State\nwork goes on\n").summarized(Summarized::Count(list.len() / 2));
        let files = files_fn(|path: &str| Ok(format!("now {path}")));
        let mut how = Compact::new(&breaker, &counter)
            .room(room)
            .files(&files)
            .restore(Restore::default().plan("/plan.md", "steps").skill("s", "do so"))
            .summary_uuid("new")
            .figures(|figures| figures.not_covered(NotCovered::Drop).threshold(1_000_000));
        if text_form {
            how = how.form(Form::Text);
        }
        if with_notes {
            how = how.notes(&notes);
        }
        if micro {
            how = how.micro(When::Budget, MicroOptions::default().protect_tokens(50).keep(1));
        }
        let model = Scripted::new(answers);
        let result = now(compact(&list, &cause, &how, &model, &Start));
        prop_assert_eq!(&list, &before);
        prop_assert!(!breaker.state().running);
        for request in model.seen.lock().unwrap().iter() {
            prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
            prop_assert!(!request.messages_json().to_string().contains("SECRET-COMMAND"));
        }
        let done = match result {
            Ok(done) => done,
            Err(failed) => {
                let is_nothing = matches!(failed.why, WhyNot::TooFewMessages | WhyNot::BadRun | WhyNot::DoesNotShrink { .. })
                    || matches!(&failed.why, WhyNot::BadSummary(BadSummary::NotShorter { before, .. }) if *before < TAIL_FROM_TOKENS);
                let by_hand = !matches!(cause, Cause::Refused(_));
                prop_assert_eq!(breaker.state().failures, u32::from(!(is_nothing && by_hand)));
                return Ok(());
            }
        };
        prop_assert_eq!(breaker.state().failures, 0);
        prop_assert!(micro || done.after < done.before);
        // What stays is as it was, but for what it cost.
        let same = |kept: &Message| list.iter().any(|had| {
            let mut had = had.clone();
            had.usage = None;
            had == *kept
        });
        if done.cleared.is_empty() {
            prop_assert!(done.head.iter().chain(&done.kept).all(same));
        }
        let count = done.len();
        let messages = done.into_messages();
        prop_assert_eq!(messages.len(), count);
        prop_assert_eq!(validate(&messages), vec![]);
        let text = serde_json::to_string(&messages).unwrap();
        prop_assert!(micro || !text.contains("SECRET-COMMAND"));
        // So is what the next one makes of it.
        let (breaker, model) = (Breaker::new(), Scripted::says("shorter"));
        how.breaker = &breaker;
        if let Ok(done) = now(compact(&messages, &next, &how, &model, &Start)) {
            prop_assert_eq!(validate(&done.into_messages()), vec![]);
        }
        for request in model.seen.lock().unwrap().iter() {
            prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
        }
        // A call and its result may be appended, as they are after any list.
        let mut more = messages;
        if validate_with(&more, &Limits::request()).is_empty() {
            more.push(Message::assistant([Block::tool_use("z", "Read", serde_json::json!({}))]));
            more.push(Message::user([Block::tool_result("z", "text")]));
            prop_assert_eq!(validate_with(&more, &Limits::request()), vec![]);
        }
    }
}
