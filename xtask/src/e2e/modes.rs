//! The prompt of the story's agent, in its three modes.

use memdir_index::{
    DailyLog, Flags, LoadOptions, MemoryPrompt, Mode, Store, TeamMemory, Time, load_memory_prompt,
};
use memdir_paths::{Date, MemoryDir, Resolution, TeamLayout};
use memdir_types::{Audience, Memory, MemoryType};

use super::story::{Story, Telling};
use crate::Result;

pub(super) fn before_anything_is_saved(dir: &MemoryDir, story: &mut Story) {
    let mut told = Telling::new("memdir-index", "The first prompt of the project");
    if let Some(found) = load_memory_prompt(Some(dir), &LoadOptions::default()) {
        told.expect(found.mode == Mode::Standard, format!("{:?}", found.mode));
        names(&mut told, &found, dir);
        told.expect(
            found.indexes.is_empty(),
            "there is an index before the first memory",
        );
        told.say(format!(
            "instructions: {} bytes, names the directory",
            found.instructions.len()
        ));
        for skipped in &found.skipped {
            told.say(format!("no index text: {}", skipped.reason));
        }
    } else {
        told.expect(false, "there is no prompt");
    }
    story.tell(told);
}

/// The directory that the prompt names is the very one that was made.
fn names(told: &mut Telling, found: &MemoryPrompt, dir: &MemoryDir) {
    let path = dir.path().to_string_lossy();
    told.expect(
        found.instructions.contains(&*path),
        format!("the prompt does not name {path}"),
    );
}

pub(super) fn all_three(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    standard(dir, story)?;
    team(dir, story)?;
    daily_log(dir, story)
}

fn standard(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-index",
        "Standard: instructions apart from the index",
    );
    let options = LoadOptions::default();
    let first = load_memory_prompt(Some(dir), &options).ok_or("no prompt")?;
    told.expect(first.mode == Mode::Standard, format!("{:?}", first.mode));
    names(&mut told, &first, dir);
    told.expect(
        first.indexes.len() == 1,
        format!("{} indexes", first.indexes.len()),
    );
    let store = Store::open(dir.path())?;
    let memory = Memory::new(
        MemoryType::User,
        "coffee",
        "drinks tea",
        "Tea, no coffee.\n",
    );
    let saved = store.save(memdir_types::gate(&memory, Audience::Private)?, None)?;
    let second = load_memory_prompt(Some(dir), &options).ok_or("no prompt")?;
    told.expect(
        first.instructions == second.instructions,
        "a save changed the instructions",
    );
    told.expect(
        first.indexes != second.indexes,
        "a save did not reach the index text",
    );
    told.expect(
        !second.instructions.contains("drinks tea"),
        "the index is in the instructions",
    );
    store.remove(&saved.file, Some(saved.fingerprint))?;
    told.say(format!(
        "instructions: {} bytes, the same before and after a save; index text: {} bytes",
        first.instructions.len(),
        first
            .indexes
            .iter()
            .map(|index| index.text.len())
            .sum::<usize>()
    ));
    story.tell(told);
    Ok(())
}

fn team(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-index", "Team: a private and a shared directory");
    let shared = dir.team(TeamLayout::Inside);
    shared.ensure(None)?;
    let store = Store::open(shared.path())?;
    let memory = Memory::new(
        MemoryType::Reference,
        "release calendar",
        "where releases are planned",
        "The release calendar is board `releases` in the tracker.\n",
    );
    let saved = store.save(memdir_types::gate(&memory, Audience::Team)?, None)?;
    told.say(format!("shared: {}", saved.file));
    let options = LoadOptions::default()
        .flags(Flags::default().team(true))
        .team(TeamMemory::Enabled(TeamLayout::Inside));
    let found = load_memory_prompt(Some(dir), &options).ok_or("no prompt")?;
    told.expect(found.mode == Mode::Team, format!("{:?}", found.mode));
    names(&mut told, &found, dir);
    names(&mut told, &found, &shared);
    told.expect(
        found.indexes.len() == 2,
        format!("{} indexes", found.indexes.len()),
    );
    let wrapped = found
        .indexes
        .last()
        .is_some_and(|index| index.text.contains("<team-memory-"));
    told.expect(wrapped, "the team's index has no tag of its own");
    told.say(format!(
        "instructions: {} bytes; {} indexes for the context",
        found.instructions.len(),
        found.indexes.len()
    ));
    story.tell(told);
    Ok(())
}

fn daily_log(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-index",
        "Daily log: a pattern in the prompt, two days",
    );
    let options = LoadOptions::default()
        .flags(Flags::default().daily_log(true))
        .daily_log(DailyLog::Active);
    let found = load_memory_prompt(Some(dir), &options).ok_or("no prompt")?;
    told.expect(found.mode == Mode::DailyLog, format!("{:?}", found.mode));
    let pattern = dir.daily_log_pattern();
    told.expect(
        found.instructions.contains(&pattern),
        "the prompt has no pattern",
    );
    told.expect(
        !found.instructions.contains("2026-"),
        "the prompt has a date",
    );
    told.say("the prompt names logs/YYYY/MM/YYYY-MM-DD.md");
    let store = Store::open(dir.path())?;
    for (day, hour, minute, text) in [
        (11, 23, 50, "started the import"),
        (12, 0, 10, "the import is done"),
    ] {
        let date = Date {
            year: 2026,
            month: 4,
            day,
        };
        let time = Time::new(hour, minute).ok_or("no such time")?;
        let line = memdir_types::gate_text(text, Audience::Private)?;
        let path = store.append_log(date, time, line)?;
        told.expect(
            path == dir.daily_log(date),
            format!("written to {}", path.display()),
        );
        let written = std::fs::read_to_string(&path)?;
        let expected = format!("- {hour:02}:{minute:02} {text}\n");
        told.expect(written == expected, format!("the log says {written:?}"));
        told.say(format!("{date}: {}", written.trim_end()));
    }
    told.expect(
        store.check()?.is_clean(),
        "logs or the team are taken for memories",
    );
    story.tell(told);
    Ok(())
}

/// Memory that is off leaves no prompt.
pub(super) fn nothing_when_off(found: &Resolution) -> bool {
    let options = LoadOptions::default().index_text(found.index_text);
    load_memory_prompt(found.dir.as_ref(), &options).is_none()
}
