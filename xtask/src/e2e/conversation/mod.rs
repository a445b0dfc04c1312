//! The chapter on compaction: a session of three hundred turns over HTTP, whose window fills up
//! again and again; by notes, by a summary, by a summary that is too long at first, and by a model
//! that answers nonsense until the breaker stops the tries and the person asks for it.

mod agent;
mod faults;
mod notes;

use std::path::Path;

use claudemd::{Date, Options, Roots, Session};
use compact_sm::{
    Breaker, Cause, Compact, Compaction, HookResult, Hooks, Message, NotCompacted, Notes, Origin,
    Restore, Sent, SessionStart, Way, compact, files_fn, summarizer_fn, validate,
};
use memdir_index::{LoadOptions, load_memory_prompt};
use memdir_paths::SettingsOptions;
use serde_json::{Value, json};

use super::story::{Story, Telling};
use super::world::World;
use crate::Result;
use crate::server::{Action, Answer, Seen, Server};
use agent::{Agent, WINDOW};
use notes::Notebook;

const TURNS: usize = 300;
/// Files that are read in turn.
const FILES: usize = 12;
/// What the session's hook says.
const HOOK: &str = "The branch is `checkout-rewrite`; the database of the tests listens on 5433.";
/// A skill that was called.
const SKILL: &str = "Release: run the tests, raise the version, write the changelog, tag.";
pub(super) fn tell(world: &World, story: &mut Story) -> Result<()> {
    story.chapter("a session of three hundred turns");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(session(world, story))
}

/// How a crossing of the threshold is to be met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    ByNotes,
    BySummary,
    TooLongAtFirst,
    ByThePerson,
    /// Whatever comes after the four.
    Again,
}

const PLANS: [Plan; 4] = [
    Plan::ByNotes,
    Plan::BySummary,
    Plan::TooLongAtFirst,
    Plan::ByThePerson,
];

async fn session(world: &World, story: &mut Story) -> Result<()> {
    let shop = write_files(world)?;
    let server = Server::start()?;
    server.window(WINDOW);
    let served = shop.clone();
    server.script(move |request| Some(model(request, &served)));

    let today = Date::new(2026, 4, 15).ok_or("no such day")?;
    let roots = Roots::new(&world.main)
        .home(&world.home)
        .git_root(&world.main);
    let mut instructions = Session::load(&roots, &Options::default());
    let context = instructions.user_context(today).to_message_text();
    let env = World::env(&world.home);
    let settings = memdir_paths::Settings::read(&env, &world.main, &SettingsOptions::default());
    let memory = memdir_paths::resolve(&env, &settings, &world.main)?.dir;
    let memory = load_memory_prompt(memory.as_ref(), &LoadOptions::default());
    let memory = memory.ok_or("memory is off")?.instructions;
    let opening = Message::user(format!("{context}\n{HOOK}")).origin(Origin::Meta);
    let system = format!("You are the agent of a shop.\n\n{memory}");
    let mut agent = Agent::new(&server, system, opening)?;
    let start = agent.tools.iter().fold(
        SessionStart::new()
            .instructions("CLAUDE.md", &context)
            .memory_prompt(&memory)
            .hook("session start", HOOK),
        |start, tool| start.tool(tool.clone()),
    );
    let breaker = Breaker::new();
    let mut notebook = Notebook::new(&world.root().join("session-memory"))?;
    let mut crossings = 0;
    let mut refused = 0;
    for turn in 0..TURNS {
        let says = format!("turn {turn}: what does {} hold?", file(&shop, turn));
        agent.turn(&says, &|input| read(input)).await?;
        notebook.after_turn(&agent, World::morning(8)).await?;
        let decision = agent.decide();
        if !decision.compacts() {
            continue;
        }
        let plan = *PLANS.get(crossings).unwrap_or(&Plan::Again);
        let mut told = Telling::new("compact-sm", format!("Turn {turn}: {}", title(plan)));
        told.say(decision.to_string());
        let before = server.seen().len();
        let notes = notebook.notes();
        let done = meet(plan, &agent, &breaker, &notes, &server, &mut told).await;
        refused += usize::from(done.is_none());
        let Some(done) = done else {
            story.tell(told);
            continue;
        };
        crossings += 1;
        let asked = server.seen().len() - before;
        told.say(format!(
            "{} tokens become {}, {} messages {}, {asked} requests",
            done.before,
            done.after,
            agent.messages.len(),
            done.len()
        ));
        check(plan, &done, asked, &shop, &mut told);
        notebook
            .taking
            .compacted(done.after, done.summarized.clone());
        agent.messages = done.into_messages();
        instructions.invalidate(claudemd::Reason::Compact);
        let again = instructions.user_context(today).to_message_text();
        told.expect(again == context, "the instructions are other ones");
        // What the next request will hold, as a session that starts anew puts it together.
        agent.context = Message::user(format!("{again}\n{HOOK}")).origin(Origin::Meta);
        let all: Vec<Message> = [&agent.context]
            .into_iter()
            .chain(&agent.messages)
            .cloned()
            .collect();
        let sent = Sent::new(&agent.system, &agent.tools, &all);
        for missing in start.missing(&sent) {
            told.expect(false, missing.to_string());
        }
        let violations = validate(&all);
        told.expect(violations.is_empty(), format!("{violations:?}"));
        story.tell(told);
    }
    closing(&server, &notebook, crossings, refused, story);
    faults::tell(&mut agent, &server, story).await?;
    Ok(())
}

