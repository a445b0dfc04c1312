//! The dreams of the second week: one that tries to escape and is stopped, one that puts a cluttered
//! memory in order, what the report and the undo make of it, and one whose process dies.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use autodream::{DreamOutcome, Report, TaskHandle};
use memdir_paths::MemoryDir;
use serde_json::{Value, json};

use super::brain::{Step, dream_answers};
use super::week::memory;
use super::{Fortnight, at};
use crate::Result;
use crate::agent::{Agent, Asleep, Host, Purpose};
use crate::check;
use crate::e2e::story::{Story, Telling};
use crate::e2e::world::World;
use crate::server::{Action, Answer};

pub(super) fn tell(it: &Fortnight, story: &mut Story) -> Result<Option<Report>> {
    story.day(11, &World::date(11), "a dream");
    clutter(it)?;
    stopped(it, story)?;
    let report = succeeds(it, story)?;
    story.day(
        12,
        &World::date(12),
        "the process dies in the middle of a dream",
    );
    dies(it, story)?;
    distils(it, story)?;
    Ok(report)
}

/// Contradictions, a relative date, a memory that no line lists, and an index that is too long.
fn clutter(it: &Fortnight) -> Result<()> {
    let put = |file: &str, text: String, day: u32| -> Result<()> {
        let path = it.memory.join(file);
        std::fs::write(&path, text)?;
        let file = std::fs::File::options().write(true).open(&path)?;
        file.set_modified(at(day, 0))?;
        Ok(())
    };
    let port = |name: &str, port: u32| {
        let body = format!("The database of the tests listens on {port}.");
        memory(
            name,
            "project",
            "where the tests find their database",
            &body,
        )
    };
    put("project_test_database.md", port("test database", 5432), 2)?;
    put(
        "project_database_of_the_tests.md",
        port("database of the tests", 5433),
        9,
    )?;
    let audit = memory(
        "audit",
        "project",
        "when the auditors come",
        "The audit is next Friday.\n\n**Why:** card data was found in logs.\n**How to apply:** no risky merges before it.",
    );
    put("project_audit.md", audit, 7)?;
    let orphan = memory(
        "style guide",
        "reference",
        "where the style guide is",
        "The style guide is page `style` of the team's wiki.",
    );
    put("reference_style_guide.md", orphan, 3)?;
    let index = it.memory.join("MEMORY.md");
    let mut text = std::fs::read_to_string(&index)?;
    for (title, file) in [
        ("test database", "project_test_database.md"),
        ("database of the tests", "project_database_of_the_tests.md"),
        ("audit", "project_audit.md"),
    ] {
        text.push_str(&format!("- [{title}]({file}) — see there\n"));
    }
    for n in 0..200 {
        text.push_str(&format!(
            "- [gone {n}](gone_{n}.md) — a memory that somebody deleted by hand\n"
        ));
    }
    std::fs::write(index, text)?;
    Ok(())
}

fn call(id: usize, name: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": format!("dream_{id}"), "name": name, "input": input })
}

fn calls(blocks: Vec<Value>) -> Action {
    Action::Answer(Answer {
        blocks,
        stop_reason: "tool_use",
    })
}

/// Twelve ways out of the directory.
fn escapes(directory: &str, original: &Path, project: &Path) -> Vec<Value> {
    let original = original.display();
    let project = project.display();
    let write = |path: String| ("Write", json!({ "file_path": path, "content": "out\n" }));
    let bash = |command: String| ("Bash", json!({ "command": command }));
    let tries = [
        write(format!("{directory}/../escaped.md")),
        write(format!("{directory}/sub/../../escaped.md")),
        write(format!("{original}/escaped.md")),
        write(format!("{project}/CLAUDE.md")),
        write("/tmp/escaped.md".to_owned()),
        write(format!("{directory}/.hidden.md")),
        write(format!("{directory}/run.sh")),
        bash(format!("rm -r {original}")),
        bash(format!("echo out > {original}/escaped.md")),
        bash("cat /etc/passwd".to_owned()),
        bash(format!("find {project} -name '*.md' -delete")),
        ("Task", json!({ "prompt": "do it for me" })),
    ];
    tries
        .into_iter()
        .enumerate()
        .map(|(n, (name, input))| call(n + 1, name, input))
        .collect()
}

