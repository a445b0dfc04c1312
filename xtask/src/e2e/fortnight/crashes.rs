//! Days on which the agent's process dies: in the middle of a save, and of a compaction.
//!
//! The process is a real one, this very program with a command of its own, and it is killed.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use compact_sm::Cause;
use serde_json::Value;

use super::brain::{DECISION, Step};
use super::week::memory;
use super::{Fortnight, HOOK, MAX_OUTPUT, WINDOW, at};
use crate::Result;
use crate::agent::{Agent, Host, Record};
use crate::check;
use crate::e2e::story::{Story, Telling};
use crate::e2e::world::World;
use crate::server::Action;

/// The command of the process that dies.
pub(crate) const COMMAND: &str = "agent-part";
/// How long such a process is watched before it is killed all the same.
const LONGEST_WATCH: Duration = Duration::from_secs(20);

pub(super) fn tell(it: &Fortnight, story: &mut Story) -> Result<()> {
    story.day(
        9,
        &World::date(9),
        "the process dies in the middle of a save",
    );
    in_a_save(it, story)?;
    story.day(
        10,
        &World::date(10),
        "the process dies in the middle of a compaction",
    );
    in_a_compaction(it, story)?;
    Ok(())
}

impl Fortnight {
    /// Starts the process that is going to die.
    #[expect(clippy::disallowed_methods, reason = "a process to kill")]
    pub(super) fn part(&self, kind: &str, id: &str, when: SystemTime) -> Result<Child> {
        self.gates.borrow_mut().spoke(id, when);
        let seconds = when.duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        Ok(Command::new(std::env::current_exe()?)
            .args([COMMAND, kind, id, &seconds.to_string()])
            .args([&self.world.home, &self.world.main])
            .arg(self.server.url())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?)
    }

    /// Waits for something to happen, then kills.
    pub(super) fn kill_when(
        &self,
        child: &mut Child,
        mut happened: impl FnMut() -> bool,
    ) -> Result<bool> {
        let begin = Instant::now();
        let mut seen = false;
        while begin.elapsed() < LONGEST_WATCH && child.try_wait()?.is_none() {
            seen = happened();
            if seen {
                break;
            }
            std::thread::yield_now();
        }
        child.kill()?;
        child.wait()?;
        Ok(seen)
    }
}