fn title(plan: Plan) -> &'static str {
    match plan {
        Plan::ByNotes => "the window is full, the notes stand in",
        Plan::BySummary => "full again, no notes, a summary is asked for",
        Plan::TooLongAtFirst => "full again, and the request for a summary is too long twice",
        Plan::ByThePerson => "full again, and the model answers nonsense three times",
        Plan::Again => "full once more",
    }
}

/// Compacts as the plan has it; nothing if the window stays as it is.
async fn meet(
    plan: Plan,
    agent: &Agent,
    breaker: &Breaker,
    notes: &Notes,
    server: &Server,
    told: &mut Telling,
) -> Option<Compaction> {
    let decision = agent.decide();
    match plan {
        Plan::ByNotes => told.value(
            "from notes",
            once(agent, breaker, &Cause::Auto(&decision), Some(notes)).await,
        ),
        Plan::TooLongAtFirst => {
            server.next([
                Action::TooLong { over: 4_000 },
                Action::TooLong { over: 2_000 },
            ]);
            told.value(
                "too long",
                once(agent, breaker, &Cause::Auto(&decision), None).await,
            )
        }
        Plan::BySummary | Plan::Again => told.value(
            "a summary",
            once(agent, breaker, &Cause::Auto(&decision), None).await,
        ),
        Plan::ByThePerson => {
            let call =
                || Action::Answer(Answer::call("call_x", "Read", json!({ "file_path": "/x" })));
            let nonsense = [
                vec![Action::Answer(Answer::empty())],
                vec![Action::Answer(Answer::reasoning("there is much to say"))],
                // Such an answer is asked for once more.
                vec![call(), call()],
            ];
            for answers in nonsense {
                server.next(answers);
                match once(agent, breaker, &Cause::Auto(&decision), None).await {
                    Ok(_) => told.expect(false, "nonsense became a summary"),
                    Err(why) => told.say(why.to_string()),
                }
            }
            match once(agent, breaker, &Cause::Auto(&decision), None).await {
                Ok(_) => told.expect(false, "the breaker let a fourth try through"),
                Err(why) => told.say(why.to_string()),
            }
            let cause = Cause::manual(Some("keep the name of the flag"));
            told.value("by the person", once(agent, breaker, &cause, None).await)
        }
    }
}

