//! A service that fails in every way while a summary is asked for: the conversation stays.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use compact_sm::{Cause, Message};

use super::super::story::{Story, Telling};
use crate::Result;
use crate::agent::Agent;
use crate::server::{Action, Answer, Server};

/// How long the host waits for a model that hangs.
const PATIENCE: Duration = Duration::from_millis(150);

pub(super) async fn tell(
    agent: &mut Agent,
    server: &Server,
    now: SystemTime,
    story: &mut Story,
) -> Result<()> {
    let mut told = Telling::new(
        "compact-sm",
        "A service that fails in every way leaves the conversation as it was",
    );
    let before = agent.messages.clone();
    let json = Action::text("{\"summary\": \"all\"}");
    let busy = |status, kind| vec![Action::refuse(status, kind, Some(0)); 3];
    let faults: [(&str, Vec<Action>); 7] = [
        ("429, each time it is tried", busy(429, "rate_limit_error")),
        ("529, each time it is tried", busy(529, "overloaded_error")),
        ("a body that ends in the middle", vec![Action::CutBody; 3]),
        ("a page of a proxy", vec![Action::Html; 3]),
        ("JSON in place of a summary", vec![json]),
        (
            "too long, whatever is left out",
            vec![Action::TooLong { over: 1_000 }; 4],
        ),
        ("nothing at all", vec![Action::Answer(Answer::empty())]),
    ];
    for (name, actions) in faults {
        server.next(actions);
        match agent.attempt(&Cause::manual(None), None).await {
            Ok(_) => told.expect(false, format!("{name}: became a summary")),
            Err(why) => {
                let why_not = why.to_string();
                let source = why.source().map(ToString::to_string);
                let source = source.filter(|source| *source != why_not);
                let source = source.map(|source| format!(", {source}"));
                told.say(format!("{name}: {why_not}{}", source.unwrap_or_default()));
            }
        }
        untouched(agent, &before, &mut told);
    }
    server.next([Action::Hang]);
    let cause = Cause::manual(None);
    let hanging = agent.attempt(&cause, None);
    let gave_up = tokio::time::timeout(PATIENCE, hanging).await.is_err();
    told.expect(gave_up, "a hanging service answered");
    told.say("a service that hangs: given up by the host");
    untouched(agent, &before, &mut told);

    // Busy once, then well: the client waits, and the summary comes.
    server.next([Action::refuse(529, "overloaded_error", Some(0))]);
    let done = agent.attempt(&Cause::manual(None), None).await;
    if let Some(done) = told.value("after all that", done) {
        for wrong in agent.adopt(done, now)?.wrong {
            told.expect(false, wrong);
        }
        told.say("then it answers, and the person's compaction works");
    }
    story.tell(told);
    Ok(())
}

fn untouched(agent: &Agent, before: &[Message], told: &mut Telling) {
    told.expect(agent.messages == before, "the conversation changed");
}
