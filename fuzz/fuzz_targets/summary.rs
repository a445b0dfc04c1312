//! Answers to a request for a summary, errors in their place, edits of notes: a summary says
//! something, whatever fails leaves no gap, and every list stays one that can be sent.
#![no_main]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use compact_sm::{
    Block, Breaker, Cause, Compact, EditGuard, Estimate, Estimator, Gated, Limits,
    MAX_SUMMARY_BYTES, Message, NoHooks, NotesJob, Scope, SummarizeError, SummaryOptions,
    SummaryReply, boundary_text, compact, notes_task, notes_template, read_boundary_text,
    read_summary, repair, summarizer_fn, summary_request, validate, validate_with,
};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    assert_eq!(read_boundary_text(&boundary_text(&text)), Some(&*text));
    for stop in [None, Some("max_tokens"), Some("tool_use"), Some("refusal")] {
        let mut reply = SummaryReply::text(text.as_ref());
        reply.stop_reason = stop.map(str::to_owned);
        answer(reply, &text);
    }
    if let Ok(message) = serde_json::from_slice::<Message>(data) {
        answer(SummaryReply::from_message(message), &text);
    }
    notes(&text);
    if let Ok(list) = serde_json::from_slice::<Vec<Message>>(data) {
        requests(repair(list).messages, data.len());
    }
});

fn answer(reply: SummaryReply, text: &str) {
    let read = read_summary(&reply);
    if let Ok(summary) = &read {
        assert!(!summary.text.trim().is_empty());
        assert!(summary.text.len() <= MAX_SUMMARY_BYTES + 200);
    }
    let list = history();
    let (breaker, counter) = (Breaker::new(), Estimator::new(Estimate::BytesDiv4));
    let how = Compact::new(&breaker, &counter);
    let first = std::sync::atomic::AtomicBool::new(text.len() % 2 == 0);
    let model = summarizer_fn(|request| {
        assert!(validate_with(&request.messages, &Limits::request()).is_empty());
        let fails = first.swap(false, std::sync::atomic::Ordering::Relaxed);
        let reply = match fails {
            true => Err(SummarizeError::read(text)),
            false => Ok(reply.clone()),
        };
        std::future::ready(reply)
    });
    let cause = Cause::manual(Some(text));
    match now(compact(&list, &cause, &how, &model, &NoHooks)) {
        Ok(done) => {
            assert!(read.is_ok() && done.after < done.before);
            let messages = done.into_messages();
            assert!(!messages.is_empty() && validate(&messages).is_empty());
        }
        Err(why) => {
            assert!(!why.to_string().is_empty());
            assert_eq!(breaker.state().failures, 1);
        }
    }
}

fn notes(text: &str) {
    let guard = EditGuard::new("/n");
    let template = notes_template();
    let input = serde_json::from_str(text).unwrap_or_else(|_| {
        let (old, new) = text.split_once('|').unwrap_or((text, ""));
        json!({"file_path": "/n", "old_string": old, "new_string": new, "replace_all": true})
    });
    if let Ok(edited) = guard.apply(&template, "Edit", &input, &|_| Gated::Pass) {
        let headings = |text: &str| text.lines().filter(|l| l.starts_with("# ")).count();
        assert!(headings(&edited) >= headings(&template));
    }
    let job = NotesJob::new("/n", text).prompt(text);
    let task = notes_task(&history(), &job, &Estimator::new(Estimate::BytesDiv4));
    let valid = validate_with(&task.messages, &Limits::request()).is_empty();
    assert!(valid);
}

fn requests(list: Vec<Message>, seed: usize) {
    if !validate(&list).is_empty() {
        return;
    }
    let counter = Estimator::new(Estimate::BytesDiv4);
    for scope in [Scope::Whole, Scope::Recent, Scope::Prefix] {
        let what = seed % (list.len() + 1)..list.len();
        let options = SummaryOptions::new(scope).room(seed as u64);
        let mut request = summary_request(&list, &what, &options, &counter);
        for over in [None, Some(seed as u64), Some(u64::MAX), None] {
            let found = validate_with(&request.messages, &Limits::request());
            assert!(found.is_empty(), "{found:?}");
            request.trim(over, &counter);
        }
    }
}

fn history() -> Vec<Message> {
    let mut list = vec![Message::user("please fix the build")];
    for at in 0..6 {
        let id = format!("t{at}");
        let call = Block::tool_use(id.as_str(), "Read", json!({"file_path": "/a"}));
        list.push(Message::assistant([call]).id(format!("m{at}")));
        list.push(Message::user([Block::tool_result(
            id,
            "some text ".repeat(300),
        )]));
    }
    list
}

fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future waits"),
    }
}
