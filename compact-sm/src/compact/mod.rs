//! Compaction as a whole: the ways in their order, what comes back, and nothing in between.

mod cuts;
mod how;
mod result;

pub use how::{Cause, Compact};
pub use result::{Compaction, NotCompacted, PassedOver, Tried, Way, WhyNot};

use std::ops::Range;

use crate::boundary::boundary_text;
use crate::breaker::{Attempt, Refusal};
use crate::from_notes::{Form, FromNotes, from_notes, record};
use crate::hooks::{AfterCompaction, Before, BeforeCompaction, Hooks};
use crate::keep::{Summarized, floor, is_command};
use crate::micro::micro;
use crate::notes::head_of;
use crate::restore::{Restored, recent_reads, restore};
use crate::summarizer::{SummarizeError, Summarizer};
use crate::summary::prompt::{TOO_LONG, summary_text};
use crate::summary::{
    BadSummary, MAX_TRIMS, Scope, SummaryOptions, SummaryRequest, Trim, read_summary,
    summary_prompt, summary_request,
};
use crate::tokens::{Counter, Measure, measure};
use crate::window::RESERVE_TOKENS;
use crate::{Block, Message, Origin};
use result::{decider, origin, stays};

/// Compacts a conversation: by clearing old results, else from notes, else by a summary, whichever
/// is enough first. A person's instructions rule out notes, a selected run leaves only the summary.
///
/// The history is borrowed: whatever fails, and if the future is dropped, it is as it was, and the
/// breaker counts a failure. Nothing is retried but a request for a summary that is too long, which
/// is made shorter up to three times, and an answer that calls a tool, once. Time is the host's: a
/// limit is put around the future.
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
                    attempt.fail();
                    return Err(NotCompacted { why, attempts });
                }
            }
        }
    };
    done.attempts = attempts;
    done.hooked(hooks.session_start().await);
    run.restore(&mut done);
    let after = AfterCompaction {
        trigger: cause.by(),
        summary: done.summary_text(),
    };
    hooks.after(&after).await;
    Ok(end(attempt, cause, done))
}

fn begin<'a>(
    messages: &[Message],
    cause: &Cause<'_>,
    how: &Compact<'a>,
) -> Result<Attempt<'a>, WhyNot> {
    let started: Result<Attempt<'a>, Refusal> = match cause {
        Cause::Auto(decision) => how.breaker.begin(decision),
        Cause::Refused(_) => how.breaker.begin_refused(messages.len()),
        Cause::Manual { .. } | Cause::Partial { .. } => {
            if let Some(switch) = how.manual_switch.as_ref().filter(|switch| !switch.on) {
                return Err(WhyNot::SwitchedOff(decider(switch)));
            }
            how.breaker.begin_manual()
        }
    };
    started.map_err(WhyNot::NotStarted)
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

struct Run<'a> {
    messages: &'a [Message],
    cause: &'a Cause<'a>,
    how: &'a Compact<'a>,
    counter: &'a (dyn Counter + Sync),
    measured: Measure,
    floor: usize,
}

