//! The public values as JSON, and receipts back from it.

use std::future::pending;
use std::time::{Duration, SystemTime};

use memdir_recall::{
    Options, Query, Receipt, ScanOptions, SessionBudget, scan, selector_fn, surface,
};
use serde_json::json;

use crate::world::{World, answer, now};

#[test]
fn a_receipt_is_read_back_and_played_again() {
    let world = World::new();
    world.memory("a.md", "feedback", "database tests", "Tests use Postgres.");
    world.memory("b.md", "project", "database notes", "x");
    let recall = world.recall_with(&Options::default().fill(memdir_recall::Fill::Always));
    let selector = selector_fn(|_| answer(r#"["b.md", "ghost.md"]"#));
    let query = Query::new("database tests").recent_tools(["Bash"]);
    let picked = now(recall.pick_with(&query, &selector, pending::<()>()));
    let text = serde_json::to_string(&picked.receipt).unwrap();
    let back: Receipt = serde_json::from_str(&text).unwrap();
    assert_eq!(back, picked.receipt);
    assert_eq!(back.replay(), picked.receipt.picks);
    assert_eq!(back.picks.len(), 2);
    assert_eq!(back.to_string(), picked.receipt.to_string());
}

#[test]
fn times_before_1970_are_written_and_read_back() {
    let world = World::new();
    let epoch = SystemTime::UNIX_EPOCH;
    let times = [
        ("a.md", epoch - Duration::from_millis(1_500)),
        ("b.md", epoch - Duration::from_secs(3)),
        ("c.md", epoch),
        ("d.md", epoch + Duration::new(8_000_000_000, 7)),
    ];
    for (file, time) in times {
        world.memory(file, "user", "database tests", "x");
        let opened = std::fs::File::options().write(true).open(world.path(file));
        opened.unwrap().set_modified(time).unwrap();
    }
    let picked = world.recall().pick(&Query::new("database tests"));
    let text = serde_json::to_string(&picked.receipt).unwrap();
    assert_eq!(
        serde_json::from_str::<Receipt>(&text).unwrap(),
        picked.receipt
    );
    serde_json::to_string(&picked).unwrap();
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    let value = serde_json::to_value(&found).unwrap();
    assert_eq!(
        value["memories"][3]["modified"],
        json!({"secs_since_epoch": -3, "nanos_since_epoch": 0})
    );
    assert_eq!(
        value["memories"][2]["modified"],
        json!({"secs_since_epoch": -2, "nanos_since_epoch": 500_000_000})
    );
    // A time that no system holds is an error, not a panic.
    for seconds in [i64::MIN, i64::MAX] {
        let odd = text.replace(
            "\"secs_since_epoch\":-3",
            &format!("\"secs_since_epoch\":{seconds}"),
        );
        let odd = odd.replace(
            "\"nanos_since_epoch\":0",
            "\"nanos_since_epoch\":4294967295",
        );
        assert_ne!(odd, text);
        let _ = serde_json::from_str::<Receipt>(&odd);
    }
}

#[test]
fn values_serialise() {
    let world = World::new();
    world.memory("a.md", "feedback", "database tests", "x");
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    let value = serde_json::to_value(&found).unwrap();
    assert_eq!(value["memories"][0]["file"], json!("a.md"));
    assert_eq!(value["memories"][0]["header"]["kind"], json!("feedback"));
    let picked = world.recall().pick(&Query::new("database tests"));
    let value = serde_json::to_value(&picked).unwrap();
    assert_eq!(value["memories"][0]["by"], json!("lexical"));
    let mut budget = SessionBudget::new();
    let surfacing = surface(world.dir(), &picked.memories, &mut budget, |_| None);
    let value = serde_json::to_value(&surfacing).unwrap();
    assert_eq!(value["attachments"][0]["file"], json!("a.md"));
    let back: SessionBudget =
        serde_json::from_value(serde_json::to_value(&budget).unwrap()).unwrap();
    assert_eq!(back, budget);
}
