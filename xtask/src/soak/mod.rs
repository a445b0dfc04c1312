//! `xtask soak`: the runs that are too long for every change.

mod disk;
mod dream;
mod lock;
mod story;

use std::process::{Command, ExitCode};

use crate::{Result, workspace_root};

/// The hidden command that starts a process of a run.
pub(crate) const RACER: &str = "soak-racer";

/// Kills in a run of record, of each kind.
const KILLS: usize = 1_000;
/// Rounds in which all ask for the lock of a consolidation together.
const ROUNDS: usize = 1_000;
/// Processes, and then threads, in each round.
const RACERS: usize = 64;

/// Turns of the small agent.
const TURNS: usize = 10_000;

/// How long the runs are.
struct Length {
    kills: usize,
    rounds: usize,
    racers: usize,
    turns: usize,
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let mut length = Length {
        kills: KILLS,
        rounds: ROUNDS,
        racers: RACERS,
        turns: TURNS,
    };
    let mut only = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || -> Result<usize> {
            let value = args.next().ok_or_else(|| format!("{arg} takes a number"))?;
            Ok(value.parse()?)
        };
        match arg.as_str() {
            "--kills" => length.kills = number()?,
            "--rounds" => length.rounds = number()?,
            "--racers" => length.racers = number()?,
            "--turns" => length.turns = number()?,
            "lock" | "disk" | "dream" | "story" | "writers" => only = Some(arg.as_str()),
            other => {
                let known = "lock, disk, dream, story, writers, --kills N, --rounds N, --racers N and --turns N";
                return Err(format!("soak takes {known}, got {other:?}").into());
            }
        }
    }
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    if wanted("lock") {
        lock::run(&length)?;
    }
    if wanted("dream") {
        dream::run(length.kills)?;
    }
    if wanted("disk") {
        disk::run(length.kills)?;
    }
    if wanted("story") {
        story::run(length.turns)?;
    }
    if wanted("writers") {
        return writers(length.kills);
    }
    Ok(ExitCode::SUCCESS)
}

/// How many of so many processes get the lock of one that died, if they ask together.
pub(crate) fn winners(racers: usize) -> Result<usize> {
    lock::winners(racers)
}

/// A process of a run.
pub(crate) fn run_racer(args: &[String]) -> Result<ExitCode> {
    lock::run_racer(args)
}

fn writers(kills: usize) -> Result<ExitCode> {
    say!("soak: {kills} writers killed at random instants");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(workspace_root())
        .args([
            "test",
            "--quiet",
            "--locked",
            "--package",
            "memdir-index",
            "--test",
            "it",
        ])
        .args([
            "concurrency::writers_killed_at_any_instant",
            "--",
            "--nocapture",
        ])
        .env("MEMDIR_INDEX_KILLS", kills.to_string())
        .status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
