//! What `cargo xtask` says about itself.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failed unwrap is a failed test; runs the commands as a person does"
)]

use std::process::Command;

fn say(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_of_the_list_says_what_it_takes() {
    let list = say(&["help"]);
    let entries = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = entries.filter_map(|line| line.split(' ').next());
    let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.dedup();
    assert!(names.len() > 9, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        for flag in ["--help", "-h"] {
            let about = say(&[name, flag]);
            assert!(about.contains(name), "{name}: {about}");
            assert!(about.lines().count() < 16, "{name}: {about}");
        }
    }
    let bench = say(&["bench", "--help"]);
    assert!(
        bench.contains("--runs") && bench.contains("--data"),
        "{bench}"
    );
    assert!(!bench.contains("tidy"), "{bench}");
}

#[test]
fn the_list_fits_the_terminal_of_its_reader() {
    let list = say(&[]);
    assert_eq!(list, say(&["--help"]));
    assert!(list.lines().all(|line| line.chars().count() <= 100));
}
