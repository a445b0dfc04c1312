//! Turns of the small agent at random, with a service that fails at random: nothing that was
//! acknowledged is lost, every conversation stays one that the service takes, and the process does
//! not grow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use compact_sm::{Cause, Message};
use serde_json::Value;

use super::lock::random;
use crate::agent::{Agent, Asleep, Host, Ledger};
use crate::e2e::fortnight::brain::{self, Brain, Step};
use crate::e2e::world::World;
use crate::server::{Action, Answer, Server};
use crate::{Result, check};

/// The window. In tokens: small, so that it fills up often.
const WINDOW: u64 = 50_000;
/// Names that are saved under again and again.
const NAMES: usize = 60;
/// Sessions that are open at once.
const OPEN: usize = 3;
/// The state on disk is looked at after so many turns.
const LOOK: usize = 50;
/// The process may grow by this much in the second half of the turns, when the allocator has what
/// it needs. In percent.
const GROWTH: u64 = 25;

struct Soak {
    world: World,
    server: Server,
    brain: Brain,
    host: Host,
    ledger: Arc<Mutex<Ledger>>,
    memory: PathBuf,
    sessions: Vec<Agent>,
    started: usize,
    now: SystemTime,
    seed: u64,
    /// What was said to be saved, and its text.
    saved: BTreeMap<String, String>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    turns: usize,
    failed: usize,
    faults: usize,
    saves: usize,
    compactions: usize,
    dreams: usize,
    restarts: usize,
}

pub(super) fn run(turns: usize) -> Result<()> {
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut soak = Soak::new()?;
    // The most that was held in each tenth of the run.
    let mut held = [0_u64; 10];
    let mut turn = 0;
    while turn < turns {
        runtime.block_on(soak.step())?;
        let before = std::mem::replace(&mut turn, soak.counts.turns);
        // A session that ends or goes on elsewhere is no turn.
        if turn == before {
            continue;
        }
        if turn % LOOK == 0 || turn == turns {
            soak.look().map_err(|what| format!("turn {turn}: {what}"))?;
            soak.forget();
            let tenth = (turn - 1) * held.len() / turns;
            held[tenth] = held[tenth].max(resident());
        }
    }
    let counts = &soak.counts;
    say!(
        "soak: {} turns in {} sessions, {} faults of the service, {} turns failed; {} saves, none \
         lost; {} compactions, {} dreams, {} restarts; {:.1} s",
        counts.turns,
        soak.started,
        counts.faults,
        counts.failed,
        counts.saves,
        counts.compactions,
        counts.dreams,
        counts.restarts,
        begun.elapsed().as_secs_f64()
    );
    let tenths: Vec<String> = held.iter().map(|bytes| (bytes >> 20).to_string()).collect();
    say!("soak: resident in each tenth: {} MB", tenths.join(" "));
    let (half, end) = (held[held.len() / 2], held[held.len() - 1]);
    if end * 100 > half * (100 + GROWTH) {
        return Err(format!("the process grew from {half} to {end} bytes").into());
    }
    Ok(())
}

/// What the process holds. In bytes; 0 where the system does not say.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4_096
}

impl Soak {
    fn new() -> Result<Soak> {
        let world = World::build()?;
        let (server, brain) = brain::start(WINDOW)?;
        server.keeps_nothing();
        let mut host = Host::new(&world.home, server.url());
        (host.window, host.max_output) = (WINDOW, 8_000);
        host.patience = Duration::from_millis(400);
        for at in 0..6 {
            let line = format!("pub const VALUE_{at}: u32 = {at};\n");
            std::fs::write(
                world.main.join(format!("src/part_{at}.rs")),
                line.repeat(80),
            )?;
        }
        let projects = world.home.join(".claude/projects");
        let memory = projects.join(world.main_key()).join("memory");
        Ok(Soak {
            now: World::morning(1),
            world,
            server,
            brain,
            host,
            ledger: Arc::default(),
            memory,
            sessions: Vec::new(),
            started: 0,
            seed: 0x0dd0_5eed_1234_5678,
            saved: BTreeMap::new(),
            counts: Counts::default(),
        })
    }

    /// Evenly from 0 to just below `below`.
    fn pick(&mut self, below: usize) -> usize {
        ((random(&mut self.seed) * below as f64) as usize).min(below.saturating_sub(1))
    }

    fn start(&mut self) -> Result<Agent> {
        self.started += 1;
        let id = format!("soak-{}", self.started);
        let trees = [&self.world.main, &self.world.beside, &self.world.inside];
        let tree = trees[self.started % trees.len()].clone();
        let mut host = self.host.clone();
        host.selector = self.pick(2) == 0;
        host.takes_notes = self.pick(3) > 0;
        Agent::start(&host, &id, &tree, Some("A hook."), &self.ledger, self.now)
    }

