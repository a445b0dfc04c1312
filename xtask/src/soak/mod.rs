//! `xtask soak`: the runs that are too long for every change.

use std::process::{Command, ExitCode};

use crate::{Result, workspace_root};

/// Kills in a run of record.
const KILLS: usize = 1_000;

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let kills = match args {
        [] => KILLS,
        [flag, count] if flag == "--kills" => count.parse()?,
        other => return Err(format!("soak takes only --kills N, got {other:?}").into()),
    };
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
