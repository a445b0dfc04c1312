//! One compaction: each way, and what comes back.

use std::ops::Range;

use super::ask::ask;
use super::cuts;
use super::how::{Cause, Compact};
use super::result::{Compaction, PassedOver, Way, WhyNot, decider, origin, stays};
use super::used;
use crate::boundary::boundary_text;
use crate::from_notes::{Form, FromNotes, from_notes, record};
use crate::keep::{Summarized, covered, is_command};
use crate::micro::micro;
use crate::notes::head_of;
use crate::reinject::SessionStart;
use crate::restore::{Restored, Stays, plain, present, recent_reads, restore_beside, whole_texts};
use crate::summarizer::Summarizer;
use crate::summary::prompt::{TOO_LONG, summary_text};
use crate::summary::{Scope, SummaryOptions, SummaryRequest, summary_prompt, summary_request};
use crate::tokens::{Counter, Measure};
use crate::transcript::{MAX_IMAGES, images, shape};
use crate::window::RESERVE_TOKENS;
use crate::{Block, Message, Origin};

pub(super) struct Run<'a> {
    pub(super) messages: &'a [Message],
    pub(super) cause: &'a Cause<'a>,
    pub(super) how: &'a Compact<'a>,
    pub(super) counter: &'a (dyn Counter + Sync),
    pub(super) measured: Measure,
    pub(super) floor: usize,
}

