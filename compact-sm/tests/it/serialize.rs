//! Reports as JSON.

use compact_sm::{
    Breaker, BreakerState, Estimate, Estimator, Flags, FromNotes, Message, Notes, Overrides,
    Policy, Settings, Source, Window, from_notes, validate,
};
use serde_json::json;

use crate::world;

#[test]
fn decisions_and_plans_serialize() {
    let policy = Policy::new(
        &Window::new(200_000, 32_000),
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let counter = Estimator::new(Estimate::BytesDiv4);
    let list = world::tool_loop(100, 1_000);
    let decision = policy.decide(&list, &counter, Source::Main);
    let json = serde_json::to_value(&decision).unwrap();
    assert_eq!(json["verdict"], json!({"wait": "below"}));
    assert_eq!(json["thresholds"]["compact"], 167_000);
    let plan = from_notes(&list, &Notes::new("x"), &FromNotes::default(), &counter).unwrap();
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["kept"]["end"], 201);
    assert_eq!(json["stop"], "minima");
    assert_eq!(json["boundary"]["subtype"], "compact_boundary");
    assert_eq!(json["insert"]["isCompactSummary"], true);
    assert_eq!(json.get("messages"), None);
}

#[test]
fn violations_serialize_with_their_rule() {
    let found = validate(&[Message::assistant("x")]);
    assert_eq!(
        serde_json::to_value(&found).unwrap(),
        json!([{"index": 0, "block": null, "rule": "first_not_user"}])
    );
}

#[test]
fn a_breaker_can_be_stored() {
    let breaker = Breaker::new();
    breaker.begin_manual().unwrap().fail();
    let running = breaker.begin_manual().unwrap();
    let json = serde_json::to_string(&breaker.state()).unwrap();
    let state: BreakerState = serde_json::from_str(&json).unwrap();
    assert_eq!((state.failures, state.running), (1, false));
    running.fail();
}
