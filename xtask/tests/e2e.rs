//! The story of `cargo xtask e2e`, told to the end by a plain `cargo test`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

use serde_json::Value;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "runs the command as a person does"
)]
fn the_story_goes_as_it_should() {
    // A home that must stay untouched: the story has one of its own.
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["e2e", "--json"])
        .env("HOME", home.path())
        .env("CLAUDE_CONFIG_DIR", home.path().join("config"))
        .env("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
        .output()
        .unwrap();
    let story: Value = serde_json::from_slice(&output.stdout).unwrap();
    let off: Vec<&Value> = story["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| step["ok"] != true)
        .collect();
    assert!(off.is_empty(), "{off:#?}");
    assert!(output.status.success());
    let days: std::collections::BTreeSet<u64> = story["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["day"].as_u64())
        .collect();
    assert_eq!(days, (1..=14).collect());
    assert_eq!(
        std::fs::read_dir(home.path()).unwrap().count(),
        0,
        "the real home was touched"
    );
}