fn read_index(directory: &str) -> Action {
    let path = format!("{directory}/MEMORY.md");
    calls(vec![
        call(0, "Read", json!({ "file_path": path })),
        call(900, "Bash", json!({ "command": format!("ls {directory}") })),
        call(
            901,
            "Grep",
            json!({ "pattern": "5432|5433", "path": directory, "output_mode": "content" }),
        ),
    ])
}

fn stopped(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("autodream", "A dream that tries to get out, and is stopped");
    let (original, project) = (it.memory.clone(), it.world.main.clone());
    it.brain
        .will_dream(move |request, directory| match dream_answers(request) {
            0 => read_index(directory),
            1 => calls(escapes(directory, &original, &project)),
            2 => calls(vec![call(
                100,
                "Edit",
                json!({
                    "file_path": format!("{directory}/project_audit.md"),
                    "old_string": "next Friday", "new_string": "some day",
                }),
            )]),
            _ => Action::Hang,
        });
    let before = check::contents(&it.memory);
    let tree = check::tree(&it.world.main);
    let stamp = lock_time(&it.memory);
    let mut agent = it.session("s16", at(11, 0))?;
    let task = TaskHandle::new();
    agent.watch(&task);
    it.brain.will([Step::say("Good morning.")]);
    let watched = task.clone();
    let person = std::thread::spawn(move || stop_after_three_turns(&watched));
    let turn = it.runtime.block_on(agent.turn("Good morning", at(11, 1)));
    let label = person.join().unwrap_or_default();
    let turn = turn?;
    let end = match &turn.asleep {
        Some(Asleep::Dreamt(end)) => end,
        other => {
            told.expect(false, format!("it did not dream: {other:?}"));
            story.tell(told);
            return Ok(());
        }
    };
    it.gates
        .borrow_mut()
        .turn_ended("s16", at(11, 1), turn.asleep.as_ref());
    told.say(format!("in the status bar: {label}"));
    told.expect(
        matches!(end.outcome, DreamOutcome::Aborted),
        format!("{:?}", end.outcome),
    );
    let refused = refusals(it);
    told.expect(
        refused.len() == 12,
        format!("{} of 12 tries were refused", refused.len()),
    );
    for why in &refused {
        // Where it was does not fit the line; why it was does.
        let why = why.rsplit_once(": ").map_or(why.as_str(), |(_, why)| why);
        told.say(format!("refused: {why}"));
    }
    told.expect(check::contents(&it.memory) == before, "memory changed");
    told.expect(check::tree(&it.world.main) == tree, "the project changed");
    told.expect(!Path::new("/tmp/escaped.md").exists(), "a file escaped");
    told.expect(
        lock_time(&it.memory) == stamp,
        "the time of the last dream changed",
    );
    // In this session the gates stay closed.
    let turn = it.turn(&mut agent, "And now?", [Step::say("Nothing.")], at(11, 30))?;
    if let Some(Asleep::Closed(closed)) = &turn.asleep {
        told.say(format!("in the same session: {closed}"));
    } else {
        told.expect(false, "it dreams on after it was stopped");
    }
    story.tell(told);
    Ok(())
}

