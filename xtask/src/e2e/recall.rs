//! The chapter on recall: three hundred memories, three questions in two languages, and a model
//! that answers over HTTP, that hangs, and that is not there.

use std::future::pending;
use std::path::Path;
use std::time::Duration;

use memdir_recall::{
    Auth, ClientOptions, Fallback, MessagesClient, Options, Picked, PickedBy, Query, Recall,
    SessionBudget, surface,
};
use memdir_types::{Memory, MemoryType};
use serde_json::json;

use super::model;
use super::story::{Story, Telling};
use super::world::World;
use super::writer;
use crate::Result;
use crate::server::{Action, Answer, Server};

/// Memories that the questions are not about.
const OTHERS: usize = 284;
/// How long the host waits for a model that hangs.
const PATIENCE: Duration = Duration::from_millis(100);

/// A question, a word that its memory has, and the memory.
const QUESTIONS: [(&str, Option<&str>); 3] = [
    (
        "may the integration tests use a mocked database?",
        Some("feedback_no_mocks_in_integration_tests.md"),
    ),
    ("她在上海几点到几点工作?", Some("user_working_hours.md")),
    ("which glaze suits a stoneware teapot", None),
];

pub(super) fn tell(world: &World, story: &mut Story) -> Result<()> {
    story.chapter("three hundred memories, three questions");
    let dir = world.root().join("many");
    write_files(&dir)?;
    let recall = Recall::scan(&dir, &Options::default())?;
    scanned(&recall, story);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    by_words(&recall, story);
    runtime.block_on(by_model(&recall, story))?;
    runtime.block_on(with_a_hanging_model(&recall, story))?;
    runtime.block_on(with_a_failing_model(&recall, story))?;
    surfaced(&dir, &recall, story);
    Ok(())
}

fn write_files(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    let mut memories = writer::memories();
    memories.pop();
    memories.push(Memory::new(
        MemoryType::User,
        "working hours",
        "works in Shanghai from ten to seven; 在上海工作, 上午十点到晚上七点",
        "Suggest times in UTC+8. 会议安排在上午十点以后。\n",
    ));
    let systems = [
        "billing", "search", "login", "catalog", "shipping", "mail", "reports",
    ];
    let topics = [
        "cache", "deploy", "schema", "alerts", "budget", "owner", "backlog", "quota",
    ];
    for at in 0..OTHERS {
        let (system, topic) = (systems[at % systems.len()], topics[at / 7 % topics.len()]);
        let kind = MemoryType::ALL[at % MemoryType::ALL.len()];
        let name = format!("{system} {topic} {at}");
        let description = format!("what was agreed about the {topic} of {system}, round {at}");
        let body =
            format!("Round {at}: the {topic} of {system} stays as it is until the review.\n");
        memories.push(Memory::new(kind, &name, &description, &body));
    }
    for memory in memories {
        let kind = memory.kind().unwrap_or(MemoryType::Project);
        let name = memory.name().unwrap_or_default().to_owned();
        let file = memdir_types::file_name(kind, &name, |name| dir.join(name).exists());
        std::fs::write(dir.join(file), memory.render())?;
    }
    Ok(())
}

fn scanned(recall: &Recall, story: &mut Story) {
    let mut told = Telling::new("memdir-recall", "The directory is scanned once");
    let count = recall.memories().len();
    told.expect(count == 300, format!("{count} memories"));
    told.expect(recall.skipped().is_empty(), "something was left out");
    told.say(format!(
        "{count} memories, {} left out",
        recall.skipped().len()
    ));
    story.tell(told);
}

/// Exactly the memory that the question is about, or nothing.
fn check(told: &mut Telling, picked: &Picked, wanted: Option<&str>, by: PickedBy) {
    let first = picked.memories.first();
    told.expect(
        first.map(|memory| memory.file.as_str()) == wanted,
        format!(
            "{:?} instead of {wanted:?}",
            first.map(|memory| &memory.file)
        ),
    );
    told.expect(
        picked.memories.iter().all(|memory| memory.by == by),
        "somebody else chose",
    );
    told.expect(picked.memories.len() <= 5, "more than five");
    told.expect(
        picked.receipt.replay() == picked.receipt.picks,
        "the receipt does not replay",
    );
    let names: Vec<&str> = picked.memories.iter().map(|memory| &*memory.file).collect();
    let shown = if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    };
    told.say(format!("{}: {shown}", picked.receipt.query));
}

fn by_words(recall: &Recall, story: &mut Story) {
    let mut told = Telling::new("memdir-recall", "Without a model");
    for (question, wanted) in QUESTIONS {
        let picked = recall.pick(&Query::new(question));
        check(&mut told, &picked, wanted, PickedBy::Lexical);
    }
    story.tell(told);
}

