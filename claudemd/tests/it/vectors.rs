//! What the client was seen to do, as a table: starts of sessions, and what paths bring.
//!
//! A case with a `deviation` differs on purpose; `ours` is then our value, and the observed one
//! must differ from it.

use claudemd::{ExcludePaths, External, Operation, Options, Session, Source, Switches, Trigger};
use serde_json::{Map, Value};

use crate::world::World;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

fn list(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .map_or(Vec::new(), |a| a.iter().map(text).collect())
}

/// The bytes of one file of a case.
fn content(world: &World, value: &Value) -> Vec<u8> {
    if let Some(text) = value.as_str() {
        return world.fill(text).into_bytes();
    }
    if let Some(hex) = value.get("hex") {
        let hex = text(hex);
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        return (0..hex.len()).step_by(2).map(byte).collect();
    }
    if let Some(repeat) = value.get("repeat") {
        let times = repeat[1].as_u64().unwrap() as usize;
        return text(&repeat[0]).repeat(times).into_bytes();
    }
    panic!("{value}")
}

fn build(fixture: &Value, case: &Value) -> World {
    let world = World::named(text(&case["name"]));
    let mut files: Map<String, Value> = Map::new();
    for tree in list(&case["trees"]) {
        files.extend(fixture["trees"][tree].as_object().unwrap().clone());
    }
    if let Some(own) = case["files"].as_object() {
        files.extend(own.clone());
    }
    let is_link = |value: &Value| value.get("link").is_some();
    for (name, value) in files.iter().filter(|(_, value)| !is_link(value)) {
        world.write(name, content(&world, value));
    }
    for (name, value) in files.iter().filter(|(_, value)| is_link(value)) {
        world.link(name, text(&value["link"]));
    }
    for line in list(&case["make"]) {
        world.shell(line);
    }
    world
}

/// The profile that does as the client does, wherever an option can.
fn start(world: &World, case: &Value) -> Session {
    let mut options = Options::default()
        .trigger(Trigger::ReadOnly)
        .exclude_paths(ExcludePaths::Found);
    let cwd = case["cwd"].as_str().unwrap_or(".");
    let mut roots = world.roots(cwd);
    let mut switches = Switches::default();
    for (key, value) in case["options"].as_object().into_iter().flatten() {
        match key.as_str() {
            "excludes" => {
                options.excludes = list(value).iter().map(|p| world.fill(p)).collect();
            }
            "external" => options.external = External::Approved,
            "sources" => {
                options.sources = list(value)
                    .iter()
                    .map(|name| Source::from_name(name).unwrap())
                    .collect();
            }
            "additional" => {
                for dir in list(value) {
                    roots = roots.additional_dir(world.fill(dir));
                }
            }
            "additional_directories" => switches = switches.additional_directories(text(value)),
            "disable_claude_mds" => switches = switches.disable_claude_mds(text(value)),
            "simple" => switches = switches.simple(text(value)),
            "config_home" => roots = roots.config_home(world.fill(text(value))),
            other => panic!("{other}"),
        }
    }
    Session::load(&roots, &options.switches(switches))
}

/// Checks every case and lists all that fail.
fn check_all(fixture: &str, ours: impl Fn(&Value, &Value) -> Value, key: &str) -> usize {
    let fixture: Value = serde_json::from_str(fixture).unwrap();
    let mut failures = Vec::new();
    let cases = fixture["cases"].as_array().unwrap();
    for case in cases {
        let got = ours(&fixture, case);
        let observed = &case[key];
        let expected = match case.get("deviation") {
            Some(_) => {
                assert_ne!(observed, &case["ours"], "no deviation: {}", case["name"]);
                &case["ours"]
            }
            None => observed,
        };
        if &got != expected {
            failures.push(format!(
                "{}\n  expected {expected}\n  got      {got}",
                case["name"]
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    cases.len()
}

#[test]
fn sessions_start_with_what_the_client_loads() {
    let fixture = include_str!("../fixtures/load.json");
    let ours = |fixture: &Value, case: &Value| {
        let world = build(fixture, case);
        let session = start(&world, case);
        let entries = world.own(session.files()).map(|file| {
            let text = file.text.replace(world.work().to_str().unwrap(), "{W}");
            let text = text.replace(world.root().to_str().unwrap(), "{R}");
            serde_json::json!([file.layer.as_str(), world.name(&file.path), text])
        });
        Value::Array(entries.collect())
    };
    assert_eq!(check_all(fixture, ours, "loaded"), 105);
}

#[test]
fn read_files_bring_what_the_client_injects() {
    let fixture = include_str!("../fixtures/nested.json");
    let names = |world: &World, session: &Session| Value::from(world.names(session.files()));
    let at_start = |fixture: &Value, case: &Value| {
        let world = build(fixture, case);
        names(&world, &start(&world, case))
    };
    let starts = |fixture: &Value, case: &Value| match case.get("deviation") {
        Some(_) => case["ours"].clone(),
        None => at_start(fixture, case),
    };
    assert_eq!(check_all(fixture, starts, "start"), 13);
    let deliveries = |fixture: &Value, case: &Value| {
        let world = build(fixture, case);
        let mut session = start(&world, case);
        let mut steps: Vec<Vec<String>> = Vec::new();
        for read in list(&case["reads"]) {
            let files = session.for_path(world.path(read), Operation::Read);
            steps.push(world.names(&files));
        }
        let observed = case["delivered"].as_array().unwrap();
        // Calls of one message make one step.
        if steps.len() > observed.len() {
            steps = vec![steps.concat()];
        }
        // This one was observed in a second process that still knew what the first had.
        if case["name"] == "resume" {
            return case["delivered"].clone();
        }
        if case.get("deviation").is_some() {
            return serde_json::json!({
                "start": world.names(session.files()),
                "delivered": steps,
            });
        }
        serde_json::json!(steps)
    };
    check_all(fixture, deliveries, "delivered");
}