/// The process that dies: one session that does one thing.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let [kind, id, seconds, home, cwd, url] = args else {
        return Err("this command belongs to e2e".into());
    };
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.parse()?);
    let mut host = Host::new(Path::new(home), url.clone());
    (host.window, host.max_output) = (WINDOW, MAX_OUTPUT);
    host.takes_notes = false;
    host.selector = false;
    host.dreams = kind == "dream";
    let cwd = Path::new(cwd);
    let ledger = Arc::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match kind.as_str() {
        "save" => {
            let mut agent = Agent::start(&host, id, cwd, Some(HOOK), &ledger, now)?;
            for n in 0..2_000 {
                runtime.block_on(agent.turn(&format!("remember {n}"), now))?;
            }
        }
        "compaction" => {
            let mut agent = Agent::resume(&host, id, cwd, Some(HOOK), &ledger, now)?;
            runtime.block_on(agent.compact(&Cause::manual(None), now))?;
        }
        "dream" => {
            let mut agent = Agent::start(&host, id, cwd, Some(HOOK), &ledger, now)?;
            runtime.block_on(super::dreams::part(&mut agent, now))?;
        }
        other => return Err(format!("no part `{other}`").into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn in_a_save(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "Killed while it saves: what was said to be saved is there",
    );
    let note = |n: usize| {
        let text = memory(
            &format!("note {n}"),
            "project",
            &format!("the {n}. thing that was said"),
            &format!("Thing {n}.\n\n{}", "It was said at length. ".repeat(40)),
        );
        let path = it.memory.join(format!("project_note_{n}.md"));
        [Step::write(&path, &text), Step::say("Saved.")]
    };
    let seen = |n: usize| it.memory.join(format!("project_note_{n}.md")).exists();
    let mut from = 0;
    for round in 0..3 {
        it.brain.will((from..from + 200).flat_map(note));
        let mut child = it.part("save", &format!("s13-{round}"), at(9, round as u64))?;
        // The file of the next one is there, and its line perhaps not yet.
        let until = from + 3 + round;
        let died = it.kill_when(&mut child, || seen(until))?;
        told.expect(died, "it was never seen to save");
        it.brain.forget();
        let acknowledged = acknowledged(it, &format!("s13-{round}"))?;
        // The next session completes what was begun.
        let host = quiet(it);
        let id = format!("s14-{round}");
        let agent = it.session_of(&host, &id, &it.world.main, at(9, 30 + round as u64))?;
        let index = std::fs::read_to_string(it.memory.join("MEMORY.md"))?;
        let lost: Vec<&String> = acknowledged
            .iter()
            .filter(|name| !index.contains(name.as_str()))
            .collect();
        told.expect(lost.is_empty(), format!("lost {lost:?}"));
        told.say(format!(
            "killed with {} saves acknowledged; all of them are listed",
            acknowledged.len()
        ));
        for wrong in check::transcript(agent.record.path()) {
            told.expect(false, wrong);
        }
        it.check_disk(&mut told);
        from += 200;
    }
    story.tell(told);
    Ok(())
}

/// A host that neither dreams nor takes notes, so that what the day is about is all that happens.
fn quiet(it: &Fortnight) -> Host {
    Host {
        takes_notes: false,
        dreams: false,
        ..it.host.clone()
    }
}

/// The files that the session's transcript says are saved.
fn acknowledged(it: &Fortnight, id: &str) -> Result<Vec<String>> {
    let folder = memdir_paths::transcript_dir(&it.host.env(), &it.world.main)?;
    let text = std::fs::read_to_string(folder.join(format!("{id}.jsonl")))?;
    Ok(text
        .split("saved as ")
        .skip(1)
        .filter_map(|rest| rest.split(".md").next())
        .map(|name| format!("{name}.md"))
        .collect())
}

fn in_a_compaction(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "Killed while it compacts: the conversation is as it was",
    );
    let host = quiet(it);
    let mut agent = it.session_of(&host, "s15", &it.world.main, at(10, 0))?;
    for n in 0..3 {
        let says = format!("{DECISION} part {n} is left as it is.");
        it.turn(&mut agent, &says, [Step::say("Noted.")], at(10, n))?;
    }
    for n in 0..6 {
        let path = it.world.main.join(format!("src/part_{n}.rs"));
        let steps = [Step::read(&path), Step::say("One constant.")];
        it.turn(&mut agent, "And here?", steps, at(10, 5 + n))?;
    }
    let path = agent.record.path().to_owned();
    let before = std::fs::read(&path)?;
    let known = requests(&agent);
    drop(agent);

    // The service hangs over the summary, and the process is killed.
    it.brain.when_asked_for_a_summary([Action::Hang]);
    let asked = it.server.seen().len();
    let mut child = it.part("compaction", "s15", at(10, 20))?;
    let died = it.kill_when(&mut child, || it.server.seen().len() > asked)?;
    told.expect(died, "it never asked for a summary");
    told.expect(std::fs::read(&path)? == before, "the transcript changed");
    let mut agent = Agent::resume(
        &host,
        "s15",
        &it.world.main,
        Some(HOOK),
        &it.ledger,
        at(10, 30),
    )?;
    told.expect(requests(&agent) == known, "the conversation is another one");
    told.say(format!("{} messages before and after", known.len()));

    // Now it works. Then the file is cut in many places of what was written, around the ends of
    // lines at every byte: it reads as before, or as after.
    let done = it
        .runtime
        .block_on(agent.compact(&Cause::manual(None), at(10, 31)))?;
    told.expect(
        done.by.is_some() && done.wrong.is_empty(),
        format!("{done:?}"),
    );
    let after = std::fs::read(&path)?;
    let compacted = requests(&agent);
    drop(agent);
    let (mut old, mut new) = (0, 0);
    let cut = it.world.root().join("cut.jsonl");
    let near_an_end = |at: usize| {
        let around = &after[at.saturating_sub(2)..(at + 2).min(after.len())];
        around.contains(&b'\n')
    };
    let cuts = (before.len()..=after.len()).filter(|at| at % 211 == 0 || near_an_end(*at));
    for end in cuts {
        std::fs::write(&cut, &after[..end])?;
        let found: Vec<Value> = Record::read(&cut)?
            .iter()
            .map(compact_sm::Message::to_request)
            .collect();
        let whole = known_decisions(&found);
        told.expect(
            whole == 3,
            format!("cut at byte {end}: {whole} of 3 decisions"),
        );
        for wrong in check::messages(&found) {
            told.expect(false, format!("cut at byte {end}: {wrong}"));
        }
        match found.len() {
            length if length >= known.len() => old += 1,
            length if length <= compacted.len() => new += 1,
            length => told.expect(false, format!("cut at byte {end}: {length} messages")),
        }
    }
    told.say(format!(
        "cut in {} places: {old} times as before, {new} times as after",
        old + new
    ));
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn requests(agent: &Agent) -> Vec<Value> {
    agent
        .messages
        .iter()
        .map(compact_sm::Message::to_request)
        .collect()
}

fn known_decisions(messages: &[Value]) -> usize {
    let all: String = messages.iter().map(Value::to_string).collect();
    (0..3)
        .filter(|n| all.contains(&format!("{DECISION} part {n} is left")))
        .count()
}
