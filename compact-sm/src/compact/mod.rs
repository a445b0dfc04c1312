//! Compaction as a whole: the ways in their order, what comes back, and nothing in between.

mod ask;
mod cuts;
mod doubt;
mod how;
mod result;
mod run;

pub(crate) use cuts::{not_waiting, safe_cuts};
pub use how::{Cause, Compact};
pub use result::{Compaction, NotCompacted, PassedOver, Tried, Way, WhyNot};

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use crate::Message;
use crate::boundary::By;
use crate::breaker::{Attempt, Refusal};
use crate::hooks::{AfterCompaction, Before, BeforeCompaction, Hooks};
use crate::keep::floor;
use crate::summarizer::Summarizer;
use crate::summary::{BadSummary, TAIL_FROM_TOKENS};
use crate::tokens::measure;
use result::decider;
use run::Run;

/// Compacts a conversation: by clearing old results, else from notes, else by a summary, whichever
/// is enough first. A person's instructions rule out notes, a selected run leaves only the summary.
///
/// The history is borrowed: whatever fails, and if the future is dropped, it is as it was, and the
/// breaker counts a failure, unless a person asked and there was nothing to compact. Nothing is
/// retried but a request for a summary that is too long, which is made shorter up to three times,
/// and an answer that calls a tool, once. For a limit of time there is [`compact_within`].
///
/// # Errors
///
/// Why there is none, and why each way was passed over.
pub async fn compact<S: Summarizer + Sync, H: Hooks + Sync>(
    messages: &[Message],
    cause: &Cause<'_>,
    how: &Compact<'_>,
    summarizer: &S,
    hooks: &H,
) -> Result<Compaction, NotCompacted> {
    let attempt = begin(messages, cause, how).map_err(NotCompacted::new)?;
    let run = Run {
        messages,
        cause,
        how,
        counter: how.counter,
        measured: measure(messages, used(cause, how), how.counter),
        floor: floor(messages),
    };
    let mut attempts = Vec::new();
    match run.micro() {
        Ok(done) => return Ok(end(attempt, cause, done)),
        Err(why) => attempts.push(Tried {
            way: Way::Micro,
            why,
        }),
    }
    let before = BeforeCompaction {
        trigger: cause.by(),
        instructions: cause.instructions().map(str::to_owned),
        if_blocked: cause.if_blocked(),
    };
    let added = match hooks.before(&before).await {
        Before::Go => None,
        Before::GoWith { instructions } => Some(instructions),
        Before::Block { reason } => {
            attempt.withdraw();
            let then = before.if_blocked;
            return Err(NotCompacted {
                why: WhyNot::Blocked { reason, then },
                attempts,
            });
        }
    };
    let mut done = match run.notes() {
        Ok(done) => done,
        Err(why) => {
            attempts.push(Tried {
                way: Way::Notes,
                why,
            });
            match run.summary(summarizer, added.as_deref()).await {
                Ok(done) => done,
                Err(why) => {
                    give_up(attempt, cause, &why);
                    return Err(NotCompacted { why, attempts });
                }
            }
        }
    };
    done.attempts = attempts;
    done.hooked(hooks.session_start().await);
    run.restore(&mut done);
    if let Err(why) = run.shrinks(&done) {
        give_up(attempt, cause, &why);
        let attempts = done.attempts;
        return Err(NotCompacted { why, attempts });
    }
    let after = AfterCompaction {
        trigger: cause.by(),
        summary: done.summary_text(),
    };
    hooks.after(&after).await;
    Ok(end(attempt, cause, done))
}

/// [`compact`] with a limit of time: any future, such as the sleep of the host's runtime. What is
/// done wins over a deadline that has passed.
///
/// # Errors
///
/// Those of [`compact`], and [`WhyNot::Deadline`]: what runs is dropped then, which is a failure
/// for the breaker, and the history is as it was.
pub async fn compact_within<S: Summarizer + Sync, H: Hooks + Sync, D: Future>(
    messages: &[Message],
    cause: &Cause<'_>,
    how: &Compact<'_>,
    summarizer: &S,
    hooks: &H,
    deadline: D,
) -> Result<Compaction, NotCompacted> {
    let mut work = pin!(compact(messages, cause, how, summarizer, hooks));
    let mut deadline = pin!(deadline);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(result),
        Poll::Pending => deadline
            .as_mut()
            .poll(context)
            .map(|_| Err(NotCompacted::new(WhyNot::Deadline))),
    })
    .await
}

fn begin<'a>(
    messages: &[Message],
    cause: &Cause<'_>,
    how: &Compact<'a>,
) -> Result<Attempt<'a>, WhyNot> {
    let switch = match cause {
        // The decision has asked already.
        Cause::Auto(_) => None,
        Cause::Refused(_) => how.automatic_switch.as_ref(),
        Cause::Manual { .. } | Cause::Partial { .. } => how.manual_switch.as_ref(),
    };
    if let Some(switch) = switch.filter(|switch| !switch.on) {
        return Err(WhyNot::SwitchedOff(decider(switch)));
    }
    let started: Result<Attempt<'a>, Refusal> = match cause {
        Cause::Auto(decision) => how.breaker.begin(decision),
        Cause::Refused(_) => how.breaker.begin_refused(messages.len()),
        Cause::Manual { .. } | Cause::Partial { .. } => how.breaker.begin_manual(),
    };
    started.map_err(WhyNot::NotStarted)
}

/// It has failed, unless a person asked and there was nothing to gain: automatic compaction is no
/// worse for that.
fn give_up(attempt: Attempt<'_>, cause: &Cause<'_>, why: &WhyNot) {
    let nothing_to_gain = match why {
        WhyNot::TooFewMessages | WhyNot::BadRun | WhyNot::DoesNotShrink { .. } => true,
        WhyNot::BadSummary(BadSummary::NotShorter { before, .. }) => *before < TAIL_FROM_TOKENS,
        _ => false,
    };
    match cause.by() {
        By::Manual if nothing_to_gain => attempt.withdraw(),
        _ => attempt.fail(),
    }
}

/// Every way has checked that its result is shorter where it matters; what came back must not
/// count as a failure.
fn end(attempt: Attempt<'_>, cause: &Cause<'_>, done: Compaction) -> Compaction {
    let (after, before) = (done.after, done.before.max(done.after.saturating_add(1)));
    let _ = match cause {
        Cause::Auto(_) | Cause::Refused(_) => attempt.end(before, after, done.len()),
        Cause::Manual { .. } | Cause::Partial { .. } => {
            attempt.end_manual(before, after, done.len())
        }
    };
    done
}

fn used(cause: &Cause<'_>, how: &Compact<'_>) -> Option<crate::Used> {
    match (how.figures.used, cause) {
        (Some(used), _) => Some(used),
        (None, Cause::Auto(decision)) => Some(decision.used),
        _ => None,
    }
}