impl Run<'_> {
    /// What the result has to stay below, where nobody asked for it in person. In tokens.
    fn limit(&self) -> Option<u64> {
        match self.cause {
            Cause::Auto(_) => self.how.figures.threshold,
            Cause::Refused(refused) => {
                let limits = [self.how.figures.threshold, refused.limit];
                limits.into_iter().flatten().min()
            }
            Cause::Manual { .. } | Cause::Partial { .. } => None,
        }
    }

    fn figures(&self) -> FromNotes {
        let mut figures = self.how.figures.clone();
        figures.trigger = self.cause.by();
        figures.instructions = self.cause.instructions().map(str::to_owned);
        figures.threshold = self.limit();
        figures.used = used(self.cause, self.how);
        figures
    }

    fn result(&self, by: Way) -> Compaction {
        Compaction {
            by,
            attempts: Vec::new(),
            boundary: None,
            head: Vec::new(),
            summary_messages: Vec::new(),
            kept: Vec::new(),
            attachments: Vec::new(),
            hook_results: Vec::new(),
            restored: Restored::default(),
            hooks: Vec::new(),
            cleared: Vec::new(),
            trimmed: 0,
            summarized: Summarized::Unknown,
            before: self.measured.before,
            after: self.measured.before,
            messages: self.messages.len(),
            last: self.messages.last().and_then(|m| m.uuid.clone()),
        }
    }

    fn micro(&self) -> Result<Compaction, PassedOver> {
        if matches!(self.cause, Cause::Manual { .. } | Cause::Partial { .. }) {
            return Err(PassedOver::PersonAsked);
        }
        let Some((when, options)) = &self.how.micro else {
            return Err(PassedOver::NotOffered);
        };
        let plan = micro(self.messages, *when, options, self.counter);
        if let Some(why) = plan.why_not {
            return Err(PassedOver::NotCleared(why));
        }
        let after = self.measured.before.saturating_sub(plan.saved_tokens);
        let limit = self.limit();
        let over = match self.cause {
            // What the service counted is nearer to the truth than any estimate.
            Cause::Refused(refused) => refused
                .over_by()
                .is_none_or(|over| plan.saved_tokens <= over),
            _ => false,
        };
        if over || limit.is_none_or(|limit| after >= limit) {
            return Err(PassedOver::NotEnough { after, limit });
        }
        let Ok(done) = plan.apply(self.messages.iter().map(stays).collect()) else {
            return Err(PassedOver::NotEnough { after, limit });
        };
        Ok(Compaction {
            kept: done.messages,
            cleared: done.cleared,
            after,
            ..self.result(Way::Micro)
        })
    }

    fn notes(&self) -> Result<Compaction, PassedOver> {
        if matches!(self.cause, Cause::Partial { .. }) {
            return Err(PassedOver::PersonAsked);
        }
        let Some(notes) = self.how.notes else {
            return Err(PassedOver::NotOffered);
        };
        if let Some(switch) = self.how.notes_switch.as_ref().filter(|switch| !switch.on) {
            return Err(PassedOver::SwitchedOff(decider(switch)));
        }
        let plan = from_notes(self.messages, notes, &self.figures(), self.counter)
            .map_err(PassedOver::Notes)?;
        let stay = plan.kept.clone();
        let stay = stay.filter(|at| plan.left_out.binary_search(at).is_err());
        Ok(Compaction {
            kept: stay.map(|at| stays(&self.messages[at])).collect(),
            summary_messages: vec![plan.insert],
            boundary: Some(plan.boundary),
            summarized: plan.summarized,
            after: plan.after,
            ..self.result(Way::Notes)
        })
    }

    /// What is summarized, and what the summary stands for.
    fn span(&self) -> Result<(Range<usize>, Scope), WhyNot> {
        let len = self.messages.len();
        if let Cause::Partial { run, .. } = self.cause {
            let run = cuts::widened(self.messages, self.floor, run).ok_or(WhyNot::BadRun)?;
            let scope = match (run.start, run.end) {
                (0, end) if end == len => Scope::Whole,
                (0, _) => Scope::Prefix,
                _ => Scope::Recent,
            };
            return Ok((run, scope));
        }
        let most = self.how.figures.keep.max_tokens;
        let most = self.limit().map_or(most, |limit| most.min(limit / 3));
        let end = cuts::tail(
            self.messages,
            self.floor,
            self.cause.kept(),
            most,
            self.counter,
        );
        Ok((self.floor..end, Scope::Whole))
    }

    fn request(&self, what: &Range<usize>, scope: Scope, added: Option<&str>) -> SummaryRequest {
        let mut options = SummaryOptions::new(scope).images(self.how.images);
        options.returns = self.how.returns.clone();
        let given = self.cause.instructions();
        let given = [given, added].into_iter().flatten().map(str::trim);
        let given: Vec<&str> = given.filter(|text| !text.is_empty()).collect();
        options.instructions = (!given.is_empty()).then(|| given.join("\n\n"));
        // An estimate may be too low by as much as its margin is for.
        options.room = self.how.room.map(|room| {
            let prompt = summary_prompt(scope, options.instructions.as_deref());
            let taken = self.measured.overhead + self.counter.text(&prompt);
            room.saturating_sub(taken) / 4 * 3
        });
        summary_request(self.messages, what, &options, self.counter)
    }

    async fn summary<S: Summarizer + Sync>(
        &self,
        summarizer: &S,
        added: Option<&str>,
    ) -> Result<Compaction, WhyNot> {
        let (what, scope) = self.span()?;
        let summarized = &self.messages[what.clone()];
        if summarized.iter().filter(|m| !is_command(m)).count() < MIN_MESSAGES
            && !matches!(self.cause, Cause::Partial { .. })
        {
            return Err(WhyNot::TooFewMessages);
        }
        let request = self.request(&what, scope, added);
        let (summary, trimmed) = ask(summarizer, request, self.counter).await?;
        // An earlier summary is replaced as well, unless it stays before a selected run.
        let partial = matches!(self.cause, Cause::Partial { .. });
        let from = if partial {
            what.start
        } else {
            self.floor.saturating_sub(1)
        };
        let replaced = self.messages[from..what.end].iter();
        let replaced = replaced.fold(0_u64, |sum, m| sum.saturating_add(self.counter.message(m)));
        let size = self.counter.text(&summary);
        if size >= replaced {
            let (before, after) = (replaced, size);
            return Err(WhyNot::BadSummary(BadSummary::NotShorter { before, after }));
        }
        let summary = self.shortened(summary);
        let said = |range: Range<usize>| -> Vec<Message> {
            let said = self.messages[range].iter().filter(|m| !is_command(m));
            said.map(stays).collect()
        };
        let head = if partial {
            said(0..what.start)
        } else {
            Vec::new()
        };
        let kept = said(what.end..self.messages.len());
        let figures = self.figures();
        let goes_on = !matches!(self.cause, Cause::Manual { .. });
        let text = summary_text(&summary, figures.transcript.as_deref(), goes_on);
        let origin = origin(&head);
        let text = match figures.form {
            Form::Text if origin == Origin::Summary => boundary_text(&text),
            _ => text,
        };
        let mut insert = Message::user([Block::text(text)]).origin(origin);
        insert.uuid.clone_from(&figures.summary_uuid);
        let list = head.iter().chain([&insert]).chain(&kept);
        let list = list.fold(0_u64, |sum, m| sum.saturating_add(self.counter.message(m)));
        let after = self.measured.overhead.saturating_add(list);
        if let Some(threshold) = self.limit()
            && after >= threshold
        {
            return Err(WhyNot::StillTooLarge { after, threshold });
        }
        let uuids = head.iter().chain(&kept).filter_map(|m| m.uuid.clone());
        let before = self.measured.before;
        let boundary = record(self.messages, uuids.collect(), &figures, before, after);
        Ok(Compaction {
            boundary: Some(boundary),
            summarized: Summarized::Count(head.len() + 1),
            head,
            summary_messages: vec![insert],
            kept,
            trimmed,
            after,
            ..self.result(Way::Summary)
        })
    }

    /// The bound that keeps summaries from growing, round after round.
    fn shortened(&self, summary: String) -> String {
        let too_long =
            summary.len() as u64 > RESERVE_TOKENS && self.counter.text(&summary) > RESERVE_TOKENS;
        if !too_long {
            return summary;
        }
        let room = RESERVE_TOKENS.saturating_sub(self.counter.text(TOO_LONG) + 1);
        let head = head_of(&summary, room, self.counter);
        format!("{}{TOO_LONG}", head.trim_end())
    }

    fn restore(&self, done: &mut Compaction) {
        let mut options = self.how.restore.clone();
        for result in &done.hook_results {
            done.after = done.after.saturating_add(self.counter.message(result));
        }
        if let Some(limit) = self.limit() {
            // What comes back must not fill the window again.
            let room = limit.saturating_sub(done.after) / 2;
            options.skills_total_tokens = options.skills_total_tokens.min(room / 3);
            options.total_tokens = options.total_tokens.min(room - room / 3);
        }
        let recent = match options.recent.take() {
            Some(recent) => recent,
            None => recent_reads(self.messages),
        };
        let stay: Vec<Message>;
        let kept = if done.head.is_empty() {
            &done.kept
        } else {
            stay = done.head.iter().chain(&done.kept).cloned().collect();
            &stay
        };
        let restored = restore(&recent, kept, &options, self.how.files, self.counter);
        for attachment in &restored.attachments {
            done.after = done.after.saturating_add(attachment.tokens);
        }
        done.attach(restored);
        if let Some(boundary) = &mut done.boundary {
            boundary.post_tokens = Some(done.after);
            let dropped = done.before.saturating_sub(done.after);
            let before = self.how.figures.dropped_before;
            boundary.dropped_tokens = Some(before.saturating_add(dropped));
        }
    }
}

