//! The last two days: the person wants no memory for a moment, a fresh conversation, and then no
//! memory at all.

use super::brain::Step;
use super::week::memory;
use super::{Fortnight, at};
use crate::Result;
use crate::agent::Purpose;
use crate::check;
use crate::e2e::story::{Story, Telling};
use crate::e2e::world::World;

pub(super) fn tell(it: &Fortnight, story: &mut Story) -> Result<()> {
    story.day(13, &World::date(13), "not from memory, please");
    ignored(it, story)?;
    cleared(it, story)?;
    story.day(14, &World::date(14), "memory is switched off");
    switched_off(it, story)
}

fn ignored(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "The person says to ignore memory");
    let before = check::contents(&it.memory);
    let mut agent = it.session("s23", at(13, 0))?;
    let says = "Ignore your memory for this one: how should I test the storage?";
    it.turn(
        &mut agent,
        says,
        [Step::say("With a database of its own.")],
        at(13, 1),
    )?;
    let seen = it.server.seen();
    let sent = seen
        .iter()
        .rev()
        .find(|seen| seen.body["system"].is_array() && seen.body["tools"].is_array());
    let system = sent
        .map(|seen| seen.body["system"].to_string())
        .unwrap_or_default();
    told.expect(
        system.contains("tells you to ignore memory"),
        "the model is not told what that means",
    );
    told.expect(check::contents(&it.memory) == before, "memory changed");
    told.say("the instructions say what it means, and nothing was written");
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn cleared(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "A cleared conversation begins anew, from the cache");
    let mut agent = it.session("s24", at(13, 30))?;
    it.turn(
        &mut agent,
        "The flag is called `slow_lane`.",
        [Step::say("Noted.")],
        at(13, 31),
    )?;
    let fresh = memory(
        "slow lane",
        "project",
        "the flag of the slow lane",
        "It is called `slow_lane`.",
    );
    let path = it.memory.join("project_slow_lane.md");
    it.turn(
        &mut agent,
        "Remember it.",
        [Step::write(&path, &fresh), Step::say("Saved.")],
        at(13, 32),
    )?;
    let computed = agent.context.computed;
    let opening = agent.context.opening().texts().collect::<String>();
    told.expect(
        !opening.contains("slow_lane.md"),
        "a write in a session changed its context",
    );
    agent.clear(at(13, 33))?;
    told.expect(
        agent.context.computed == computed + 1,
        "the sections were not computed anew",
    );
    let opening = agent.context.opening().texts().collect::<String>();
    told.expect(
        opening.contains("project_slow_lane.md"),
        "the new memory is not in the index",
    );
    let rows = it.ledger().rows.len();
    it.turn(
        &mut agent,
        "What is the flag called?",
        [Step::say("I'd have to look.")],
        at(13, 34),
    )?;
    let ledger = it.ledger();
    let first = ledger.rows[rows..]
        .iter()
        .find(|row| row.purpose == Purpose::Turn);
    let instructions = agent.context.section("memory").len() as u64 / 3;
    let read = first.map_or(0, |row| row.read);
    told.expect(
        read >= instructions,
        "clearing threw the instructions out of the cache",
    );
    told.say(format!(
        "the first request afterwards reads {read} tokens from the cache"
    ));
    told.expect(agent.messages.len() == 2, "the conversation is still there");
    drop(ledger);
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn switched_off(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "The person switches memory off");
    let settings = it.world.home.join(".claude/settings.json");
    std::fs::write(&settings, "{\"autoMemoryEnabled\": false}\n")?;
    let before = check::contents(&it.memory);
    let mut agent = it.session("s25", at(14, 0))?;
    let opening = agent.context.opening().texts().collect::<String>();
    told.expect(
        !opening.contains("MEMORY.md"),
        "the index is in the context",
    );
    told.expect(
        agent.context.section("memory").is_empty(),
        "the instructions are there",
    );
    told.expect(
        opening.contains("Prices are integers"),
        "the instruction files are gone too",
    );
    let path = it.memory.join("project_too_late.md");
    let text = memory("too late", "project", "came too late", "Too late.");
    let steps = [Step::write(&path, &text), Step::say("I cannot.")];
    let turn = it.turn(
        &mut agent,
        "may the integration tests mock the database?",
        steps,
        at(14, 1),
    )?;
    told.expect(turn.recalled.is_empty(), "something was recalled");
    told.expect(turn.refused.len() == 1, "a memory was written");
    told.expect(turn.asleep.is_none(), "the gates were asked");
    told.expect(check::contents(&it.memory) == before, "memory changed");
    told.say("no index, no instructions, no recall, no dream, and nothing was deleted");
    std::fs::remove_file(settings)?;
    let mut agent = it.session("s26", at(14, 30))?;
    let turn = it.turn(
        &mut agent,
        "may the integration tests mock the database?",
        [Step::say("No.")],
        at(14, 31),
    )?;
    let knows = turn.recalled.iter().any(|file| file.contains("no_mocks"));
    told.expect(knows, "switched on again it knows nothing");
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}
