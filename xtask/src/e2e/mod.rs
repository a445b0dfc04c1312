//! `xtask e2e`: eight days in the life of an agent's memory, on a real repository.
//!
//! Everything happens in a temporary home. Times are passed in, nothing sleeps. What the crates
//! answer is told; whether it is right is checked on the files themselves.

mod conversation;
mod days;
mod instructions;
mod model;
mod modes;
mod recall;
mod story;
mod trouble;
mod world;
mod writer;

use std::process::ExitCode;

use crate::Result;

pub(crate) use writer::{COMMAND as WRITER, run as run_writer};

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let json = match args {
        [] => false,
        [flag] if flag == "--json" => true,
        other => return Err(format!("e2e takes only --json, got {other:?}").into()),
    };
    let world = world::World::build()?;
    let mut story = story::Story::new(json);
    days::tell(&world, &mut story)?;
    instructions::tell(&world, &mut story)?;
    recall::tell(&world, &mut story)?;
    conversation::tell(&world, &mut story)?;
    Ok(if story.close() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
