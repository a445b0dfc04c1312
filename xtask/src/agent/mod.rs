//! A small agent, made of the eight crates and their ports and nothing else.
//!
//! Where memory lives is `memdir-paths`' answer; the instructions about it and its index are
//! `memdir-index`'; instruction files are `claudemd`'s; what is recalled and how old it is,
//! `memdir-recall`'s and `memdir-age`'s; the window, notes and summaries `compact-sm`'s; and at
//! the end of each turn `autodream` may tidy up. The model is a service behind HTTP.

mod clock;
mod context;
mod dream;
mod fork;
mod host;
mod ledger;
mod notes;
mod prompt;
mod recall;
mod request;
mod tools;
mod transcript;
mod window;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use autodream::TaskHandle;
use claudemd::{Date, Operation, Options, Reason, Roots};
use compact_sm::{Block, Breaker, Estimator, Message, Policy};
use memdir_index::{Store, local_date_time};
use memdir_paths::TeamLayout;
use memdir_recall::{MessagesClient, SessionBudget};
use serde_json::Value;

use crate::Result;
pub(crate) use context::Context;
pub(crate) use dream::{Asleep, Dreaming};
pub(crate) use host::{Host, MODEL};
pub(crate) use ledger::{Compacted, Ledger, Purpose, Row};
pub(crate) use notes::Notebook;
pub(crate) use recall::Recalling;
use tools::{Tools, Touch};
pub(crate) use transcript::Record;
pub(crate) use window::Outcome;

/// The most requests of one turn.
const MAX_REQUESTS: usize = 40;

/// One session of the agent.
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) cwd: PathBuf,
    pub(crate) context: Context,
    pub(crate) messages: Vec<Message>,
    pub(crate) record: Record,
    pub(crate) notebook: Option<Notebook>,
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    pub(crate) turns: usize,
    host: Host,
    client: MessagesClient,
    instructions: claudemd::Session,
    recalling: Recalling,
    dreaming: Option<Dreaming>,
    watched: Option<TaskHandle>,
    tools: Tools,
    policy: Policy,
    breaker: Breaker,
    counter: Estimator,
    /// The day that the model was last told.
    today: Date,
    /// What a skill says that was called in this session.
    skill: Option<(String, String)>,
    hook: Option<String>,
    /// Counts the messages, so that each has a name of its own.
    spoken: u64,
    /// When the model last answered.
    last: Option<SystemTime>,
}

/// What one turn was, for a person or a check.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// What the model said last.
    pub(crate) answer: String,
    /// The memories that were put beside the question.
    pub(crate) recalled: Vec<String>,
    pub(crate) receipt: Option<memdir_recall::Receipt>,
    /// Instruction files that came with the files that were touched.
    pub(crate) rules: Vec<PathBuf>,
    /// What tools said that went wrong.
    pub(crate) refused: Vec<String>,
    pub(crate) compacted: Vec<Outcome>,
    /// Results of tools that were cleared, because the model had been silent for so long that
    /// nothing of the conversation was in the cache any more.
    pub(crate) cleared: usize,
    pub(crate) took_notes: bool,
    /// What the gates of a consolidation said.
    pub(crate) asleep: Option<Asleep>,
}

impl Agent {
    /// Starts a session.
    pub(crate) fn start(
        host: &Host,
        id: &str,
        cwd: &Path,
        hook: Option<&str>,
        ledger: &Arc<Mutex<Ledger>>,
        now: SystemTime,
    ) -> Result<Agent> {
        let (resolution, dir) = host.memory(cwd)?;
        let env = host.env();
        let team = dir
            .as_ref()
            .filter(|_| host.team)
            .map(|dir| dir.team(TeamLayout::Inside));
        if let Some(team) = &team {
            team.ensure(None)?;
        }
        // Opening a store completes what a process that died had begun.
        for dir in dir.iter().chain(&team) {
            Store::open(dir.path())?;
        }
        let roots = Roots::new(cwd)
            .home(&host.home)
            .managed_dir(host.home.join("managed"))
            .git_root(&resolution.root.path);
        let instructions = claudemd::Session::load(&roots, &Options::default());
        let hook = hook.map(str::to_owned);
        let index_text = resolution.index_text;
        let tools = tools::definitions();
        let notebook = match host.takes_notes {
            true => Some(Notebook::open(&memdir_paths::session_notes(
                &env, cwd, id,
            )?)?),
            false => None,
        };
        let dreaming = match &dir {
            Some(dir) => Some(Dreaming::new(host, id, &resolution, dir)?),
            None => None,
        };
        let mut agent = Agent {
            context: Context::new(host, dir.clone(), index_text, tools, hook.clone()),
            record: Record::new(&memdir_paths::transcript_dir(&env, cwd)?, id)?,
            recalling: Recalling::new(dir.as_ref(), host)?,
            tools: Tools {
                cwd: cwd.to_owned(),
                memory: dir,
                team,
            },
            id: id.to_owned(),
            cwd: cwd.to_owned(),
            dreaming,
            watched: None,
            messages: Vec::new(),
            notebook,
            ledger: Arc::clone(ledger),
            turns: 0,
            host: host.clone(),
            client: host.client()?,
            instructions,
            policy: host.policy(),
            breaker: Breaker::new(),
            counter: Estimator::default(),
            today: date(now)?,
            skill: None,
            hook,
            spoken: 0,
            last: None,
        };
        agent.prepare();
        Ok(agent)
    }

