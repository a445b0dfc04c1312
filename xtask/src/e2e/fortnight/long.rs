//! The second week begins with a long day: the window fills up again and again, and what was
//! decided is still known at the end of it.

use compact_sm::{Cause, Way};
use serde_json::Value;

use super::brain::{DECISION, Step};
use super::{Fortnight, at};
use crate::Result;
use crate::agent::{Agent, Host, Turn};
use crate::check;
use crate::e2e::story::{Story, Telling};
use crate::e2e::world::World;
use crate::server::Action;

/// How often the person decides something.
const DECISIONS: usize = 6;
/// What a skill says that is called once.
const SKILL: &str = "Release: run the tests, raise the version, write the changelog, tag.";

pub(super) fn tell(it: &Fortnight, story: &mut Story) -> Result<()> {
    story.day(8, &World::date(8), "a long day");
    by_notes(it, story)?;
    without_notes(it, story)?;
    in_part(it, story)?;
    Ok(())
}

/// Turns that read files until the window was made to fit, at most so many.
fn until_compacted(
    it: &Fortnight,
    agent: &mut Agent,
    most: usize,
    minute: &mut u64,
) -> Result<Option<Turn>> {
    for n in 0..most {
        let path = it.world.main.join(format!("src/part_{}.rs", n % 8));
        let steps = [Step::read(&path), Step::say("One constant, sixty times.")];
        *minute += 1;
        let says = format!("turn {n}: what does {} hold?", path.display());
        let turn = it.turn(agent, &says, steps, at(8, *minute))?;
        if !turn.compacted.is_empty() {
            return Ok(Some(turn));
        }
    }
    Ok(None)
}

fn decide(it: &Fortnight, agent: &mut Agent, n: usize, minute: &mut u64) -> Result<()> {
    *minute += 1;
    let says = format!("{DECISION} flag number {n} stays off until the audit is over.");
    it.turn(agent, &says, [Step::say("Noted.")], at(8, *minute))?;
    Ok(())
}

/// The sections in front were computed once, and once more after each compaction.
fn check_sections(agent: &Agent, compactions: usize, told: &mut Telling) {
    let computed = agent.context.computed;
    told.expect(
        computed == 1 + compactions,
        format!("the sections were computed {computed} times for {compactions} compactions"),
    );
}

fn check_turn(agent: &Agent, turn: &Turn, by: Way, told: &mut Telling) {
    for outcome in &turn.compacted {
        told.expect(
            outcome.by == Some(by),
            format!("by {:?}: {}", outcome.by, outcome.said),
        );
        told.expect(outcome.wrong.is_empty(), format!("{:?}", outcome.wrong));
        told.expect(
            outcome.after * 2 < outcome.before || by == Way::Micro,
            "hardly shorter",
        );
        told.say(format!(
            "by {by:?}: {} tokens become {}",
            outcome.before, outcome.after
        ));
    }
    let list: Vec<Value> = agent
        .messages
        .iter()
        .map(compact_sm::Message::to_request)
        .collect();
    for wrong in check::messages(&list) {
        told.expect(false, wrong);
    }
    for wrong in check::transcript(agent.record.path()) {
        told.expect(false, wrong);
    }
}

fn recite(
    it: &Fortnight,
    agent: &mut Agent,
    n: usize,
    minute: &mut u64,
    told: &mut Telling,
) -> Result<()> {
    *minute += 1;
    let turn = it.turn(
        agent,
        "List what we decided.",
        [Step::Recite],
        at(8, *minute),
    )?;
    told.expect(
        turn.answer.starts_with(&format!("{n} decisions")),
        format!(
            "after all that it knows {}",
            turn.answer.lines().next().unwrap_or_default()
        ),
    );
    told.say(format!(
        "still known: {}",
        turn.answer.lines().next().unwrap_or_default()
    ));
    Ok(())
}