async fn by_model(recall: &Recall, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-recall", "A small model picks, over HTTP");
    let files = QUESTIONS.iter().filter_map(|(_, file)| *file);
    let model = model::that_picks_from(files.map(str::to_owned).collect())?;
    let client = client(&model)?;
    for (question, wanted) in QUESTIONS {
        let picked = recall
            .pick_with(&Query::new(question), &client, pending::<()>())
            .await;
        check(&mut told, &picked, wanted, PickedBy::Model);
        let fallback = picked
            .receipt
            .model
            .as_ref()
            .and_then(|call| call.fallback.as_ref());
        told.expect(fallback.is_none(), format!("{fallback:?}"));
    }
    let seen = model.seen();
    for refused in seen.iter().filter_map(|seen| seen.refused.as_ref()) {
        told.expect(false, format!("the server refused a request: {refused}"));
    }
    let short = seen.iter().all(|seen| seen.body["max_tokens"] == 256);
    told.expect(short, "a pick may take more than 256 tokens");
    told.say(format!("{} requests on the loopback interface", seen.len()));
    story.tell(told);
    Ok(())
}

async fn with_a_hanging_model(recall: &Recall, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("memdir-recall", "The model hangs; the turn goes on");
    let model = model::that_hangs()?;
    let client = client(&model)?;
    let (question, wanted) = QUESTIONS[0];
    let deadline = tokio::time::sleep(PATIENCE);
    let picked = recall
        .pick_with(&Query::new(question), &client, deadline)
        .await;
    check(&mut told, &picked, wanted, PickedBy::Lexical);
    let fallback = picked.receipt.model.and_then(|call| call.fallback);
    told.expect(
        fallback == Some(Fallback::Deadline),
        format!("{fallback:?}"),
    );
    told.say("the deadline passed, the words stood in");
    story.tell(told);
    Ok(())
}

/// Whatever the model answers, the turn has its memories.
async fn with_a_failing_model(recall: &Recall, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "memdir-recall",
        "The model fails in ten ways; the turn goes on",
    );
    let model = Server::start()?;
    let client = client(&model)?;
    let (question, wanted) = QUESTIONS[0];
    // A service that fails: the words stand in.
    let faults = [
        Action::refuse(429, "rate_limit_error", Some(1)),
        Action::refuse(529, "overloaded_error", None),
        Action::refuse(401, "authentication_error", None),
        Action::TooLong { over: 1 },
        Action::CutBody,
        Action::Html,
    ];
    // An answer that says nothing: nothing is selected, and the receipt says why.
    let says_nothing = [
        Action::text("I would rather not."),
        Action::Answer(Answer::empty()),
        Action::Answer(Answer::reasoning("user_reads.md fits best")),
        Action::Answer(Answer::call("call_1", "Read", json!({ "file_path": "/a" }))),
    ];
    let count = faults.len() + says_nothing.len();
    let rounds = faults.map(|fault| (fault, wanted));
    let rounds = rounds
        .into_iter()
        .chain(says_nothing.map(|answer| (answer, None)));
    for (action, wanted) in rounds {
        model.next([action]);
        let picked = recall
            .pick_with(&Query::new(question), &client, pending::<()>())
            .await;
        let first = picked.memories.first().map(|memory| memory.file.as_str());
        told.expect(first == wanted, format!("{first:?} instead of {wanted:?}"));
        told.expect(
            picked.receipt.replay() == picked.receipt.picks,
            "the receipt does not replay",
        );
        let call = picked.receipt.model.as_ref();
        let failed = call
            .and_then(|call| call.fallback.as_ref())
            .map(ToString::to_string);
        let silent = call
            .and_then(|call| call.problem.as_ref())
            .map(ToString::to_string);
        told.expect(
            failed.is_some() == wanted.is_some(),
            "the wrong kind of reason",
        );
        match failed.or(silent) {
            Some(why) => told.say(why),
            None => told.expect(false, "no reason is given"),
        }
    }
    told.expect(model.seen().len() == count, "not one request for each");
    story.tell(told);
    Ok(())
}

fn client(model: &Server) -> Result<MessagesClient> {
    let options = ClientOptions::default().base_url(model.url()).retries(0);
    Ok(MessagesClient::new(
        Auth::ApiKey("no real key".to_owned()),
        options,
    )?)
}

fn surfaced(dir: &Path, recall: &Recall, story: &mut Story) {
    let mut told = Telling::new(
        "memdir-recall",
        "What is picked enters the conversation as data",
    );
    let picked = recall.pick(&Query::new(QUESTIONS[0].0));
    let mut budget = SessionBudget::new();
    let now = World::morning(8);
    let surfacing = surface(dir, &picked.memories, &mut budget, |memory| {
        memdir_age::freshness(memory.modified, now)
    });
    let text: String = surfacing
        .attachments
        .iter()
        .map(|attachment| &*attachment.surfaced.text)
        .collect();
    told.expect(
        text.contains("real database"),
        "the memory's text is missing",
    );
    told.expect(
        text.matches("<system-reminder>").count() == surfacing.attachments.len(),
        "not one reminder for each memory",
    );
    told.expect(budget.used() > 0, "the session's budget is untouched");
    told.say(format!(
        "{} bytes of the session's budget used",
        budget.used()
    ));
    let again = recall.pick(
        &Query::new(QUESTIONS[0].0).surfaced(
            picked
                .memories
                .iter()
                .map(|memory| memory.file.clone())
                .collect::<Vec<_>>(),
        ),
    );
    let twice = again.memories.iter().any(|memory| {
        picked
            .memories
            .iter()
            .any(|before| before.file == memory.file)
    });
    told.expect(!twice, "a memory is offered a second time");
    story.tell(told);
}
