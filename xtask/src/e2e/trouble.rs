//! The trouble of the second half: planted links, an index over its caps, crashes, a switch.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use memdir_index::{ENTRYPOINT, Fault, MAX_BYTES, MAX_LINES, Measure, NoIndex, Store};
use memdir_paths::{MemoryDir, Settings, SettingsOptions};
use memdir_types::{Audience, Memory, MemoryType};

use super::days::listed;
use super::modes;
use super::story::{Story, Telling};
use super::world::World;
use super::writer::{self, Mode};
use crate::Result;

/// A writer that leaves no trace for so long is killed all the same.
const LONGEST_WATCH: Duration = Duration::from_millis(50);

pub(super) fn planted(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-index", "Links that lead out are refused");
    let outside = dir.path().join("../../secret.txt");
    std::fs::write(&outside, "the secret\n")?;
    let leak = dir.path().join("leak.md");
    std::os::unix::fs::symlink(&outside, &leak)?;
    let store = Store::open(dir.path())?;
    let faults = store.check()?.faults;
    let found = faults
        .iter()
        .any(|fault| matches!(fault, Fault::LeadsOut { .. }));
    told.expect(found, format!("check says {faults:?}"));
    for fault in &faults {
        told.say(format!("check: {fault}"));
    }
    let refused = store.read("leak.md").err().map(|error| error.to_string());
    told.expect(refused.is_some(), "the secret was read");
    let memory = Memory::new(MemoryType::User, "leak", "through a link", "Overwritten.\n");
    let cleared = memdir_types::gate(&memory, Audience::Private)?;
    let written = store.save_as("leak.md", cleared, None).err();
    told.expect(written.is_some(), "a link was written through");
    told.expect(
        std::fs::read_to_string(&outside)? == "the secret\n",
        "the secret was overwritten",
    );
    std::fs::remove_file(&leak)?;

    // A whole index that is a link.
    let other = dir.path().join("../../planted/memory");
    std::fs::create_dir_all(&other)?;
    std::os::unix::fs::symlink(&outside, other.join(ENTRYPOINT))?;
    let loaded = Store::open(other.canonicalize()?)?.load(Measure::Bytes)?;
    told.expect(loaded.text.is_none(), "the secret is in the prompt");
    told.expect(
        loaded.missing == Some(NoIndex::LeadsOut),
        format!("{:?}", loaded.missing),
    );
    if let Some(reason) = loaded.missing {
        told.say(format!("a linked index: {reason}"));
    }
    std::fs::remove_file(&outside)?;
    story.tell(told);
    Ok(())
}

pub(super) fn over_the_caps(dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-index", "Too many lines: what loads, and what to do");
    let saved = std::fs::read(dir.entrypoint())?;
    let mut text = String::from_utf8(saved.clone())?;
    // A person, or another program, wrote two hundred more.
    for at in 0..200 {
        text.push_str(&format!(
            "- [Note {at}](note_{at}.md) — written by hand, {}\n",
            "x".repeat(90)
        ));
    }
    std::fs::write(dir.entrypoint(), &text)?;
    let store = Store::open(dir.path())?;
    let loaded = store.load(Measure::Bytes)?;
    let kept = loaded.text.clone().unwrap_or_default();
    told.expect(
        kept.lines().count() <= MAX_LINES && kept.len() <= MAX_BYTES,
        "over the caps",
    );
    told.expect(
        text.starts_with(&kept),
        "the kept text is not the beginning of the index",
    );
    let lost = text.lines().count() - kept.lines().count();
    told.expect(
        loaded.dropped.len() == lost,
        format!("{} of {lost} told", loaded.dropped.len()),
    );
    told.say(format!(
        "{} of {} lines load",
        kept.lines().count(),
        text.lines().count()
    ));
    if let Some(notice) = &loaded.notice {
        told.say(notice.clone());
    }
    match store.check()?.budget {
        Some(budget) => {
            told.expect(
                budget.not_loading.len() == lost,
                "the advice names other lines",
            );
            let saves: usize = budget.shorten.iter().map(|entry| entry.saves).sum();
            told.say(format!(
                "advice: come down to {} lines; {} lines can be shortened, which saves {saves} bytes",
                budget.target_lines,
                budget.shorten.len()
            ));
        }
        None => told.expect(false, "no advice"),
    }
    std::fs::write(dir.entrypoint(), saved)?;
    story.tell(told);
    Ok(())
}

