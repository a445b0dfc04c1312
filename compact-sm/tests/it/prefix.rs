//! A fork begins as the conversation does, so that the cache of the prompt is hit.

use std::sync::Mutex;

use compact_sm::{
    Block, Breaker, Cause, Compact, Estimator, Flags, Message, NoHooks, NotesJob, Origin,
    Overrides, Policy, Settings, Source, Summarized, SummaryReply, Usage, Window, compact,
    notes_task, notes_template, summarizer_fn,
};
use serde_json::json;

/// A summary, then rounds of calls whose kept tail begins with the model.
fn messages(rounds: usize) -> Vec<Message> {
    let mut list = vec![Message::user("Summary: the linker needs zlib.").origin(Origin::Summary)];
    for n in 0..rounds {
        let id = format!("call_{n}");
        let call = Block::tool_use(&id, "Read", json!({ "file_path": "/a.rs" }));
        list.push(
            Message::assistant(vec![call])
                .id(format!("msg_{n}"))
                .uuid(format!("a{n}")),
        );
        let text = "fn main() { println!(\"1234567890\"); }\n".repeat(100);
        list.push(Message::user(vec![Block::tool_result(&id, text)]).uuid(format!("u{n}")));
    }
    list.push(
        Message::assistant("It prints a number.")
            .id("last")
            .uuid("last"),
    );
    list
}

#[test]
fn the_task_of_taking_notes_begins_with_the_summary_before_it() {
    let list = messages(20);
    for summarized in [Summarized::Unknown, Summarized::Uuid("u9".to_owned())] {
        let job = NotesJob::new("/notes.md", notes_template()).summarized(summarized);
        let task = notes_task(&list, &job, &Estimator::default());
        assert_eq!(task.left_out, 0);
        let sent = &task.messages[..list.len()];
        assert!(
            sent.iter()
                .zip(&list)
                .all(|(a, b)| a.to_request() == b.to_request())
        );
    }
}

#[test]
fn a_request_for_a_summary_shortens_nothing_that_the_model_has_just_read() {
    let mut list = messages(60);
    // What was reported fits, whatever an estimate would say.
    let last = list.len() - 1;
    list[last].usage = Some(Usage::new(70_000, 10));
    let policy = Policy::new(
        &Window::new(100_000, 32_000),
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let counter = Estimator::default();
    let decision = policy.decide(&list, &counter, Source::Main);
    assert!(decision.compacts(), "{decision}");
    let seen = Mutex::new(Vec::new());
    let summarizer = summarizer_fn(async |request: compact_sm::SummaryRequest| {
        *seen.lock().unwrap() = request.messages;
        Ok(SummaryReply::text(
            "<summary>It prints a number. The person asked for it in hexadecimal, with \
             eight digits; main.rs is changed, the tests of it are not written yet, and the \
             changelog waits.</summary>",
        ))
    });
    let breaker = Breaker::new();
    let how = Compact::new(&breaker, &counter).policy(&policy);
    let cause = Cause::Auto(&decision);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let done = runtime
        .block_on(compact(&list, &cause, &how, &summarizer, &NoHooks))
        .unwrap();
    let sent = seen.into_inner().unwrap();
    let shared = list.len() - done.kept.len();
    assert!(sent.len() > shared);
    for (sent, own) in sent.iter().zip(&list[..shared]) {
        assert_eq!(sent.to_request(), own.to_request());
    }
}
