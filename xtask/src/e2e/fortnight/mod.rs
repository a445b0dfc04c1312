//! Two weeks of an agent: the whole of it, session after session, against the strict server.
//!
//! The agent is `xtask`'s small one, made of the eight crates. What is on disk afterwards is
//! looked at by `check`, which shares no code with them.

pub(crate) mod brain;

mod crashes;
mod dreams;
mod gatekeeper;
mod long;
mod quiet;
mod week;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use memdir_recall::Receipt;
use tokio::runtime::Runtime;

use super::report::Figures;
use super::story::{Story, Telling};
use super::world::World;
use crate::Result;
use crate::agent::{Agent, Host, Ledger, Turn};
use crate::check;
use crate::server::Server;
use crate::text::counted;
use brain::{Brain, Step};
use gatekeeper::GateKeeper;

pub(crate) use crashes::{COMMAND as PART, run as run_part};

/// The window of the model, in tokens. Small, so that a long day fills it several times.
const WINDOW: u64 = 60_000;
/// The longest answer, in tokens.
const MAX_OUTPUT: u64 = 8_000;
/// What the session's hook says.
const HOOK: &str = "The database of the tests listens on 5433.";

/// Everything that lasts from day to day.
struct Fortnight {
    world: World,
    server: Server,
    brain: Brain,
    host: Host,
    ledger: Arc<Mutex<Ledger>>,
    runtime: Runtime,
    memory: PathBuf,
    /// What the gates should have said, and what they did say that was otherwise.
    gates: RefCell<GateKeeper>,
    /// What was recalled and why, of the turns in which anything was a candidate.
    receipts: RefCell<Vec<Receipt>>,
}

pub(super) fn tell(story: &mut Story) -> Result<Figures> {
    let world = World::build()?;
    let (server, brain) = brain::start(WINDOW)?;
    let mut host = Host::new(&world.home, server.url());
    host.window = WINDOW;
    host.max_output = MAX_OUTPUT;
    let memory = world
        .home
        .join(".claude/projects")
        .join(world.main_key())
        .join("memory");
    let fortnight = Fortnight {
        runtime: tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?,
        ledger: Arc::default(),
        world,
        server,
        brain,
        host,
        memory,
        gates: RefCell::default(),
        receipts: RefCell::default(),
    };
    fortnight.write_files()?;
    story.chapter("two weeks of an agent");
    week::tell(&fortnight, story)?;
    long::tell(&fortnight, story)?;
    crashes::tell(&fortnight, story)?;
    let report = dreams::tell(&fortnight, story)?;
    quiet::tell(&fortnight, story)?;
    fortnight.closing(story);
    let receipts = fortnight.receipts.take();
    let gates = fortnight.gates.take();
    let ledger = fortnight.ledger().clone();
    Ok(Figures {
        ledger,
        receipts,
        dream: report,
        closed: gates.closed,
        dreams: gates.dreams,
        window: WINDOW,
    })
}

impl Fortnight {
    /// A session, at a time of a day: the first day is 1, hours are from midnight.
    fn session(&self, id: &str, at: SystemTime) -> Result<Agent> {
        self.session_of(&self.host, id, &self.world.main, at)
    }

    fn session_of(
        &self,
        host: &Host,
        id: &str,
        cwd: &std::path::Path,
        at: SystemTime,
    ) -> Result<Agent> {
        Agent::start(host, id, cwd, Some(HOOK), &self.ledger, at)
    }

    /// One turn, in which the model does this.
    fn turn(
        &self,
        agent: &mut Agent,
        says: &str,
        steps: impl IntoIterator<Item = Step>,
        at: SystemTime,
    ) -> Result<Turn> {
        self.brain.will(steps);
        let turn = self.runtime.block_on(agent.turn(says, at))?;
        if let Some(receipt) = turn.receipt.clone().filter(|it| !it.candidates.is_empty()) {
            self.receipts.borrow_mut().push(receipt);
        }
        let mut gates = self.gates.borrow_mut();
        gates.turn_ended(&agent.id, at, turn.asleep.as_ref());
        Ok(turn)
    }