pub(super) fn crashed(world: &World, dir: &MemoryDir, story: &mut Story) -> Result<()> {
    /// Kills that hit a writer between the beginning and the end of a save.
    const WANTED: usize = 3;
    /// Kills at random moments, most of which hit the middle of a save.
    const MOST: usize = 50;
    let mut told = Telling::new("memdir-index", "Writers are killed in the middle of saving");
    let mut acknowledged = BTreeSet::new();
    let mut completed = Vec::new();
    let (mut kills, mut in_the_middle) = (0, 0);
    while in_the_middle < WANTED && kills < MOST {
        let cwd = if kills % 2 == 0 {
            &world.beside
        } else {
            &world.inside
        };
        acknowledged.extend(killed(world, dir, cwd, kills)?);
        kills += 1;
        in_the_middle += usize::from(!leftovers(dir)?.is_empty());
        // The next agent opens the store, which completes what was left, and looks around.
        let store = Store::open(dir.path())?;
        completed.extend(store.recovered().map(|done| format!("{:?}", done.outcome)));
        let faults: Vec<String> = store
            .check()?
            .faults
            .iter()
            .map(ToString::to_string)
            .collect();
        told.expect(faults.is_empty(), format!("check says {faults:?}"));
        let left = leftovers(dir)?;
        told.expect(left.is_empty(), format!("left behind: {left:?}"));
    }
    told.expect(
        in_the_middle >= WANTED,
        format!("{in_the_middle} kills hit a save"),
    );
    told.say(format!(
        "{kills} kills, {in_the_middle} of them in the middle of a save"
    ));
    if !completed.is_empty() {
        told.say(format!("opening the store again: {}", completed.join(", ")));
    }
    let listed = listed(dir)?;
    let lost: Vec<_> = acknowledged.difference(&listed).collect();
    told.expect(lost.is_empty(), format!("lost from the index: {lost:?}"));
    for file in &listed {
        let whole = std::fs::read_to_string(dir.path().join(file)).unwrap_or_default();
        let torn = file.starts_with("project_crash") && !whole.ends_with("A fact.\n");
        told.expect(
            !torn && !whole.is_empty(),
            format!("{file} is torn or lost"),
        );
    }
    told.say(format!(
        "{} acknowledged saves, {} lost",
        acknowledged.len(),
        lost.len()
    ));
    story.tell(told);
    Ok(())
}

/// Starts a writer, kills it after a few saves, and answers what it had acknowledged.
fn killed(world: &World, dir: &MemoryDir, cwd: &Path, round: usize) -> Result<BTreeSet<String>> {
    let mut child = writer::start(world, cwd, Mode::UntilKilled)?;
    let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut acknowledged = BTreeSet::new();
    let mut line = String::new();
    for _ in 0..1 + round % 3 {
        line.clear();
        out.read_line(&mut line)?;
        acknowledged.insert(line.trim().to_owned());
    }
    // The next save has begun as soon as it leaves a trace; then a moment more, of another length
    // each time.
    let begun = Instant::now();
    while leftovers(dir)?.is_empty() && begun.elapsed() < LONGEST_WATCH {}
    let seen = Instant::now();
    let moment = Duration::from_micros(u64::try_from(round)? * 137 % 900);
    while seen.elapsed() < moment {
        std::hint::spin_loop();
    }
    child.kill()?;
    child.wait()?;
    // What was acknowledged before the kill is in the pipe, though nobody has read it yet.
    let mut rest = String::new();
    out.read_to_string(&mut rest)?;
    let whole = rest.rfind('\n').map_or("", |end| &rest[..end]);
    acknowledged.extend(whole.lines().map(str::to_owned));
    Ok(acknowledged)
}

/// Every dot file but the two that belong to the directory: traces of a save that did not end.
fn leftovers(dir: &MemoryDir) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir.path())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let kept = [".memdir-index.lock", ".memdir-identity.json"];
        if name.starts_with('.') && !kept.contains(&name.as_str()) {
            found.push(name);
        }
    }
    Ok(found)
}

pub(super) fn switched_off(world: &World, dir: &MemoryDir, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-paths", "The user switches memory off");
    let env = World::env(&world.home).disable_auto_memory("1");
    let settings = Settings::read(&env, &world.main, &SettingsOptions::default());
    let found = memdir_paths::resolve(&env, &settings, &world.main)?;
    told.expect(found.dir.is_none(), "there is still a directory");
    told.say(format!("memory is {}", found.switch));
    told.expect(
        dir.entrypoint().is_file(),
        "switching off removed something",
    );
    told.expect(modes::nothing_when_off(&found), "there is still a prompt");
    story.tell(told);
    Ok(())
}
