//! The chapter on compaction: a session of three hundred turns over HTTP, whose window fills up
//! again and again; by notes, by a summary, by a summary that is too long at first, and by a model
//! that answers nonsense until the breaker stops the tries and the person asks for it.

mod faults;
mod model;

use std::path::Path;
use std::sync::Arc;

use compact_sm::{Cause, Compaction, Way};
use serde_json::json;

use super::story::{Story, Telling};
use super::world::World;
use crate::Result;
use crate::agent::{Agent, Host, Notebook};
use crate::server::{Action, Answer, Seen, Server};

/// The window of the model, in tokens. Small, so that three hundred turns fill it several times.
const WINDOW: u64 = 100_000;
/// The longest answer, in tokens.
const MAX_OUTPUT: u64 = 32_000;
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
    server.script(move |request| Some(model::answer(request, &served)));

    let mut host = Host::new(&world.home, server.url());
    (host.window, host.max_output) = (WINDOW, MAX_OUTPUT);
    (host.selector, host.dreams, host.makes_room) = (false, false, false);
    let now = World::morning(10);
    let ledger = Arc::default();
    let mut agent = Agent::start(&host, "long", &world.main, Some(HOOK), &ledger, now)?;
    agent.call_skill("release", SKILL);
    let mut crossings = 0;
    let mut refused = 0;
    for turn in 0..TURNS {
        let says = format!("turn {turn}: what does {} hold?", file(&shop, turn));
        agent.turn(&says, now).await?;
        let decision = agent.decide();
        if !decision.compacts() {
            continue;
        }
        let plan = *PLANS.get(crossings).unwrap_or(&Plan::Again);
        let mut told = Telling::new("compact-sm", format!("Turn {turn}: {}", title(plan)));
        told.say(decision.to_string());
        let before = server.seen().len();
        let done = meet(plan, &agent, &server, &mut told).await;
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
        // The API's rules, and what a session that starts anew puts together.
        for wrong in agent.adopt(done, now)?.wrong {
            told.expect(false, wrong);
        }
        story.tell(told);
    }
    closing(&server, &agent, crossings, refused, story);
    faults::tell(&mut agent, &server, now, story).await?;
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
    server: &Server,
    told: &mut Telling,
) -> Option<Compaction> {
    let decision = agent.decide();
    let auto = Cause::Auto(&decision);
    match plan {
        Plan::ByNotes => {
            let notes = agent.notebook.as_ref().map(Notebook::notes);
            told.value("from notes", agent.attempt(&auto, notes.as_ref()).await)
        }
        Plan::TooLongAtFirst => {
            server.next([
                Action::TooLong { over: 4_000 },
                Action::TooLong { over: 2_000 },
            ]);
            told.value("too long", agent.attempt(&auto, None).await)
        }
        Plan::BySummary | Plan::Again => told.value("a summary", agent.attempt(&auto, None).await),
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
                match agent.attempt(&auto, None).await {
                    Ok(_) => told.expect(false, "nonsense became a summary"),
                    Err(why) => told.say(why.to_string()),
                }
            }
            match agent.attempt(&auto, None).await {
                Ok(_) => told.expect(false, "the breaker let a fourth try through"),
                Err(why) => told.say(why.to_string()),
            }
            let cause = Cause::manual(Some("keep the name of the flag"));
            told.value("by the person", agent.attempt(&cause, None).await)
        }
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

fn closing(server: &Server, agent: &Agent, crossings: usize, refused: usize, story: &mut Story) {
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
    if let Some(notebook) = &agent.notebook {
        notes(notebook, &mut told);
    }
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

/// What the fork that takes notes did, and was not allowed to do.
fn notes(notebook: &Notebook, told: &mut Telling) {
    told.say(format!("notes were taken {} times", notebook.taken));
    told.expect(notebook.taken >= 3, "notes were hardly taken");
    let mut reasons: Vec<&String> = notebook.refused.iter().collect();
    reasons.sort();
    reasons.dedup();
    for why in &reasons {
        told.say(format!("refused: {why}"));
    }
    told.expect(
        notebook.refused.len() >= 3,
        "the model was not kept to its file",
    );
    let text = notebook.text();
    told.expect(!text.contains("ghp_"), "a token stands in the notes");
    let headings = text.lines().filter(|line| line.starts_with("# ")).count();
    told.expect(headings == 10, format!("{headings} sections"));
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