/// Fewer messages are not worth a request. In items; our own choice.
const MIN_MESSAGES: usize = 2;

/// Asks until there is a summary, or a reason why there is none.
async fn ask<S: Summarizer + Sync>(
    summarizer: &S,
    mut request: SummaryRequest,
    counter: &(dyn Counter + Sync),
) -> Result<(String, usize), WhyNot> {
    let (mut requests, mut trims, mut trimmed) = (0, 0, 0);
    let mut called = false;
    loop {
        requests += 1;
        match summarizer.summarize(request.clone()).await {
            Ok(reply) => match read_summary(&reply) {
                Ok(summary) => return Ok((summary.text, trimmed)),
                Err(BadSummary::CalledTool { .. }) if !called => called = true,
                Err(why) => return Err(WhyNot::BadSummary(why)),
            },
            Err(SummarizeError::TooLong { over_by }) => {
                if trims == MAX_TRIMS {
                    return Err(WhyNot::TooLong { requests });
                }
                trims += 1;
                match request.trim(over_by, counter) {
                    Trim::Dropped { messages, .. } => trimmed += messages,
                    Trim::OneLeft => return Err(WhyNot::TooLong { requests }),
                }
            }
            Err(SummarizeError::Other(error)) => return Err(WhyNot::Summarizer(error)),
        }
    }
}
