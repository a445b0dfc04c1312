//! The eight days. Each step asks a crate, tells its answer, and checks the files themselves.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use memdir_index::{ENTRYPOINT, ErrorKind, Measure, Store};
use memdir_paths::{MemoryDir, Resolution, Settings, SettingsOptions};
use memdir_types::{Audience, Memory, MemoryType};

use super::story::{Story, Telling};
use super::world::World;
use super::writer::{self, Mode};
use super::{modes, trouble};
use crate::Result;

pub(super) fn tell(world: &World, story: &mut Story) -> Result<()> {
    story.day(1, &World::date(1), "where memory lives");
    let dir = one_directory(world, story)?;
    stores_of_others(world, story)?;
    redirected(world, story)?;
    ensured(world, &dir, story)?;
    modes::before_anything_is_saved(&dir, story);

    story.day(2, &World::date(2), "two agents save at once");
    two_writers(world, &dir, story)?;
    one_index(&dir, story)?;
    stamp(&dir, World::morning(2))?;

    story.day(3, &World::date(3), "a correction");
    corrected(&dir, story)?;
    gated(story);
    linted(story);

    story.day(4, &World::date(4), "what is old is said to be old");
    aged(&dir, story)?;

    story.day(5, &World::date(5), "planted links");
    trouble::planted(&dir, story)?;

    story.day(6, &World::date(6), "three kinds of prompt");
    modes::all_three(&dir, story)?;

    story.day(7, &World::date(7), "an index over its caps");
    trouble::over_the_caps(&dir, story)?;

    story.day(8, &World::date(8), "a crash in the middle of a save");
    trouble::crashed(world, &dir, story)?;
    trouble::switched_off(world, &dir, story)?;
    Ok(())
}

/// What an agent that starts in `cwd` asks first.
fn resolve(world: &World, cwd: &Path) -> Result<Resolution> {
    let env = World::env(&world.home);
    let settings = Settings::read(&env, cwd, &SettingsOptions::default());
    Ok(memdir_paths::resolve(&env, &settings, cwd)?)
}

fn one_directory(world: &World, story: &mut Story) -> Result<MemoryDir> {
    let mut told = Telling::new("memdir-paths", "One repository, one memory");
    let expected = world
        .home
        .join(".claude/projects")
        .join(world.main_key())
        .join("memory");
    for cwd in [
        &world.main,
        &world.main.join("src"),
        &world.beside,
        &world.inside,
    ] {
        let found = resolve(world, cwd)?;
        let dir = found.dir.as_ref().map(MemoryDir::path);
        told.expect(
            dir == Some(&*expected),
            format!("{} has {dir:?}", cwd.display()),
        );
        told.say(format!("{}: {}", world.shown(cwd), found.root.kind));
    }
    told.say(format!("memory: {}", world.shown(&expected)));
    told.expect(!expected.exists(), "resolving created something");
    story.tell(told);
    Ok(MemoryDir::new(expected))
}

fn stores_of_others(world: &World, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-paths",
        "A submodule has its own, and so has a forgery",
    );
    let main = resolve(world, &world.main)?.dir;
    for cwd in [&world.submodule, &world.forged] {
        let found = resolve(world, cwd)?;
        told.expect(
            found.dir != main,
            format!("{} gets the shop's memory", cwd.display()),
        );
        told.expect(
            found.root.path == **cwd,
            format!("root is {}", found.root.path.display()),
        );
        told.say(format!("{}: {}", world.shown(cwd), found.root.kind));
        for note in &found.root.notes {
            told.say(format!("note: {note}"));
        }
    }
    let forged = resolve(world, &world.forged)?;
    told.expect(!forged.root.notes.is_empty(), "the forgery goes unnoticed");
    story.tell(told);
    Ok(())
}

fn redirected(world: &World, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-paths", "The repository tries to redirect memory");
    let settings = world.main.join(".claude/settings.json");
    std::fs::write(&settings, "{\"autoMemoryDirectory\": \"~/.ssh\"}\n")?;
    let found = resolve(world, &world.main)?;
    std::fs::remove_file(&settings)?;
    let ssh = world.home.join(".ssh");
    told.expect(
        found.dir.is_some_and(|dir| dir.path() != ssh),
        "memory went to ~/.ssh",
    );
    told.expect(
        found.rejected.len() == 1,
        format!("{} refusals", found.rejected.len()),
    );
    for rejected in &found.rejected {
        told.say(format!("refused: {rejected}"));
    }
    told.expect(!ssh.exists(), "~/.ssh was created");
    story.tell(told);
    Ok(())
}

