//! The trouble of the second half: planted links, an index over its caps, crashes, a switch.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use memdir_index::{ENTRYPOINT, Fault, MAX_BYTES, MAX_LINES, Measure, NoIndex, Store};
use memdir_paths::{MemoryDir, Settings, SettingsOptions};
use memdir_types::{Audience, Memory, MemoryType};

use super::days::listed;
use super::modes;
use super::story::{Story, Telling};
use super::world::World;
use super::writer::{self, Mode};
use crate::Result;

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
    let mut told = Telling::new("memdir-index", "Writers are killed in the middle of saving");
    let mut acknowledged = BTreeSet::new();
    const KILLS: usize = 5;
    for round in 0..KILLS {
        let cwd = if round % 2 == 0 {
            &world.beside
        } else {
            &world.inside
        };
        let mut child = writer::start(world, cwd, Mode::UntilKilled)?;
        let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        for _ in 0..3 + round {
            line.clear();
            out.read_line(&mut line)?;
            acknowledged.insert(line.trim().to_owned());
        }
        child.kill()?;
        child.wait()?;
        // What was acknowledged before the kill reached the pipe, though not yet us.
        let mut rest = String::new();
        out.read_to_string(&mut rest)?;
        let whole = rest.rfind('\n').map_or("", |end| &rest[..end]);
        acknowledged.extend(whole.lines().map(str::to_owned));
    }
    let store = Store::open(dir.path())?;
    if let Some(recovered) = store.recovered() {
        told.say(format!("opening completes what was left: {recovered:?}"));
    }
    let listed = listed(dir)?;
    let lost: Vec<_> = acknowledged.difference(&listed).collect();
    told.expect(lost.is_empty(), format!("lost from the index: {lost:?}"));
    for file in &acknowledged {
        let whole = std::fs::read_to_string(dir.path().join(file)).unwrap_or_default();
        told.expect(
            whole.ends_with("A fact.\n"),
            format!("{file} is torn or lost"),
        );
    }
    let check = store.check()?;
    let faults: Vec<String> = check.faults.iter().map(ToString::to_string).collect();
    told.expect(faults.is_empty(), format!("check says {faults:?}"));
    let hidden = leftovers(dir)?;
    told.expect(hidden.is_empty(), format!("left behind: {hidden:?}"));
    told.say(format!(
        "{KILLS} kills, {} acknowledged saves, {} of them lost, {} faults",
        acknowledged.len(),
        lost.len(),
        faults.len()
    ));
    story.tell(told);
    Ok(())
}

/// Temporary files: every dot file but the ones that the crates keep.
fn leftovers(dir: &MemoryDir) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir.path())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with('.') && name.contains("tmp") {
            found.push(path);
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