    /// The state on disk has to be whole after every day.
    fn check_disk(&self, told: &mut Telling) {
        for wrong in check::memory(&self.memory) {
            told.expect(false, wrong);
        }
        told.expect(
            self.brain.left() == 0,
            "the model was not asked for all that it had to say",
        );
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of the project that the fortnight is about.
    fn write_files(&self) -> Result<()> {
        let main = &self.world.main;
        let rule = "---\npaths: \"web/**/*.ts\"\n---\nNo `any`; name types after what they hold.\n";
        let mut files = vec![
            (
                "CLAUDE.md".to_owned(),
                "The shop. Prices are integers, in cents. See @docs/terms.md\n".to_owned(),
            ),
            (
                "docs/terms.md".to_owned(),
                "A basket is what the person sees; a cart is what the database has.\n".to_owned(),
            ),
            (".claude/rules/types.md".to_owned(), rule.to_owned()),
            (
                "web/CLAUDE.md".to_owned(),
                "The front end: keyboard first.\n".to_owned(),
            ),
            (
                "web/basket.ts".to_owned(),
                "export const limit = 99;\n".to_owned(),
            ),
        ];
        for at in 0..8 {
            let line = format!("pub const VALUE_{at}: u32 = {at}; // 第 {at} 个文件\n");
            files.push((format!("src/part_{at}.rs"), line.repeat(60)));
        }
        for (name, text) in files {
            let path = main.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(main))?;
            std::fs::write(path, text)?;
        }
        Ok(())
    }

    fn closing(&self, story: &mut Story) {
        let mut told = Telling::new("all", "What two weeks cost, and what the cache paid");
        let gates = self.gates.borrow();
        for wrong in &gates.wrong {
            told.expect(false, wrong.as_str());
        }
        told.say(format!(
            "the gates were asked after {} turns; {} dreams, each when it was due",
            gates.asked, gates.dreams
        ));
        for (why, count) in &gates.closed {
            told.say(format!("{why}: {}", counted(*count, "time", "times")));
        }
        told.expect(gates.dreams > 0, "it never dreamt");
        let ledger = self.ledger();
        for purpose in crate::agent::Purpose::ALL {
            let rows = ledger.of(purpose).count();
            if rows == 0 {
                continue;
            }
            let input: u64 = ledger.of(purpose).map(crate::agent::Row::input).sum();
            told.say(format!(
                "{}: {rows} requests, {input} tokens of input, {} % from the cache",
                purpose.as_str(),
                ledger.share(purpose).unwrap_or(0)
            ));
        }
        // Turn by turn, and fork by fork.
        let turns = ledger.turns().into_iter().map(|(session, shares)| {
            let shares: Vec<String> = shares.iter().map(u64::to_string).collect();
            format!("{session} {}", shares.join(" "))
        });
        told.say(format!(
            "turns, each in %, by session: {}",
            turns.collect::<Vec<_>>().join("; ")
        ));
        let share = |row: &crate::agent::Row| row.read * 100 / row.input().max(1);
        let mut turns: Vec<(u64, &crate::agent::Row)> = ledger
            .of(crate::agent::Purpose::Turn)
            .filter(|row| row.turn > 1)
            .map(|row| (share(row), row))
            .collect();
        turns.sort_by_key(|(share, _)| *share);
        if let (Some((least, row)), Some((middle, _))) = (turns.first(), turns.get(turns.len() / 2))
        {
            told.say(format!(
                "turn by turn behind the first: half of them {middle} % or more, the least {least} % \
                 (turn {} of {}, {} % of it new)",
                row.turn,
                row.session,
                100 - least
            ));
        }
        for purpose in [
            crate::agent::Purpose::Notes,
            crate::agent::Purpose::Summary,
            crate::agent::Purpose::Dream,
        ] {
            let shares: Vec<String> = ledger
                .of(purpose)
                .map(|row| share(row).to_string())
                .collect();
            told.say(format!(
                "{}, each in %: {}",
                purpose.as_str(),
                shares.join(" ")
            ));
        }
        // A fork has what its conversation last sent in front of it, byte for byte.
        let forks = check::forks(&self.server.seen());
        told.expect(
            forks.other == 0,
            format!("{} forks have a prefix of their own", forks.other),
        );
        told.say(format!(
            "{} forks begin with the bytes of their conversation, {} up to the part that is \
             summarized; {} had been too long so",
            forks.same, forks.parts, forks.trimmed
        ));
        for refused in self
            .server
            .seen()
            .iter()
            .filter_map(|seen| seen.refused.as_ref())
        {
            let scripted =
                refused.starts_with("prompt is too long") || refused.starts_with("scripted");
            told.expect(scripted, format!("the server refused a request: {refused}"));
        }
        drop(ledger);
        story.tell(told);
    }
}

/// A time of the story: nine in the morning of a day, and so many minutes later.
fn at(day: u32, minutes: u64) -> SystemTime {
    World::morning(day) + Duration::from_secs(60 * minutes)
}