    /// Goes on with a session whose transcript is there.
    pub(crate) fn resume(
        host: &Host,
        id: &str,
        cwd: &Path,
        hook: Option<&str>,
        ledger: &Arc<Mutex<Ledger>>,
        now: SystemTime,
    ) -> Result<Agent> {
        let mut agent = Agent::start(host, id, cwd, hook, ledger, now)?;
        agent.messages = Record::read(agent.record.path())?;
        agent.record.follow(agent.messages.last());
        let said = agent
            .messages
            .iter()
            .filter(|message| message.calls().next().is_none());
        agent.turns = said.count() / 2;
        // Names that no run before has given: there are fewer messages than bytes.
        agent.spoken = std::fs::metadata(agent.record.path())?.len();
        Ok(agent)
    }

    fn prepare(&mut self) {
        self.context
            .prepare(&self.cwd, &self.instructions, self.today);
    }

    /// A skill is called: its text is part of the conversation, and comes back after a compaction.
    pub(crate) fn call_skill(&mut self, name: &str, text: &str) {
        self.skill = Some((name.to_owned(), text.to_owned()));
    }

    /// Forgets the conversation; the next request begins anew.
    pub(crate) fn clear(&mut self, now: SystemTime) -> Result<()> {
        self.messages.clear();
        self.record.follow(None);
        self.today = date(now)?;
        self.context
            .drop_sections(&mut self.instructions, Reason::Clear);
        self.recalling.budget = SessionBudget::new();
        self.recalling.surfaced.clear();
        self.prepare();
        Ok(())
    }

    fn name(&mut self) -> String {
        self.spoken += 1;
        format!("{}-{}", self.id, self.spoken)
    }

    fn say(&mut self, message: Message, now: SystemTime) -> Result<()> {
        let message = message.uuid(self.name());
        self.record.say(&message, now)?;
        self.messages.push(message);
        Ok(())
    }

    /// One turn: what the person says with what is recalled for it, and the calls that follow.
    pub(crate) async fn turn(&mut self, says: &str, now: SystemTime) -> Result<Turn> {
        self.turns += 1;
        let mut turn = Turn {
            cleared: self.clear_old_results(now)?,
            ..Turn::default()
        };
        let mut blocks = vec![Block::text(says)];
        let today = date(now)?;
        if today != self.today {
            self.today = today;
            blocks.push(Block::text(prompt::date_changed(&today.to_string())));
        }
        self.recall(says, now, &mut turn, &mut blocks).await;
        self.say(Message::user(blocks), now)?;
        for _ in 0..MAX_REQUESTS {
            self.make_room(now, &mut turn).await?;
            let answer = self.ask(now, &mut turn).await?;
            let results = self.run_calls(&answer, now, &mut turn);
            self.last = Some(now);
            turn.answer = answer.texts().collect::<Vec<_>>().join("\n");
            self.say(answer, now)?;
            if results.is_empty() {
                break;
            }
            self.say(Message::user(results), now)?;
        }
        turn.took_notes = self.take_notes(now).await?;
        turn.asleep = self.sleep(now).await?;
        Ok(turn)
    }

    /// Asks the model. If the service says that the prompt is too long, the conversation is
    /// compacted once and sent again.
    async fn ask(&mut self, now: SystemTime, turn: &mut Turn) -> Result<Message> {
        let most = self.host.max_output;
        let answer = match self.send(Purpose::Turn, &self.messages, most).await {
            Ok(answer) => answer,
            Err(error) => {
                let refused = compact_sm::Refused::read(&error.to_string()).ok_or(error)?;
                self.after_refusal(refused, now, turn).await?;
                self.send(Purpose::Turn, &self.messages, most).await?
            }
        };
        // Nothing, or reasoning and nothing else: the service would not take it back.
        let says = answer.texts().any(|text| !text.trim().is_empty());
        if !says && answer.calls().next().is_none() {
            return Err("the model answered with nothing".into());
        }
        Ok(answer)
    }

    /// Runs the calls of an answer. Rules come behind the results, for the files that were touched.
    fn run_calls(&mut self, answer: &Message, now: SystemTime, turn: &mut Turn) -> Vec<Block> {
        let (mut results, mut beside) = (Vec::new(), Vec::new());
        for (id, name, input) in calls(answer) {
            let done = self.tools.run(name, input, now);
            if done.is_error {
                turn.refused.push(done.text.clone());
                results.push(Block::tool_error(id, done.text));
            } else {
                results.push(Block::tool_result(id, done.text));
            }
            let Some((path, touch)) = done.touched else {
                continue;
            };
            let operation = match touch {
                Touch::Read => Operation::Read,
                Touch::Wrote => Operation::Write,
            };
            for file in self.instructions.for_path(&path, operation) {
                let shown = file.path.display().to_string();
                beside.push(Block::text(prompt::instructions(&shown, &file.text)));
                turn.rules.push(file.path);
            }
        }
        results.extend(beside);
        results
    }
}

/// The calls of a message: id, tool and input.
fn calls(message: &Message) -> impl Iterator<Item = (&str, &str, &Value)> {
    message
        .content
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse {
                id, name, input, ..
            } => Some((id.as_str(), name.as_str(), input)),
            _ => None,
        })
}

/// The day of a time, in UTC as everywhere in the story.
pub(crate) fn date(now: SystemTime) -> Result<Date> {
    let (date, _) = local_date_time(now, 0);
    Ok(Date::new(date.year, date.month, date.day).ok_or("no such day")?)
}
