//! The rules of `cargo xtask tidy`, run by a plain `cargo test`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "runs the command as a person does"
)]
fn the_repository_is_tidy() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("tidy")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "\n{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