async fn once(
    agent: &Agent,
    breaker: &Breaker,
    cause: &Cause<'_>,
    notes: Option<&Notes>,
) -> std::result::Result<Compaction, NotCompacted> {
    let files = files_fn(|path| std::fs::read_to_string(path));
    let restore = Restore::default().skill("release", SKILL);
    let mut how = Compact::new(breaker, &agent.counter)
        .policy(&agent.policy)
        .restore(restore)
        .files(&files);
    if let Some(notes) = notes {
        how = how.notes(notes);
    }
    let summarizer = summarizer_fn(|request| agent.summarize(request));
    compact(&agent.messages, cause, &how, &summarizer, &StartHook).await
}

/// The hook of the session's start, which runs again after a compaction.
struct StartHook;

impl Hooks for StartHook {
    async fn session_start(&self) -> Vec<HookResult> {
        vec![HookResult::new("session start", HOOK)]
    }
}

/// What has to hold of each way.
fn check(plan: Plan, done: &Compaction, asked: usize, shop: &Path, told: &mut Telling) {
    let by_notes = plan == Plan::ByNotes;
    let way = if by_notes { Way::Notes } else { Way::Summary };
    told.expect(done.by == way, format!("by {:?}", done.by));
    told.expect(done.after * 2 < done.before, "it is hardly shorter");
    told.expect(done.boundary.is_some(), "there is no record");
    told.expect(
        (plan == Plan::TooLongAtFirst) == (done.trimmed > 0),
        "the wrong part was left out",
    );
    let requests = match plan {
        Plan::ByNotes => 0,
        Plan::BySummary | Plan::Again => 1,
        Plan::TooLongAtFirst => 3,
        // One, one and two for nonsense; one for the person.
        Plan::ByThePerson => 5,
    };
    told.expect(
        asked == requests,
        format!("{asked} requests instead of {requests}"),
    );
    let knows = if by_notes {
        "File 7 holds the flag"
    } else {
        "the flag stands in file 7"
    };
    told.expect(
        done.summary_text().contains(knows),
        "the summary lost the flag",
    );
    // Files are read fresh: what came back is what stands on the disk, byte for byte.
    let files: Vec<&compact_sm::Attachment> = done
        .restored
        .attachments
        .iter()
        .filter(|attachment| attachment.kind == compact_sm::AttachmentKind::File)
        .collect();
    told.expect(
        (1..=5).contains(&files.len()),
        format!("{} files came back", files.len()),
    );
    for attachment in files {
        let fresh = std::fs::read_to_string(&attachment.name).unwrap_or_default();
        told.expect(
            fresh == attachment.text,
            format!("{} is another text", attachment.name),
        );
        told.expect(
            Path::new(&attachment.name).starts_with(shop),
            "a file from elsewhere",
        );
    }
    let skill = done
        .restored
        .attachments
        .iter()
        .any(|attachment| attachment.text == SKILL);
    told.expect(skill, "the skill did not come back");
}