    /// A turn, or what happens between two of them.
    async fn step(&mut self) -> Result<()> {
        let minutes = 1 + self.pick(40) as u64;
        self.now += Duration::from_secs(60 * minutes);
        while self.sessions.len() < OPEN {
            let agent = self.start()?;
            self.sessions.push(agent);
        }
        let at = self.pick(OPEN);
        match self.pick(40) {
            // A session ends, or its process does: the next one goes on from the transcript.
            0 => {
                self.sessions.remove(at);
                return Ok(());
            }
            1 if !self.sessions[at].messages.is_empty() => {
                self.counts.restarts += 1;
                let old = self.sessions.remove(at);
                let known = without_results(&old);
                let (id, cwd) = (old.id.clone(), old.cwd.clone());
                drop(old);
                let new = Agent::resume(
                    &self.host,
                    &id,
                    &cwd,
                    Some("A hook."),
                    &self.ledger,
                    self.now,
                )?;
                if without_results(&new) != known {
                    return Err(format!("{id} is another conversation after a restart").into());
                }
                self.sessions.push(new);
                return Ok(());
            }
            2 => self.sessions[at].clear(self.now)?,
            3 => {
                let now = self.now;
                let _ = self.sessions[at].compact(&Cause::manual(None), now).await?;
            }
            _ => {}
        }
        self.counts.turns += 1;
        let (steps, file) = self.steps();
        self.faults();
        self.brain.will(steps);
        let now = self.now;
        let says = format!("turn {}", self.counts.turns);
        let turn = self.sessions[at].turn(&says, now).await;
        self.brain.forget();
        match turn {
            Ok(turn) => {
                self.counts.compactions +=
                    turn.compacted.iter().filter(|it| it.by.is_some()).count();
                for outcome in &turn.compacted {
                    if !outcome.wrong.is_empty() {
                        return Err(format!("{:?}", outcome.wrong).into());
                    }
                }
                match &turn.asleep {
                    Some(Asleep::Dreamt(end)) if end.counts() => self.counts.dreams += 1,
                    _ => {}
                }
            }
            Err(_) => self.counts.failed += 1,
        }
        if let Some((file, text)) = file {
            // What the tool said stands in the conversation, whatever came behind it.
            let said = self.sessions[at].messages.iter().rev().take(6);
            let told = said
                .map(|message| message.to_request().to_string())
                .collect::<String>();
            if told.contains(&format!("saved as {file}")) {
                self.counts.saves += 1;
                self.saved.insert(file, text);
            } else if std::fs::read_to_string(self.memory.join(&file)).is_ok_and(|now| now == text)
            {
                // Written, and the answer got lost.
                self.saved.insert(file, text);
            }
        }
        Ok(())
    }

    /// What the model does in a turn, and the memory that it saves.
    fn steps(&mut self) -> (Vec<Step>, Option<(String, String)>) {
        match self.pick(4) {
            0 => {
                let n = self.pick(NAMES);
                let kind = ["user", "feedback", "project", "reference"][n % 4];
                let file = format!("{kind}_fact_{n}.md");
                let text = format!(
                    "---\nname: fact {n}\ndescription: the {n}. fact\ntype: {kind}\n---\n\nAs of turn {}.\n",
                    self.counts.turns
                );
                let write = Step::write(&self.memory.join(&file), &text);
                (vec![write, Step::say("Saved.")], Some((file, text)))
            }
            1 => (vec![Step::say("I see.")], None),
            _ => {
                let part = self.pick(6);
                let path = self.world.main.join(format!("src/part_{part}.rs"));
                (vec![Step::read(&path), Step::say("A constant.")], None)
            }
        }
    }

    /// Lets the service fail, now and then.
    fn faults(&mut self) {
        let fault = match self.pick(60) {
            0 => vec![Action::refuse(429, "rate_limit_error", Some(0))],
            1 => vec![Action::refuse(529, "overloaded_error", None); 3],
            2 => vec![Action::CutBody],
            3 => vec![Action::Html],
            4 => vec![Action::Hang],
            5 => vec![Action::TooLong { over: 1_000 }],
            6 => vec![Action::Answer(Answer::reasoning("…"))],
            _ => return,
        };
        self.counts.faults += fault.len();
        self.server.next(fault);
    }

    /// Looks at everything with code that shares nothing with the crates.
    fn look(&self) -> Result<(), String> {
        let wrong = |what: Vec<String>| match what.is_empty() {
            true => Ok(()),
            false => Err(what.join("; ")),
        };
        if self.memory.exists() {
            wrong(check::memory(&self.memory))?;
        }
        for agent in &self.sessions {
            wrong(check::messages(&requests(agent)))?;
            wrong(check::transcript(agent.record.path()))?;
        }
        for (file, text) in &self.saved {
            let there = std::fs::read_to_string(self.memory.join(file)).unwrap_or_default();
            if there != *text {
                return Err(format!("{file} holds {there:?}, expected {text:?}"));
            }
        }
        Ok(())
    }

    /// What only the story keeps must not grow.
    fn forget(&mut self) {
        self.server.forget();
        let mut ledger = self.ledger.lock().unwrap_or_else(|e| e.into_inner());
        *ledger = Ledger::default();
        // The sessions that ended: their transcripts are looked at by the gates only.
        drop(ledger);
        old_transcripts(&self.world.home.join(".claude/projects"), self.now);
    }
}

fn requests(agent: &Agent) -> Vec<Value> {
    agent.messages.iter().map(Message::to_request).collect()
}

/// The conversation without what tools answered: old results are cleared in the conversation and
/// not in the transcript.
fn without_results(agent: &Agent) -> Vec<Value> {
    let mut all = requests(agent);
    for message in &mut all {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            if block["type"] == "tool_result" {
                block["content"] = Value::Null;
            }
        }
    }
    all
}

/// Removes transcripts of sessions that said nothing for a week.
fn old_transcripts(projects: &Path, now: SystemTime) {
    for project in std::fs::read_dir(projects).into_iter().flatten().flatten() {
        for entry in std::fs::read_dir(project.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = entry.path();
            let is_old = path.extension().is_some_and(|end| end == "jsonl")
                && entry
                    .metadata()
                    .and_then(|meta| meta.modified())
                    .is_ok_and(|at| {
                        now.duration_since(at).unwrap_or_default() > Duration::from_secs(7 * 86_400)
                    });
            if is_old {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}
