//! A command line: what is understood reads the same to two other shells, and what is allowed
//! changes nothing when it runs, and shows no secret.
#![no_main]

mod brush;
#[path = "../../../autodream/tests/it/shell_run.rs"]
#[allow(dead_code)]
mod shell_run;
#[path = "../../../autodream/tests/it/shell_world.rs"]
#[allow(dead_code)]
mod shell_world;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use shell_world::ShellWorld;

static WORLD: LazyLock<(ShellWorld, BTreeMap<String, shell_run::Entry>)> = LazyLock::new(|| {
    let world = ShellWorld::new();
    let before = shell_run::tree(&world.home);
    (world, before)
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (world, before) = &*WORLD;
    let line = world.line(&text);
    let Ok(parsed) = autodream::parse_shell(&line) else {
        return;
    };
    let ours: brush::Calls = parsed
        .steps
        .iter()
        .flat_map(|step| &step.pipeline)
        .map(|call| (call.argv.clone(), call.redirections.len()))
        .collect();
    assert_eq!(brush::calls(&line), Ok(ours), "{line:?}");

    let Ok(script) = world.judge(&text) else {
        return;
    };
    let status = Command::new("bash")
        .args(["--norc", "-n", "-c", &line])
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{line:?}");
    let shown = shell_run::run(&script);
    assert!(!shown.text.contains("SECRET"), "{line:?}: {}", shown.text);
    assert!(shell_run::tree(&world.home) == *before, "{line:?}");
});