fn closing(
    server: &Server,
    notebook: &Notebook,
    crossings: usize,
    refused: usize,
    story: &mut Story,
) {
    let mut told = Telling::new(
        "compact-sm",
        "The server refused nothing but what it was told to",
    );
    let seen = server.seen();
    let scripted = ["prompt is too long: 104000", "prompt is too long: 102000"];
    for why in seen.iter().filter_map(|seen| seen.refused.as_ref()) {
        let expected = scripted.iter().any(|text| why.starts_with(text));
        told.expect(expected, format!("refused: {why}"));
    }
    notebook.tell(&mut told);
    // A fork has the conversation's prefix, byte for byte, so it is read from the cache like a turn.
    let says = |seen: &Seen, word: &str| {
        let last = seen.body["messages"]
            .as_array()
            .and_then(|list| list.last());
        last.is_some_and(|last| last.to_string().contains(word))
    };
    let (notes, summary) = ("<current-notes>", "<summary>");
    let turns = share(
        seen.iter()
            .filter(|seen| !says(seen, notes) && !says(seen, summary)),
    );
    let taking = share(seen.iter().filter(|seen| says(seen, notes)));
    let summing = share(seen.iter().filter(|seen| says(seen, summary)));
    told.expect(turns >= 90, "turns are hardly read from the cache");
    told.expect(
        taking >= 90,
        "notes are taken with another prefix than the turns",
    );
    told.expect(
        summing >= 75,
        "summaries are asked for with another prefix than the turns",
    );
    told.say(format!(
        "input from the cache: {turns} % of turns, {taking} % of forks that take notes, \
         {summing} % of forks that summarize"
    ));
    told.expect(crossings >= 4, format!("{crossings} crossings"));
    told.expect(refused == 0, "a crossing was not met");
    told.say(format!(
        "{TURNS} turns, {} requests, {crossings} compactions",
        seen.len()
    ));
    story.tell(told);
}

/// How much of the input of these requests came from the cache, in percent.
fn share<'a>(seen: impl Iterator<Item = &'a Seen>) -> u64 {
    let (mut read, mut all) = (0, 0);
    for usage in seen.map(|seen| &seen.usage) {
        let of = |key: &str| usage[key].as_u64().unwrap_or(0);
        read += of("cache_read_input_tokens");
        all +=
            of("cache_read_input_tokens") + of("cache_creation_input_tokens") + of("input_tokens");
    }
    read * 100 / all.max(1)
}

/// The shop's files, of some nine hundred tokens each.
fn write_files(world: &World) -> Result<std::path::PathBuf> {
    let shop = world.root().join("shop-files");
    std::fs::create_dir_all(&shop)?;
    for n in 0..FILES {
        let line = format!("pub const VALUE_{n}: u32 = {n}; // 第 {n} 个文件\n");
        std::fs::write(file_path(&shop, n), line.repeat(60))?;
    }
    Ok(shop)
}

fn file_path(shop: &Path, n: usize) -> std::path::PathBuf {
    shop.join(format!("file_{n}.rs"))
}

fn file(shop: &Path, turn: usize) -> String {
    file_path(shop, turn % FILES).display().to_string()
}

/// The tool: reads what it is told to.
fn read(input: &Value) -> String {
    let path = input["file_path"].as_str().unwrap_or_default();
    std::fs::read_to_string(path).unwrap_or_else(|error| error.to_string())
}

/// The scripted model: reads the file that it is asked about, then says what it holds; writes a
/// summary when it is asked for one.
fn model(request: &Value, shop: &Path) -> Action {
    let last = request["messages"].as_array().and_then(|list| list.last());
    let blocks = last.and_then(|last| last["content"].as_array());
    let Some(block) = blocks.and_then(|blocks| blocks.last()) else {
        return Action::text("What is it about?");
    };
    if block["type"] == "tool_result" {
        return Action::text("It holds one constant, written sixty times.");
    }
    let text = block["text"].as_str().unwrap_or_default();
    if let Some(notes) = notes::answer(text) {
        return notes;
    }
    if text.contains("<summary>") {
        let summary = "1. Primary request and intent:\n   Read the shop's files.\n\
                       3. Files and code sections:\n   the flag stands in file 7.";
        let answer =
            format!("<analysis>\nTwelve files.\n</analysis>\n\n<summary>\n{summary}\n</summary>");
        return Action::text(answer);
    }
    let turn = text.split([' ', ':']).nth(1).unwrap_or_default();
    let named = text
        .split_whitespace()
        .find(|word| Path::new(word).starts_with(shop));
    match named {
        Some(path) => Action::Answer(Answer::call(
            &format!("call_{turn}"),
            "Read",
            json!({ "file_path": path }),
        )),
        None => Action::text("Which file?"),
    }
}