/// What a person does who has seen enough: stops the dream, and says what the status bar said.
fn stop_after_three_turns(task: &TaskHandle) -> String {
    let mut label = String::new();
    for _ in 0..5_000 {
        let seen = task.snapshot();
        if seen.turns.len() >= 3 {
            label = seen.label();
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // The fourth answer never comes.
    std::thread::sleep(Duration::from_millis(50));
    task.abort();
    label
}

/// What the tries to get out were answered.
fn refusals(it: &Fortnight) -> Vec<String> {
    let seen = it.server.seen();
    let is_dream =
        |seen: &&crate::server::Seen| seen.body.to_string().contains("# Consolidate the memory");
    let Some(last) = seen.iter().rev().find(is_dream) else {
        return Vec::new();
    };
    let blocks = last.body["messages"].as_array().into_iter().flatten();
    let results = blocks.flat_map(|message| message["content"].as_array().into_iter().flatten());
    results
        .filter(|block| block["type"] == "tool_result" && block["is_error"] == true)
        .map(|block| match block["content"].as_str() {
            Some(text) => text.to_owned(),
            None => block["content"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        })
        .collect()
}

fn lock_time(dir: &Path) -> Option<SystemTime> {
    let meta = std::fs::metadata(dir.join(".consolidate-lock")).ok()?;
    meta.modified().ok()
}

/// What the good dream writes.
fn tidy(directory: &str, index: &str) -> Action {
    let file = |name: &str| format!("{directory}/{name}");
    let kept: Vec<&str> = index
        .lines()
        .filter(|line| !line.contains("](gone_") && !line.contains("project_test_database.md"))
        .collect();
    let style = "- [style guide](reference_style_guide.md) — where the style guide is";
    let index = format!("{}\n{style}\n", kept.join("\n"));
    calls(vec![
        // The older of two memories that contradict each other goes: an empty text.
        call(
            200,
            "Write",
            json!({ "file_path": file("project_test_database.md"), "content": "" }),
        ),
        call(
            201,
            "Edit",
            json!({
                "file_path": file("project_audit.md"),
                "old_string": "next Friday", "new_string": "on 2026-04-17",
            }),
        ),
        call(
            202,
            "Write",
            json!({ "file_path": file("MEMORY.md"), "content": index }),
        ),
    ])
}

fn succeeds(it: &Fortnight, story: &mut Story) -> Result<Option<Report>> {
    let mut told = Telling::new("autodream", "The next session dreams, in a worktree");
    let index = std::fs::read_to_string(it.memory.join("MEMORY.md"))?;
    it.brain
        .will_dream(move |request, directory| match dream_answers(request) {
            0 => read_index(directory),
            1 => tidy(directory, &index),
            _ => Action::text("Two memories became one, a date is absolute, the index is short."),
        });
    let before = check::contents(&it.memory);
    let mut agent = it.session_of(&it.host, "s17", &it.world.beside, at(11, 60))?;
    let task = TaskHandle::new();
    agent.watch(&task);
    let turn = it.turn(
        &mut agent,
        "Good morning",
        [Step::say("Good morning.")],
        at(11, 61),
    )?;
    let report = match turn.asleep {
        Some(Asleep::Dreamt(end)) => match end.outcome {
            DreamOutcome::Improved(report) => report,
            other => {
                told.expect(false, format!("{other:?}"));
                story.tell(told);
                return Ok(None);
            }
        },
        other => {
            told.expect(false, format!("it did not dream: {other:?}"));
            story.tell(told);
            return Ok(None);
        }
    };
    let notice = task.snapshot().notice().unwrap_or_default();
    told.expect(notice.starts_with("Improved "), format!("{notice:?}"));
    told.say(notice);
    let text = report.to_string();
    for line in text.lines().take(12) {
        told.say(line);
    }
    told.say(format!(
        "… and {} more lines",
        text.lines().count().saturating_sub(12)
    ));
    let audit = std::fs::read_to_string(it.memory.join("project_audit.md"))?;
    told.expect(
        audit.contains("on 2026-04-17"),
        "the date is still relative",
    );
    told.expect(
        !it.memory.join("project_test_database.md").exists(),
        "the contradicted memory is still there",
    );
    told.expect(
        lock_time(&it.memory) == Some(at(11, 61)),
        "its time was not kept",
    );
    it.check_disk(&mut told);
    let said = std::fs::read_to_string(agent.record.path())?;
    told.expect(
        !said.contains("# Consolidate"),
        "the dream is in the session's transcript",
    );
    let in_messages = agent
        .messages
        .iter()
        .any(|message| message.to_request().to_string().contains("# Consolidate"));
    told.expect(!in_messages, "the dream is in the conversation");
    undone(it, &before, &report, &mut told)?;
    story.tell(told);
    Ok(Some(report))
}

/// The undo, on a copy of the directory, so that the story goes on with what was dreamt.
fn undone(
    it: &Fortnight,
    before: &std::collections::BTreeMap<String, Vec<u8>>,
    report: &Report,
    told: &mut Telling,
) -> Result<()> {
    let copy = it.world.root().join("copy-of-the-memory");
    check::copy(&it.memory, &copy)?;
    let dir = MemoryDir::new(&copy);
    let undone = told.value("undo", autodream::undo(&dir, &report.run, at(11, 70)));
    if let Some(undone) = undone {
        told.say(format!(
            "undone on a copy: {} restored, {} removed, {} kept",
            undone.restored.len(),
            undone.removed.len(),
            undone.kept.len()
        ));
        let now = check::contents(&copy);
        let other: Vec<&String> = before
            .iter()
            .filter(|(name, bytes)| now.get(*name) != Some(bytes))
            .map(|(name, _)| name)
            .collect();
        told.expect(
            other.is_empty(),
            format!("the undo left {other:?} as they were"),
        );
        told.expect(now.len() == before.len(), "the undo left files behind");
    }
    Ok(())
}

fn dies(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "autodream",
        "Killed while it dreams: as before, or as after",
    );
    let host = Host {
        dreams: false,
        ..it.host.clone()
    };
    for n in 0..5 {
        let mut agent =
            it.session_of(&host, &format!("s18-{n}"), &it.world.main, at(12, 60 + n))?;
        it.turn(
            &mut agent,
            "A short one.",
            [Step::say("Yes.")],
            at(12, 60 + n),
        )?;
    }
    let before = check::contents(&it.memory);
    let stamp = lock_time(&it.memory);
    let note = |n: usize| {
        memory(
            &format!("dream {n}"),
            "project",
            "what a dream wrote",
            &format!("Dream {n}."),
        )
    };
    let files = 12;
    let dreamt = Arc::new(Mutex::new(false));

    // First in the middle of the agent's work: the model hangs.
    let index = std::fs::read_to_string(it.memory.join("MEMORY.md"))?;
    let (writes, done) = (index.clone(), Arc::clone(&dreamt));
    it.brain.will_dream(move |request, directory| match dream_answers(request) {
        0 => {
            let mut text = writes.clone();
            let mut blocks: Vec<Value> = (0..files)
                .map(|n| {
                    let name = format!("project_dream_{n}.md");
                    text.push_str(&format!("- [dream {n}]({name}) — what a dream wrote\n"));
                    let input = json!({ "file_path": format!("{directory}/{name}"), "content": note(n) });
                    call(300 + n, "Write", input)
                })
                .collect();
            let path = format!("{directory}/MEMORY.md");
            blocks.push(call(399, "Write", json!({ "file_path": path, "content": text })));
            calls(blocks)
        }
        _ if *done.lock().unwrap_or_else(|e| e.into_inner()) => Action::text("Done."),
        _ => Action::Hang,
    });
    let asked = it.server.seen().len();
    let mut child = it.part("dream", "s19", at(12, 120))?;
    it.brain.will([Step::say("Good morning.")]);
    let hangs = || {
        it.server.seen()[asked..]
            .iter()
            .any(|seen| seen.status == 0)
    };
    let died = it.kill_when(&mut child, hangs)?;
    told.expect(died, "the process never dreamt");
    told.expect(check::contents(&it.memory) == before, "memory changed");
    let agent = it.session("s20", at(12, 121))?;
    told.expect(
        lock_time(&it.memory) == stamp,
        "the time of the last dream is that of one that died",
    );
    drop(agent);
    told.say("killed while the model works: as before, and the time of the last dream too");

    // Then in the middle of what it writes: some of the files are there.
    if let Ok(mut dreamt) = dreamt.lock() {
        *dreamt = true;
    }
    it.brain.will([Step::say("Good morning.")]);
    let mut child = it.part("dream", "s21", at(12, 180))?;
    let begins = || check::contents(&it.memory).len() > before.len();
    let died = it.kill_when(&mut child, begins)?;
    told.expect(died, "the process never wrote");
    let torn = check::contents(&it.memory).len() - before.len();
    let agent = it.session("s22", at(12, 181))?;
    let after = check::contents(&it.memory);
    let there = after.len() - before.len();
    told.expect(
        there == 0 || there == files,
        format!("{there} of {files} files are there after recovery"),
    );
    told.say(format!(
        "killed with {torn} of {files} files written; after the next start there are {there}"
    ));
    it.check_disk(&mut told);
    drop(agent);
    if lock_time(&it.memory) != stamp {
        it.gates.borrow_mut().consolidated(at(12, 180));
    }
    it.brain.will_dream_of_nothing();
    let share = it.ledger().share(Purpose::Dream).unwrap_or(0);
    told.say(format!("{share} % of what dreams sent came from the cache"));
    story.tell(told);
    Ok(())
}

/// The person asks for it by hand: the log of the seventh day becomes a memory, and stays.
fn distils(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "autodream",
        "The logs are distilled, because the person asks",
    );
    let host = Host {
        daily_log: true,
        ..it.host.clone()
    };
    let log = it.memory.join("logs/2026/04/2026-04-13.md");
    let kept = std::fs::read(&log)?;
    let index = std::fs::read_to_string(it.memory.join("MEMORY.md"))?;
    it.brain.will_dream(move |request, directory| match dream_answers(request) {
        0 => {
            let path = format!("{directory}/logs/2026/04/2026-04-13.md");
            calls(vec![call(0, "Read", json!({ "file_path": path }))])
        }
        1 if request.to_string().contains("it begins at ten") => {
            let name = "project_audit_time.md";
            let text = memory("audit time", "project", "when the audit begins", "It begins at ten.");
            let index = format!("{index}- [audit time]({name}) — when the audit begins\n");
            calls(vec![
                call(1, "Write", json!({ "file_path": format!("{directory}/{name}"), "content": text })),
                call(2, "Write", json!({ "file_path": format!("{directory}/MEMORY.md"), "content": index })),
                // The log is a record: this is not taken over.
                call(3, "Write", json!({
                    "file_path": format!("{directory}/logs/2026/04/2026-04-13.md"), "content": "gone",
                })),
            ])
        }
        _ => Action::text("One line of a log became a memory."),
    });
    let now = at(12, 300);
    let mut agent = it.session_of(&host, "s27", &it.world.main, now)?;
    let turn = it.turn(&mut agent, "A quiet day.", [Step::say("Yes.")], now)?;
    told.expect(
        matches!(&turn.asleep, Some(Asleep::Closed(_))),
        "a session that keeps logs dreamt on its own",
    );
    let end = it.runtime.block_on(agent.distil(now))?;
    match end.map(|end| end.outcome) {
        Some(DreamOutcome::Improved(report)) => {
            for change in &report.changes {
                told.say(format!("{} changed", change.file));
            }
            for kept in &report.kept_back {
                told.say(format!("{}: {}", kept.file, kept.reason));
            }
        }
        other => told.expect(false, format!("{other:?}")),
    }
    told.expect(std::fs::read(&log)? == kept, "the log changed");
    told.expect(
        it.memory.join("project_audit_time.md").exists(),
        "nothing was distilled",
    );
    told.expect(lock_time(&it.memory) == Some(now), "its time was not kept");
    it.gates.borrow_mut().consolidated(now);
    it.brain.will_dream_of_nothing();
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

/// The part of the process that dies in its dream.
pub(super) async fn part(agent: &mut Agent, now: SystemTime) -> Result<()> {
    agent.turn("Good morning", now).await?;
    Ok(())
}
