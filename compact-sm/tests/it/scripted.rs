//! A model that says what it is told, and a way to wait without a runtime.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use compact_sm::{SummarizeError, Summarizer, SummaryReply, SummaryRequest};

/// A summary that may stand alone for a long conversation: in its form, and long enough.
pub(crate) const SUMMARY: &str = "<summary>They fixed the build: zlib was missing, and build.rs \
    links it now. All 214 tests pass. The person wants the docs next, in short sentences.\n\
    1. Primary request and intent: fix the build, then write the docs.\n\
    2. Key technical concepts: linking of native libraries by a build script.\n\
    3. Files and code sections: build.rs, where the line for zlib was added; Makefile, which was \
    read and left as it is; twenty sources that were read on the way and need nothing.\n\
    4. Errors and fixes: the linker could not find -lz; it is asked for by name now.\n\
    5. Problem solving: nothing is looked into any more.\n\
    6. All user messages: \"please fix the build\".\n\
    7. Pending tasks: the docs, of which build.md comes first.\n\
    8. Current work: the tests ran once more, and all of them passed.\n\
    9. Optional next step: open build.md and describe what the build needs.</summary>";

/// A summary that may stand alone, and says this at its end.
pub(crate) fn telling(text: &str) -> String {
    SUMMARY.replace("</summary>", &format!(" {text}</summary>"))
}

/// Answers in their order; the last one again and again.
pub(crate) struct Scripted {
    answers: Mutex<VecDeque<Answer>>,
    pub(crate) seen: Mutex<Vec<SummaryRequest>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Says(SummaryReply),
    TooLong(Option<u64>),
    Fails(&'static str),
    Hangs,
}

pub(crate) fn says(text: &str) -> Answer {
    Answer::Says(SummaryReply::text(text))
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Scripted {
        Scripted {
            answers: Mutex::new(answers.into_iter().collect()),
            seen: Mutex::default(),
        }
    }

    pub(crate) fn says(text: &str) -> Scripted {
        Scripted::new([says(text)])
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

impl Summarizer for Scripted {
    async fn summarize(&self, request: SummaryRequest) -> Result<SummaryReply, SummarizeError> {
        self.seen.lock().unwrap().push(request);
        let answer = {
            let mut answers = self.answers.lock().unwrap();
            match answers.len() {
                1 => answers[0].clone(),
                _ => answers.pop_front().unwrap(),
            }
        };
        match answer {
            Answer::Says(reply) => Ok(reply),
            Answer::TooLong(over_by) => Err(SummarizeError::TooLong { over_by }),
            Answer::Fails(why) => Err(SummarizeError::other(why)),
            Answer::Hangs => std::future::pending().await,
        }
    }
}

/// The result of a future that never has to wait.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match once(future) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future waits"),
    }
}

/// Polls a future once, then drops it.
pub(crate) fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}
