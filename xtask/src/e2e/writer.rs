//! The other processes of the story: agents that save memories from their own worktree.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use memdir_index::Store;
use memdir_paths::{Settings, SettingsOptions};
use memdir_types::{Audience, Memory, MemoryType};

use super::world::World;
use crate::Result;

/// The hidden command that starts a writer.
pub(crate) const COMMAND: &str = "e2e-writer";

/// How a writer works.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Its half of the sixteen memories of the story.
    Half(usize),
    /// One memory after the other until it is killed.
    UntilKilled,
}

/// Starts another process of this program that saves memories from `cwd`.
pub(super) fn start(world: &World, cwd: &Path, mode: Mode) -> Result<Child> {
    let mode = match mode {
        Mode::Half(half) => half.to_string(),
        Mode::UntilKilled => "until-killed".to_owned(),
    };
    let child = Command::new(std::env::current_exe()?)
        .arg(COMMAND)
        .args([world.home.as_path(), cwd])
        .arg(mode)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    Ok(child)
}

/// A writer process: each line of its output names a file whose save was acknowledged.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let [home, cwd, mode] = args else {
        return Err("a writer needs HOME CWD MODE".into());
    };
    let (home, cwd) = (PathBuf::from(home), PathBuf::from(cwd));
    let env = World::env(&home);
    let settings = Settings::read(&env, &cwd, &SettingsOptions::default());
    let found = memdir_paths::resolve(&env, &settings, &cwd)?;
    let dir = found.dir.ok_or("memory is off")?;
    let store = Store::open(dir.path())?;
    let save = |memory: &Memory| -> Result<()> {
        let cleared = memdir_types::gate(memory, Audience::Private)?;
        let saved = store.save(cleared, None)?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", saved.file)?;
        out.flush()?;
        Ok(())
    };
    match mode.as_str() {
        "until-killed" => {
            for at in 0.. {
                let name = format!("crash {} {at}", std::process::id());
                save(&Memory::new(
                    MemoryType::Project,
                    &name,
                    "saved before a crash",
                    "A fact.\n",
                ))?;
            }
        }
        half => {
            let half: usize = half.parse()?;
            for memory in memories().into_iter().skip(half).step_by(2) {
                save(&memory)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The memories of the story: four of each type, in the words of a small shop's developers.
pub(super) fn memories() -> Vec<Memory> {
    use MemoryType::{Feedback, Project, Reference, User};
    let why = |rule: &str, why: &str, how: &str| {
        format!("{rule}\n\n**Why:** {why}\n**How to apply:** {how}\n")
    };
    let feedback = |rule: &str, reason: &str, how: &str| why(rule, reason, how);
    vec![
        Memory::new(
            User,
            "backend background",
            "ten years of Go, new to front ends",
            "Explain front-end ideas by their counterparts in a Go service.\n",
        ),
        Memory::new(
            Feedback,
            "no mocks in integration tests",
            "integration tests use a real database",
            &feedback(
                "Integration tests talk to a real database.",
                "mocked tests passed while a migration broke production.",
                "start the test database first whenever a test touches storage.",
            ),
        ),
        Memory::new(
            Project,
            "checkout rewrite",
            "the checkout rewrite is driven by compliance",
            &why(
                "The checkout rewrite answers an audit, not technical debt.",
                "the auditors found card data in session logs.",
                "when scope is in doubt, compliance goes before convenience.",
            ),
        ),
        Memory::new(
            Reference,
            "latency board",
            "dashboard the on-call person watches",
            "Request latency: board `api-latency` on the team's metrics server.\n",
        ),
        Memory::new(
            User,
            "reads before merging",
            "wants to read every change before it is merged",
            "Show the difference and wait; never merge on your own.\n",
        ),
        Memory::new(
            Feedback,
            "one pull request",
            "refactorings of the cart come in one piece",
            &feedback(
                "Refactorings of the cart come as one pull request.",
                "splitting the last one was tried, and the single one was the right call.",
                "bundle such changes unless asked to split.",
            ),
        ),
        Memory::new(
            Project,
            "merge freeze",
            "no merges to main from 2026-04-16 on",
            &why(
                "From 2026-04-16 on only fixes are merged.",
                "the mobile team cuts its release branch that day.",
                "mark work that would land after it.",
            ),
        ),
        Memory::new(
            Reference,
            "bug tracker",
            "where bugs of the import pipeline are tracked",
            "Import bugs live in the tracker, project `INGEST`.\n",
        ),
        Memory::new(
            User,
            "时区",
            "works in Shanghai, usually from ten to seven",
            "Suggest times in UTC+8.\n",
        ),
        Memory::new(
            Feedback,
            "short endings",
            "answers end without a summary",
            &feedback(
                "Answers end when the answer is given.",
                "summaries of what was just read cost time.",
                "leave out the closing paragraph.",
            ),
        ),
        Memory::new(
            Project,
            "search owner",
            "search moves to another team in May 2026",
            &why(
                "Search moves to the discovery team on 2026-05-04.",
                "that team runs the ranking service.",
                "ask them before changing the index format.",
            ),
        ),
        Memory::new(
            Reference,
            "design files",
            "where the screens of the shop are drawn",
            "Screens: workspace `shop` in the design tool, page `2026`.\n",
        ),
        Memory::new(
            User,
            "keyboard only",
            "works without a mouse",
            "Give key bindings, not places to click.\n",
        ),
        Memory::new(
            Feedback,
            "names in English",
            "identifiers are English, comments may be Chinese",
            &feedback(
                "Identifiers are English.",
                "half of the team reads no Chinese.",
                "translate names when moving old code.",
            ),
        ),
        Memory::new(
            Project,
            "payment retries",
            "retries of payments wait longer each time",
            &why(
                "Payments are retried with growing pauses.",
                "equal pauses filled the queue on 2026-03-12.",
                "add jitter before adding another retry.",
            ),
        ),
        Memory::new(
            Reference,
            "runbook",
            "what to do when payments fail at night",
            "Runbook: page `payments-night` in the operations wiki.\n",
        ),
    ]
}
