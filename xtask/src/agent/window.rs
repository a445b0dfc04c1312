//! The window: before each request the conversation is made to fit, and what a session starts with
//! is put back.

use std::path::Path;
use std::time::SystemTime;

use claudemd::Reason;
use compact_sm::{
    Cause, Compact, Compaction, Decision, Elsewhere, HookResult, Hooks, Message, MicroOptions,
    NotCompacted, Notes, Piece, Refused, Restore, Sent, Source, Way, When, compact, files_fn,
    micro, summarizer_fn, validate,
};

use super::{Agent, Compacted, Turn, date};
use crate::Result;

/// What became of one compaction.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// What it was made by; none if there was none.
    pub(crate) by: Option<Way>,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) said: String,
    /// Rules of the API that the new conversation breaks, and what it lacks of a session's start.
    pub(crate) wrong: Vec<String>,
}

/// The hook of the session's start, which runs again after a compaction.
struct StartHook<'a>(Option<&'a str>);

impl Hooks for StartHook<'_> {
    async fn session_start(&self) -> Vec<HookResult> {
        let said = self.0.map(|text| HookResult::new("session start", text));
        said.into_iter().collect()
    }
}

impl Agent {
    pub(crate) fn decide(&self) -> Decision {
        self.policy
            .decide(&self.messages, &self.counter, Source::Main)
    }

    /// Compacts if the window is nearly full.
    pub(super) async fn make_room(&mut self, now: SystemTime, turn: &mut Turn) -> Result<()> {
        let decision = self.decide();
        if self.host.makes_room && decision.compacts() {
            let outcome = self.compact(&Cause::Auto(&decision), now).await?;
            turn.compacted.push(outcome);
        }
        Ok(())
    }

    /// After an hour of silence the cache is cold, and old results cost what they cost.
    pub(super) fn clear_old_results(&mut self, now: SystemTime) -> Result<usize> {
        let gap = self.last.and_then(|last| now.duration_since(last).ok());
        let Some(gap) = gap else {
            return Ok(0);
        };
        let options = MicroOptions::default();
        let plan = micro(&self.messages, When::Idle(gap), &options, &self.counter);
        if plan.clear.is_empty() {
            return Ok(0);
        }
        let before = self.decide().used.total();
        let done = plan.apply(std::mem::take(&mut self.messages));
        let (messages, cleared, saved) = match done {
            Ok(done) => (done.messages, done.cleared.len(), done.saved_tokens),
            // It is for this very list.
            Err(back) => (back.messages, 0, 0),
        };
        self.messages = messages;
        let mut ledger = self.ledger.lock().unwrap_or_else(|e| e.into_inner());
        ledger.compactions.push(Compacted {
            session: self.id.clone(),
            turn: self.turns,
            way: "micro".to_owned(),
            before,
            after: before.saturating_sub(saved),
        });
        Ok(cleared)
    }

    pub(super) async fn after_refusal(
        &mut self,
        refused: Refused,
        now: SystemTime,
        turn: &mut Turn,
    ) -> Result<()> {
        let outcome = self.compact(&Cause::Refused(refused), now).await?;
        turn.compacted.push(outcome);
        Ok(())
    }

    /// Compacts, for whatever cause. On a failure the conversation is as it was.
    pub(crate) async fn compact(&mut self, cause: &Cause<'_>, now: SystemTime) -> Result<Outcome> {
        let notes = self.notebook.as_ref().map(super::Notebook::notes);
        match self.attempt(cause, notes.as_ref()).await {
            Ok(done) => self.adopt(done, now),
            Err(why) => Ok(Outcome {
                by: None,
                before: 0,
                after: 0,
                said: why.to_string(),
                wrong: Vec::new(),
            }),
        }
    }

    /// A compaction, which changes nothing here.
    pub(crate) async fn attempt(
        &self,
        cause: &Cause<'_>,
        notes: Option<&Notes>,
    ) -> std::result::Result<Compaction, NotCompacted> {
        let files = files_fn(|path| std::fs::read_to_string(path));
        // Memories are recalled again, instructions are loaded again.
        let memory = self.tools.memory.as_ref().map(|dir| dir.path().to_owned());
        let elsewhere = Elsewhere::matching(move |path| {
            let path = Path::new(path);
            memory.as_deref().is_some_and(|dir| path.starts_with(dir))
                || path.ends_with("CLAUDE.md")
                || path.ends_with("CLAUDE.local.md")
                || path.components().any(|part| part.as_os_str() == "rules")
        });
        let mut restore = Restore::default().elsewhere(elsewhere);
        if let Some((name, text)) = &self.skill {
            restore = restore.skill(name, text);
        }
        let start = self.context.start();
        let mut how = Compact::new(&self.breaker, &self.counter)
            .policy(&self.policy)
            .restore(restore)
            .start(&start)
            .transcript(self.record.path().display().to_string())
            .summary_uuid(format!("{}-{}-summary", self.id, self.spoken + 1))
            .files(&files);
        if let Some(notes) = notes {
            how = how.notes(notes);
        }
        let summarizer = summarizer_fn(|request| self.summarize(request));
        let hook = StartHook(self.hook.as_deref());
        compact(&self.messages, cause, &how, &summarizer, &hook).await
    }

    /// The new conversation takes the place of the old one: first on disk, then here; then what a
    /// session starts with is computed anew.
    pub(crate) fn adopt(&mut self, mut done: Compaction, now: SystemTime) -> Result<Outcome> {
        // The summary has the first name.
        self.name();
        let id = self.name();
        for message in done.attachments.iter_mut().chain(&mut done.hook_results) {
            self.spoken += 1;
            message.uuid = Some(format!("{}-{}", self.id, self.spoken));
        }
        self.record.compacted(&done, &id, now)?;
        let (before, after, by) = (done.before, done.after, done.by);
        let said = done
            .attempts
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ");
        if let Some(notebook) = &mut self.notebook {
            notebook
                .taking
                .compacted(done.after, done.summarized.clone());
        }
        let reinject = done.reinject.clone();
        self.messages = done.into_messages();
        if by != Way::Micro {
            // What was surfaced is gone with the messages that held it.
            self.recalling.budget.reset();
            self.recalling.surfaced.clear();
            self.today = date(now)?;
            self.context
                .drop_sections(&mut self.instructions, Reason::Compact);
            self.prepare();
        }
        let all: Vec<Message> = [self.context.opening()]
            .into_iter()
            .chain(self.messages.iter().cloned())
            .collect();
        let mut wrong: Vec<String> = validate(&all).iter().map(ToString::to_string).collect();
        let system = self.context.system_text();
        let sent = Sent::new(&system, self.context.tools(), &all);
        // What comes back equals what a session that starts now puts together; of what was
        // restored, the compaction itself speaks.
        let fresh = self.context.start();
        wrong.extend(fresh.missing(&sent).iter().map(ToString::to_string));
        let mut restored = reinject;
        restored
            .pieces
            .retain(|piece| matches!(piece, Piece::Restored { .. }));
        wrong.extend(restored.missing(&sent).iter().map(ToString::to_string));
        let mut ledger = self.ledger.lock().unwrap_or_else(|e| e.into_inner());
        ledger.compactions.push(Compacted {
            session: self.id.clone(),
            turn: self.turns,
            way: format!("{by:?}").to_lowercase(),
            before,
            after,
        });
        drop(ledger);
        Ok(Outcome {
            by: Some(by),
            before,
            after,
            said,
            wrong,
        })
    }
}