impl Run<'_> {
    /// What the result has to stay below, where nobody asked for it in person. In tokens.
    pub(super) fn limit(&self) -> Option<u64> {
        match self.cause {
            Cause::Auto(_) => self.how.figures.threshold,
            Cause::Refused(refused) => {
                let limits = [self.how.figures.threshold, refused.limit];
                limits.into_iter().flatten().min()
            }
            Cause::Manual { .. } | Cause::Partial { .. } => None,
        }
    }

    pub(super) fn max_images(&self) -> usize {
        self.how.figures.max_images.unwrap_or(MAX_IMAGES)
    }

    /// The conversation as it was, in the same measure as what a result holds. In tokens.
    fn full(&self) -> u64 {
        self.measured.overhead.saturating_add(self.measured.all)
    }

    /// Whatever came back, and whatever the hooks said: a result is shorter than before.
    pub(super) fn shrinks(&self, done: &Compaction) -> Result<(), WhyNot> {
        let (before, after) = (self.full(), done.after);
        match after < before {
            true => Ok(()),
            false => Err(WhyNot::DoesNotShrink { before, after }),
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
            reinject: SessionStart::default(),
            cleared: Vec::new(),
            trimmed: 0,
            summarized: Summarized::Unknown,
            before: self.measured.before,
            after: self.measured.before,
            shape: shape(self.messages),
        }
    }

    pub(super) fn micro(&self) -> Result<Compaction, PassedOver> {
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
        if images(&done.messages) > self.max_images() {
            return Err(PassedOver::NotEnough { after, limit });
        }
        let restored = Restored {
            present: present(&done.messages),
            ..Restored::default()
        };
        Ok(Compaction {
            kept: done.messages,
            restored,
            cleared: done.cleared,
            after,
            ..self.result(Way::Micro)
        })
    }

    pub(super) fn notes(&self) -> Result<Compaction, PassedOver> {
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
        let most = cuts::Most {
            tokens: self.limit().map_or(most, |limit| most.min(limit / 3)),
            images: self.max_images(),
        };
        let end = cuts::tail(
            self.messages,
            self.floor,
            self.cause.kept(),
            &most,
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
        let served = match self.cause {
            Cause::Refused(refused) => refused.limit.map(|limit| limit - self.longest()),
            _ => None,
        };
        let room = [self.how.room, served].into_iter().flatten().min();
        let prompt = summary_prompt(scope, options.instructions.as_deref());
        let prompt = self.counter.text(&prompt);
        // What a model has read and reported is no estimate: with room for it nothing is shortened,
        // so that the request begins as the conversation does and the cache is hit.
        let is_refused = matches!(self.cause, Cause::Refused(_));
        let asked = self
            .measured
            .before
            .saturating_add(self.counter.padded(prompt));
        let room = room.filter(|room| is_refused || asked > *room);
        options.room = room.map(|room| {
            let taken = self.measured.overhead.saturating_add(prompt);
            room.saturating_sub(taken) / 4 * 3
        });
        let mut request = summary_request(self.messages, what, &options, self.counter);
        request.max_tokens = self.longest();
        request
    }

    pub(super) async fn summary<S: Summarizer + Sync>(
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
        summary
            .stands_for(replaced, self.counter)
            .map_err(WhyNot::BadSummary)?;
        let beside = self.beside(summary, &what, replaced)?;
        let what = what.start..beside.end;
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
        let text = summary_text(&beside.text, figures.transcript.as_deref(), goes_on);
        let origin = origin(&head);
        let text = match figures.form {
            Form::Text if origin == Origin::Summary => boundary_text(&text),
            _ => text,
        };
        let mut blocks = vec![Block::text(text)];
        blocks.extend(beside.words);
        let mut insert = Message::user(blocks).origin(origin);
        insert.uuid.clone_from(&figures.summary_uuid);
        let list = head.iter().chain([&insert]).chain(&kept);
        let list = list.fold(0_u64, |sum, m| sum.saturating_add(self.counter.message(m)));
        if list >= self.measured.all {
            let (before, after) = (self.measured.all, list);
            return Err(WhyNot::DoesNotShrink { before, after });
        }
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
            summarized: self.mark(&what),
            head,
            summary_messages: vec![insert],
            kept,
            trimmed,
            after,
            ..self.result(Way::Summary)
        })
    }

    /// How far the notes reach in the new list: they know what the summary stands for only if they
    /// reach beyond it.
    fn mark(&self, what: &Range<usize>) -> Summarized {
        let said = |range: Range<usize>| {
            let said = self.messages[range].iter().filter(|m| !is_command(m));
            said.count()
        };
        let head = match self.cause {
            Cause::Partial { .. } => 0..what.start,
            _ => 0..0,
        };
        let notes = self.how.notes.map(|notes| &notes.summarized);
        match notes.and_then(|summarized| covered(self.messages, summarized)) {
            None => Summarized::Count(0),
            Some(count) if count >= what.end => {
                Summarized::Count(said(head) + 1 + said(what.end..count))
            }
            Some(count) => Summarized::Count(said(head.start..count.min(head.end))),
        }
    }

    /// The longest summary. In tokens; less where the service has a smaller window than was said.
    pub(super) fn longest(&self) -> u64 {
        match self.cause {
            Cause::Refused(refused) => refused
                .limit
                .map_or(RESERVE_TOKENS, |limit| RESERVE_TOKENS.min(limit / 4)),
            _ => RESERVE_TOKENS,
        }
    }

    /// The bound that keeps summaries from growing, round after round.
    pub(super) fn shortened(&self, summary: String) -> String {
        let most = self.longest();
        let too_long = summary.len() as u64 > most && self.counter.text(&summary) > most;
        if !too_long {
            return summary;
        }
        let room = most.saturating_sub(self.counter.text(TOO_LONG).saturating_add(1));
        let head = head_of(&summary, room, self.counter);
        format!("{}{TOO_LONG}", head.trim_end())
    }

    pub(super) fn restore(&self, done: &mut Compaction) {
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
        let mut whole = whole_texts(&done.head);
        if let (false, Ok((run, _))) = (whole.is_empty(), self.span()) {
            // The text of a file that the run changed is an old one.
            for file in recent_reads(&self.messages[run]) {
                whole.remove(plain(&file.path));
            }
        }
        whole.extend(whole_texts(&done.kept));
        let lists = [done.head.as_slice(), done.kept.as_slice()];
        let stays = Stays { whole, lists };
        let mut restored = restore_beside(&recent, &stays, &options, self.how.files, self.counter);
        // At least half of what was gained stays gained.
        restored.give_up(self.full().saturating_sub(done.after) / 2);
        for attachment in &restored.attachments {
            done.after = done.after.saturating_add(attachment.tokens);
        }
        done.attach(restored);
        done.list(self.how.start);
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