fn by_notes(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "Notes were taken on the way, so no summary is asked for",
    );
    let mut agent = it.session("s11", at(8, 0))?;
    agent.call_skill("release", SKILL);
    let mut minute = 0;
    for n in 0..DECISIONS {
        decide(it, &mut agent, n, &mut minute)?;
    }
    let turn = until_compacted(it, &mut agent, 60, &mut minute)?;
    match turn {
        Some(turn) => check_turn(&agent, &turn, Way::Notes, &mut told),
        None => told.expect(false, "the window never filled up"),
    }
    recite(it, &mut agent, DECISIONS, &mut minute, &mut told)?;
    let said = agent
        .messages
        .iter()
        .flat_map(|m| m.texts().map(str::to_owned))
        .collect::<String>();
    told.expect(said.contains(SKILL), "the skill is gone");
    check_sections(&agent, 1, &mut told);
    if let Some(notebook) = &agent.notebook {
        told.say(format!("notes were taken {} times", notebook.taken));
        told.expect(!notebook.refused.is_empty(), "the fork may read");
    }
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn without_notes(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "Without notes: a summary, a refusal, and the person");
    let host = Host {
        takes_notes: false,
        ..it.host.clone()
    };
    let mut agent = it.session_of(&host, "s12", &it.world.main, at(8, 300))?;
    let mut minute = 300;
    for n in 0..DECISIONS {
        decide(it, &mut agent, n, &mut minute)?;
    }
    if let Some(turn) = until_compacted(it, &mut agent, 60, &mut minute)? {
        check_turn(&agent, &turn, Way::Summary, &mut told);
    } else {
        told.expect(false, "the window never filled up");
    }
    // The request for the next summary is itself too long, twice.
    it.brain.when_asked_for_a_summary([
        Action::TooLong { over: 3_000 },
        Action::TooLong { over: 1_000 },
    ]);
    if let Some(turn) = until_compacted(it, &mut agent, 60, &mut minute)? {
        check_turn(&agent, &turn, Way::Summary, &mut told);
    }
    // The service says that a prompt is too long though nobody expected it.
    for n in 0..12 {
        let path = it.world.main.join(format!("src/part_{}.rs", n % 8));
        minute += 1;
        let steps = [Step::read(&path), Step::say("The same.")];
        it.turn(&mut agent, "And this one?", steps, at(8, minute))?;
    }
    it.brain
        .will([Step::Fault(Action::TooLong { over: 2_000 })]);
    minute += 1;
    let turn = it.turn(
        &mut agent,
        "Go on.",
        [Step::say("Where were we?")],
        at(8, minute),
    )?;
    told.expect(!turn.compacted.is_empty(), "a refusal was not met");
    check_turn(&agent, &turn, Way::Summary, &mut told);
    // The person asks for it.
    let compacted = it
        .runtime
        .block_on(agent.compact(&Cause::manual(Some("keep the flags")), at(8, minute)))?;
    told.expect(compacted.wrong.is_empty(), format!("{:?}", compacted.wrong));
    told.say(format!(
        "by the person: {} tokens become {}",
        compacted.before, compacted.after
    ));
    check_sections(&agent, 4, &mut told);
    recite(it, &mut agent, DECISIONS, &mut minute, &mut told)?;
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

/// A part of the conversation that the person names; and old results, after an hour of silence.
fn in_part(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "A part of it, as the person asks; old results, after an hour",
    );
    let host = Host {
        takes_notes: false,
        ..it.host.clone()
    };
    let mut agent = it.session_of(&host, "s28", &it.world.main, at(8, 700))?;
    let mut minute = 700;
    for n in 0..DECISIONS {
        decide(it, &mut agent, n, &mut minute)?;
    }
    for n in 0..8 {
        let path = it.world.main.join(format!("src/part_{n}.rs"));
        let steps = [Step::read(&path), Step::say("One constant.")];
        minute += 1;
        it.turn(&mut agent, "And here?", steps, at(8, minute))?;
    }
    let before: Vec<Value> = agent
        .messages
        .iter()
        .map(compact_sm::Message::to_request)
        .collect();
    let (from, to) = (before.len() / 4, before.len() * 3 / 4);
    let cause = Cause::partial(from..to, None);
    let done = it.runtime.block_on(agent.compact(&cause, at(8, minute)))?;
    told.expect(done.by == Some(Way::Summary), format!("{done:?}"));
    told.expect(done.wrong.is_empty(), format!("{:?}", done.wrong));
    let after: Vec<Value> = agent
        .messages
        .iter()
        .map(compact_sm::Message::to_request)
        .collect();
    let head = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a == b)
        .count();
    told.expect(
        head >= 1 && head <= from,
        format!("{head} messages in front are as they were"),
    );
    let last = before.last();
    told.expect(
        after.iter().any(|message| Some(message) == last),
        "what stands behind changed",
    );
    told.say(format!(
        "messages {from} to {to} of {}: {} tokens become {}, {head} in front of it as they were",
        before.len(),
        done.before,
        done.after
    ));
    recite(it, &mut agent, DECISIONS, &mut minute, &mut told)?;
    for n in 0..8 {
        let path = it.world.main.join(format!("src/part_{n}.rs"));
        let steps = [Step::read(&path), Step::say("One constant.")];
        minute += 1;
        it.turn(&mut agent, "Once more?", steps, at(8, minute))?;
    }
    minute += 70;
    let turn = it.turn(
        &mut agent,
        "I'm back.",
        [Step::say("Welcome.")],
        at(8, minute),
    )?;
    told.expect(
        turn.cleared > 0,
        "an hour later every result is still there",
    );
    told.say(format!(
        "{} old results were cleared after seventy minutes",
        turn.cleared
    ));
    recite(it, &mut agent, DECISIONS, &mut minute, &mut told)?;
    let list: Vec<Value> = agent
        .messages
        .iter()
        .map(compact_sm::Message::to_request)
        .collect();
    for wrong in check::messages(&list) {
        told.expect(false, wrong);
    }
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}
