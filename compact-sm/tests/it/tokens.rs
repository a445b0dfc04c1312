//! How many tokens: estimates beside reference counts, corrections, usage.

use compact_sm::{
    Block, Correction, Counter, Estimate, Estimator, IMAGE_TOKENS, MESSAGE_TOKENS, Margin, Message,
    PAGE_TOKENS, Tokenizer, Usage, Used, estimate, used,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world;

const V3: Estimate = Estimate::ByClass(Tokenizer::V3);
const V4_7: Estimate = Estimate::ByClass(Tokenizer::V4_7);

/// Texts of our own, none of which the weights were fitted on, with counts of a reference tokenizer
/// without the frame of a request.
fn samples() -> Vec<(String, String, u64, u64)> {
    let text = include_str!("../fixtures/tokens.json");
    let list: Vec<Value> = serde_json::from_str(text).unwrap();
    let string = |v: &Value, key: &str| v[key].as_str().unwrap().to_owned();
    list.iter()
        .map(|v| {
            let count = |key: &str| v[key].as_u64().unwrap();
            (
                string(v, "name"),
                string(v, "text"),
                count("v3"),
                count("v4_7"),
            )
        })
        .collect()
}

#[test]
fn estimates_are_within_thirty_percent_of_the_reference() {
    let mut far = Vec::new();
    for (name, text, v3, v4_7) in samples() {
        for (how, real) in [(V3, v3), (V4_7, v4_7)] {
            let ratio = estimate(&text, how) as f64 / real as f64;
            if !(0.7..=1.3).contains(&ratio) {
                far.push(format!("{name} {how:?} {ratio:.2}"));
            }
        }
    }
    assert_eq!(far, Vec::<String>::new());
}

#[test]
fn with_its_margin_no_estimate_is_more_than_fifteen_percent_under() {
    for (name, text, v3, v4_7) in samples() {
        for (how, real) in [(V3, v3), (V4_7, v4_7)] {
            let counter = Estimator::new(how);
            let padded = counter.padded(counter.text(&text));
            assert!(padded as f64 >= real as f64 * 0.85, "{name} {how:?}");
        }
    }
}

#[test]
fn bytes_over_four_are_rounded_up() {
    let check = |text: &str, tokens| assert_eq!(estimate(text, Estimate::BytesDiv4), tokens);
    check("", 0);
    check("abcde", 2);
    check("abcd", 1);
    check("中文", 2);
    assert_eq!(estimate("", V3), 0);
    assert_eq!(Estimator::default().text(""), 0);
}

#[test]
fn han_characters_are_about_a_token_each() {
    let han = "上下文压缩会话记忆窗口".repeat(400);
    let count = han.chars().count() as f64;
    for how in [V3, V4_7] {
        let per = estimate(&han, how) as f64 / count;
        assert!((0.6..1.3).contains(&per), "{how:?} {per}");
    }
    // What stands beside them weighs as it does alone.
    let english = "the window is almost full ".repeat(150);
    let both = estimate(&format!("{han}{english}"), V4_7);
    let apart = estimate(&han, V4_7) + estimate(&english, V4_7);
    assert!(both.abs_diff(apart) <= 2);
}

#[test]
fn newer_models_take_more() {
    for (name, text, ..) in samples() {
        assert!(
            estimate(&text, V4_7) * 20 >= estimate(&text, V3) * 19,
            "{name}"
        );
    }
    assert_eq!(Estimate::default(), V4_7);
}

#[test]
fn images_documents_calls_and_tools_have_their_charges() {
    let counter = Estimator::new(V3);
    let of = |block: Block| counter.message(&Message::user([block])) - MESSAGE_TOKENS;
    let huge = "A".repeat(4_000_000);
    assert_eq!(of(Block::image("image/png", huge.clone())), IMAGE_TOKENS);
    assert_eq!(
        of(Block::document("application/pdf", "JVBERi0=")),
        PAGE_TOKENS
    );
    let pages = of(Block::document("application/pdf", huge));
    assert_eq!(pages, PAGE_TOKENS * 74);
    let text = json!({"type": "text", "media_type": "text/plain", "data": "one two three"});
    let plain: Block = serde_json::from_value(json!({"type": "document", "source": text})).unwrap();
    assert_eq!(of(plain), counter.text("one two three"));
    let call = Block::tool_use("a", "Read", json!({"file_path": "/src/main.rs"}));
    assert_eq!(
        of(call),
        20 + counter.text("Read") + counter.text(r#"{"file_path":"/src/main.rs"}"#)
    );
    let nested = Block::tool_result("a", vec![Block::text("ok"), Block::image("image/png", "x")]);
    assert_eq!(of(nested), 20 + counter.text("ok") + IMAGE_TOKENS);
    assert_eq!(counter.tools(&[]), 0);
    let tool =
        json!({"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}});
    assert!(counter.tools(std::slice::from_ref(&tool)) > 346);
    assert!(counter.tools(&[tool.clone(), tool.clone()]) > counter.tools(&[tool]) + 20);
}

#[test]
fn the_last_reported_usage_is_the_base_and_only_the_rest_is_estimated() {
    let counter = Estimator::new(Estimate::BytesDiv4).margin(Margin::NONE);
    let usage = Usage::new(1_000, 10).cache_creation(200).cache_read(95_000);
    let list = [
        Message::user(world::words(50_000)),
        Message::assistant("a").usage(Usage::new(1, 1)),
        Message::user("b"),
        Message::assistant("c").usage(usage),
        Message::user("four"),
        Message::assistant("streaming").usage(Usage::default()),
    ];
    let found = used(&list, &counter);
    assert_eq!(found.base, 96_210);
    assert_eq!(found.base_index, Some(3));
    assert_eq!(found.pending, 1 + 3 + 2 * MESSAGE_TOKENS);
    assert_eq!(found.total(), found.base + found.pending);
    let none = used(&list[..1], &counter);
    assert_eq!((none.base, none.base_index), (0, None));
    assert_eq!(none.pending, 50_000 + MESSAGE_TOKENS);
    assert_eq!(used(&[], &counter), Used::default());
    assert_eq!(Used::exact(7).total(), 7);
}

#[test]
fn what_is_pending_gets_the_margin() {
    let list = [Message::user(world::words(9_000 - MESSAGE_TOKENS as usize))];
    let counter = Estimator::new(Estimate::BytesDiv4);
    assert_eq!(used(&list, &counter).pending, 12_000);
}

#[test]
fn a_counter_of_the_host_is_taken_at_its_word() {
    struct Words;
    impl Counter for Words {
        fn text(&self, text: &str) -> u64 {
            text.split_whitespace().count() as u64
        }
    }
    let list = [Message::user("one two three")];
    assert_eq!(used(&list, &Words).pending, 3 + MESSAGE_TOKENS);
    let by_reference: &dyn Counter = &&Words;
    assert_eq!(by_reference.tools(&[]), 0);
}

#[test]
fn margins_below_one_are_none() {
    for factor in [f64::NAN, 0.5, -3.0, 0.999, f64::NEG_INFINITY] {
        assert_eq!(Margin::new(factor), Margin::NONE);
    }
    assert_eq!(Margin::new(2.0).factor(), 2.0);
    assert_eq!(Margin::new(f64::INFINITY).factor(), 10.0);
}

#[test]
fn a_correction_learns_from_real_usage() {
    let mut correction = Correction::default();
    correction.observe(100, 300);
    correction.observe(1_000, 0);
    assert_eq!(correction.factor(), 1.0);
    for _ in 0..20 {
        correction.observe(10_000, 14_000);
    }
    assert!((correction.factor() - 1.4).abs() < 0.01);
    let counter = Estimator::new(Estimate::BytesDiv4).correction(correction);
    assert!((1_395..=1_401).contains(&counter.text(&world::words(1_000))));
    for _ in 0..50 {
        correction.observe(1_000, u64::MAX);
    }
    assert!(correction.factor() <= 2.5);
    assert_eq!(Correction::from_factor(f64::NAN).factor(), 1.0);
    assert_eq!(Correction::from_factor(0.0).factor(), 0.5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn longer_texts_are_never_less(a in "(?s).{0,80}", b in "(?s).{0,80}") {
        for how in [V3, V4_7, Estimate::BytesDiv4] {
            let both = estimate(&format!("{a}{b}"), how);
            prop_assert!(both >= estimate(&a, how));
            prop_assert!(both <= estimate(&a, how) + estimate(&b, how) + 5);
        }
    }

    #[test]
    fn json_weighs_what_its_text_weighs(a in "(?s).{0,40}", n: i64) {
        let value = json!({"a": a, "n": [n, null, true]});
        for how in [V3, V4_7, Estimate::BytesDiv4] {
            let counter = Estimator::new(how);
            prop_assert_eq!(counter.json(&value), counter.text(&value.to_string()));
        }
    }
}
