//! `xtask e2e`: eight days in the life of an agent's memory, on a real repository.
//!
//! Everything happens in a temporary home. Times are passed in, nothing sleeps. What the crates
//! answer is told; whether it is right is checked on the files themselves.

mod conversation;
mod days;
pub(crate) mod fortnight;
mod instructions;
mod model;
mod modes;
mod recall;
mod report;
mod story;
mod trouble;
pub(crate) mod world;
mod writer;

use std::process::ExitCode;

use crate::Result;

pub(crate) use fortnight::{PART, run_part};
pub(crate) use writer::{COMMAND as WRITER, run as run_writer};

/// What `--only` takes.
const CHAPTERS: [&str; 5] = ["days", "instructions", "recall", "conversation", "weeks"];

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (mut json, mut only, mut page) = (false, None, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => json = true,
            "--only" => only = args.next().map(String::as_str),
            "--report" => page = Some(args.next().ok_or("--report takes a file")?),
            other => {
                let known = "--json, --only CHAPTER and --report FILE";
                return Err(format!("e2e takes {known}, got {other:?}").into());
            }
        }
    }
    if only.is_some_and(|name| !CHAPTERS.contains(&name)) {
        return Err(format!("the chapters are {}", CHAPTERS.join(", ")).into());
    }
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let world = world::World::build()?;
    let mut story = story::Story::new(json);
    if wanted("days") {
        days::tell(&world, &mut story)?;
    }
    if wanted("instructions") {
        instructions::tell(&world, &mut story)?;
    }
    if wanted("recall") {
        recall::tell(&world, &mut story)?;
    }
    if wanted("conversation") {
        conversation::tell(&world, &mut story)?;
    }
    let mut figures = None;
    if wanted("weeks") {
        figures = Some(fortnight::tell(&mut story)?);
    }
    if let Some(page) = page {
        std::fs::write(page, report::page(&story, figures.as_ref()))?;
        if !json {
            say!("\nthe report is in {page}");
        }
    }
    Ok(if story.close(figures.as_ref()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