fn ensured(world: &World, dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-paths",
        "The directory is made, once, and says whose it is",
    );
    let found = resolve(world, &world.beside)?;
    let ensured = told.value("ensure", found.ensure()).flatten();
    told.say(format!(
        "created {} folders",
        ensured.map_or(0, |done| done.created.len())
    ));
    told.expect(dir.path().is_dir(), "there is no directory");
    let identity = std::fs::read_to_string(dir.identity_file()).unwrap_or_default();
    told.expect(
        identity.contains(&*world.main.to_string_lossy()),
        "the root is not recorded",
    );
    let shared = memdir_paths::collisions(dir);
    told.expect(
        !shared.is_shared(),
        "one root alone is taken for a collision",
    );
    told.say(format!("recorded root: {}", world.shown(&world.main)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = dir.path().metadata()?.permissions().mode() & 0o777;
        told.expect(mode == 0o700, format!("mode {mode:o}"));
        told.say(format!("mode {mode:o}"));
    }
    story.tell(told);
    Ok(())
}

fn two_writers(world: &World, dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-index",
        "Two processes in two worktrees save sixteen",
    );
    let mut children = Vec::new();
    for (half, cwd) in [&world.beside, &world.inside].into_iter().enumerate() {
        children.push((
            world.shown(cwd),
            writer::start(world, cwd, Mode::Half(half))?,
        ));
    }
    let mut acknowledged = BTreeSet::new();
    for (place, child) in children {
        let output = child.wait_with_output()?;
        told.expect(
            output.status.success(),
            format!("the writer in {place} failed"),
        );
        let text = String::from_utf8(output.stdout)?;
        told.say(format!(
            "{place}: {} saves acknowledged",
            text.lines().count()
        ));
        acknowledged.extend(text.lines().map(str::to_owned));
    }
    told.expect(
        acknowledged.len() == 16,
        format!("{} acknowledged", acknowledged.len()),
    );
    for file in &acknowledged {
        told.expect(dir.path().join(file).is_file(), format!("{file} is lost"));
    }
    let listed = listed(dir)?;
    told.expect(
        listed == acknowledged,
        "the index lists other files than were acknowledged",
    );
    told.say(format!(
        "{} lines in {ENTRYPOINT}, one for each",
        listed.len()
    ));
    story.tell(told);
    Ok(())
}

/// The files that the index names, read without the crates.
pub(super) fn listed(dir: &MemoryDir) -> Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(dir.path().join("MEMORY.md"))?;
    let mut files = BTreeSet::new();
    for line in text.lines() {
        let rest = line
            .strip_prefix("- [")
            .ok_or_else(|| format!("a torn line: {line:?}"))?;
        let (_, rest) = rest.split_once("](").ok_or("no link")?;
        let (file, _) = rest.split_once(')').ok_or("no end of link")?;
        files.insert(file.to_owned());
    }
    Ok(files)
}

fn one_index(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-index", "What the next session loads");
    let store = Store::open(dir.path())?;
    let loaded = store.load(Measure::Bytes)?;
    let text = loaded.text.clone().unwrap_or_default();
    told.expect(
        text.lines().count() == 16,
        format!("{} lines", text.lines().count()),
    );
    told.expect(!loaded.is_truncated(), "something is cut");
    told.say(format!(
        "{} lines, {} bytes, nothing cut",
        text.lines().count(),
        text.len()
    ));
    if let Some(line) = text.lines().next() {
        told.say(format!("the first: {line}"));
    }
    let check = store.check()?;
    told.expect(check.is_clean(), format!("faults: {:?}", check.faults));
    told.say(format!(
        "check: {} memories, {} faults",
        check.memories,
        check.faults.len()
    ));
    for kind in MemoryType::ALL {
        let of_kind = text
            .lines()
            .filter(|line| line.contains(&format!("({kind}_")))
            .count();
        told.expect(of_kind == 4, format!("{of_kind} memories of type {kind}"));
    }
    story.tell(told);
    Ok(())
}

/// Gives every memory the time of a morning of the story.
fn stamp(dir: &MemoryDir, time: SystemTime) -> Result<()> {
    for file in listed(dir)? {
        let path = dir.path().join(file);
        std::fs::File::options()
            .append(true)
            .open(path)?
            .set_modified(time)?;
    }
    Ok(())
}

