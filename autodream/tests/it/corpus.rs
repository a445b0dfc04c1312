//! What a consolidating agent may ask to run, and what it may not, line by line.

use super::shell_world::{ShellWorld, corpus};

#[test]
fn nearly_all_harmless_lines_are_allowed() {
    let world = ShellWorld::new();
    let lines = corpus("benign.jsonl");
    let refused: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let refusal = world.judge(&line.command).err()?;
            Some(format!("{}: {:?}: {refusal}", line.group, line.command))
        })
        .collect();
    let share = 100.0 * (lines.len() - refused.len()) as f64 / lines.len() as f64;
    assert!(lines.len() >= 300);
    assert!(
        refused.is_empty(),
        "{share:.1} % allowed; refused:\n{}",
        refused.join("\n")
    );
}

#[test]
fn no_hostile_line_is_allowed() {
    let world = ShellWorld::new();
    let lines = corpus("hostile.jsonl");
    let allowed: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let script = world.judge(&line.command).ok()?;
            Some(format!(
                "{}: {:?}: {:?}",
                line.group, line.command, script.steps
            ))
        })
        .collect();
    assert!(lines.len() >= 600);
    assert!(allowed.is_empty(), "allowed:\n{}", allowed.join("\n"));
}

#[test]
fn every_refusal_says_why() {
    let world = ShellWorld::new();
    for line in corpus("hostile.jsonl") {
        if let Err(refusal) = world.judge(&line.command) {
            let text = refusal.to_string();
            assert!(text.len() > 10 && !text.ends_with('.'), "{text}");
            assert!(!text.chars().any(char::is_control), "{text:?}");
        }
    }
}
