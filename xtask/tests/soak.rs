//! The long runs, in a short form.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "runs the command as a person does"
)]
fn one_of_many_gets_the_lock_and_a_killed_holder_leaves_no_trace() {
    let run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args([
            "soak", "lock", "--racers", "16", "--rounds", "25", "--kills", "60",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(
        run.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    for line in [
        "25 rounds of 16 processes, one winner each",
        "25 rounds of 16 threads, one winner each",
        "60 holders killed",
    ] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "runs the command as a person does"
)]
fn a_killed_consolidation_is_as_before_or_as_after_and_loses_no_save() {
    let run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["soak", "dream", "--kills", "50"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(
        run.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(
        said.matches("25 consolidations killed").count(),
        2,
        "{said}"
    );
}