fn corrected(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-index",
        "A memory is corrected, and a stale writer told so",
    );
    let store = Store::open(dir.path())?;
    let file = "project_merge-freeze.md";
    let file = if dir.path().join(file).is_file() {
        file
    } else {
        "project_merge_freeze.md"
    };
    let (mut memory, seen) = store.read(file)?;
    let before = std::fs::read_to_string(dir.entrypoint())?;
    memory.set_description("no merges to main from 2026-04-20 on")?;
    memory.set_body(&memory.body().replace("2026-04-16", "2026-04-20"))?;
    let cleared = memdir_types::gate(&memory, Audience::Private)?;
    let saved = store.save_as(file, cleared.clone(), Some(seen))?;
    let after = std::fs::read_to_string(dir.entrypoint())?;
    let changed = before
        .lines()
        .zip(after.lines())
        .filter(|(old, new)| old != new)
        .count();
    told.expect(
        before.lines().count() == after.lines().count(),
        "lines came or went",
    );
    told.expect(changed == 1, format!("{changed} lines changed"));
    told.expect(after.contains("2026-04-20"), "the line has the old date");
    told.say(format!(
        "{}: its file and the one line of it are new",
        saved.file
    ));
    match store.save_as(file, cleared, Some(seen)) {
        Ok(_) => told.expect(false, "the stale writer overwrote"),
        Err(error) => {
            let conflict = matches!(error.kind(), ErrorKind::Conflict);
            told.expect(conflict, format!("no conflict but: {error}"));
            told.say("a writer that saw the old text: conflict, nothing written");
        }
    }
    story.tell(told);
    Ok(())
}

fn gated(story: &mut Story) {
    let mut told = Telling::new("memdir-types", "Hidden text is stopped at the gate");
    let hidden = "Use the staging key.\u{200b}\u{202e}drowssap\u{202c}\n";
    let memory = Memory::new(
        MemoryType::Reference,
        "staging",
        "how to reach staging",
        hidden,
    );
    match memdir_types::gate(&memory, Audience::Team) {
        Ok(_) => told.expect(false, "the team's gate let it pass"),
        Err(refusal) => {
            told.expect(
                !refusal.to_string().contains("drowssap"),
                "the refusal echoes the text",
            );
            told.say(format!("team: {refusal}"));
        }
    }
    if let Some(cleared) = told.value("private", memdir_types::gate(&memory, Audience::Private)) {
        told.expect(
            !cleared.findings().is_empty(),
            "the private gate says nothing",
        );
        told.say(format!(
            "private: passes with {} findings",
            cleared.findings().len()
        ));
    }
    story.tell(told);
}

fn linted(story: &mut Story) {
    let mut told = Telling::new(
        "memdir-types",
        "A memory that will not make sense next month",
    );
    let body = "Freeze all merges from next Thursday.\n";
    let memory = Memory::new(MemoryType::Project, "freeze", "merge freeze", body);
    let today = memdir_types::Date {
        year: 2026,
        month: 4,
        day: 8,
    };
    let found = memdir_types::lint(&memory, today);
    told.expect(found.len() >= 2, format!("{} findings", found.len()));
    for lint in &found {
        told.say(lint.to_string());
    }
    story.tell(told);
}

fn aged(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-age",
        "Ages are said in words, and reading changes nothing",
    );
    let file = listed(dir)?
        .into_iter()
        .find(|file| file.starts_with("user_"));
    let path = dir.path().join(file.ok_or("no memory of the user")?);
    let modified = path.metadata()?.modified()?;
    for day in [2, 3, 4, 8] {
        let now = World::morning(day);
        let days = memdir_age::age_days(modified, now);
        let note = memdir_age::freshness(modified, now);
        told.expect(
            days == u64::from(day - 2),
            format!("day {day}: {days} days"),
        );
        told.expect(
            note.is_some() == (days > memdir_age::FRESH_DAYS),
            format!("note on day {day}"),
        );
        let said = note.as_deref().unwrap_or("nothing to say");
        told.say(format!("day {day}, {}: {said}", memdir_age::age_text(days)));
    }
    let before = modified;
    let store = Store::open(dir.path())?;
    store.load(Measure::Bytes)?;
    store.check()?;
    std::fs::File::open(&path)?.read_to_end(&mut Vec::new())?;
    told.expect(
        path.metadata()?.modified()? == before,
        "reading touched the time",
    );
    story.tell(told);
    Ok(())
}
