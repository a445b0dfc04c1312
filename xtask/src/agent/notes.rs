//! Notes that are taken while the session runs: a fork of the conversation, one tool and one file.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use autodream::{
    Allowed, Caps, Judge, NoShell, PlannedWrite, Refusal, RefusalKind, RunTask, Runner, ToolUse,
    Verdict,
};

use compact_sm::{
    EditGuard, Gated, NoteTaking, Notes, NotesJob, NotesTask, Source, notes_task, notes_template,
};
use memdir_types::{Audience, gate_text};

use super::fork::Fork;
use super::{Agent, Purpose};
use crate::Result;

/// The longest answer of a fork that takes notes. In tokens.
const MAX_OUTPUT: u64 = 8_000;
/// The most answers of such a fork: it is told to make all edits in one.
const MAX_TURNS: usize = 3;
/// What such a fork is told where it wants more.
const ONLY_NOTES: &str = "only the notes may be edited here";
/// What its requests are called.
const LABEL: &str = "session_notes";

pub(crate) struct Notebook {
    path: PathBuf,
    pub(crate) taking: NoteTaking,
    pub(crate) taken: usize,
    /// Edits that were refused, with the reason.
    pub(crate) refused: Vec<String>,
}

impl Notebook {
    pub(super) fn open(path: &Path) -> Result<Notebook> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        if !path.exists() {
            std::fs::write(path, notes_template())?;
        }
        Ok(Notebook {
            path: path.to_owned(),
            taking: NoteTaking::new(),
            taken: 0,
            refused: Vec::new(),
        })
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap_or_default()
    }

    /// What a compaction is handed.
    pub(crate) fn notes(&self) -> Notes {
        Notes::new(self.text())
            .path(self.path.display().to_string())
            .summarized(self.taking.summarized.clone())
    }
}

impl Agent {
    /// Takes notes if it is time to; whether it did. A fork that fails leaves the notes as they
    /// were, and the next turn asks again.
    pub(super) async fn take_notes(&mut self, now: SystemTime) -> Result<bool> {
        let context = self.decide().used.total();
        let switch = self.policy.notes_taking();
        let Some(notebook) = &mut self.notebook else {
            return Ok(false);
        };
        let config = self.policy.notes();
        let due = notebook
            .taking
            .due(&self.messages, context, config, &switch, Source::Main, now);
        if due.is_err() {
            return Ok(false);
        }
        let Ok(taking) = notebook.taking.begin(now) else {
            return Ok(false);
        };
        let current = notebook.text();
        // No bound: what the conversation sends fits, and the fork sends little more.
        let job = NotesJob::new(notebook.path.display().to_string(), current.as_str())
            .summarized(notebook.taking.summarized.clone());
        let task = notes_task(&self.messages, &job, &self.counter);
        let path = notebook.path.clone();
        let edited = self.edit_notes(&task, &path).await;
        let Some(notebook) = &mut self.notebook else {
            return Ok(false);
        };
        match edited {
            Ok(refused) => {
                notebook.refused.extend(refused);
                notebook
                    .taking
                    .succeeded(taking, now, context, task.summarized);
                notebook.taken += 1;
            }
            Err(error) => notebook.taking.failed(taking, now, &error.to_string()),
        }
        Ok(true)
    }

    /// Lets the fork edit the notes; what it was not allowed. The runner of `autodream` runs it,
    /// with a judge that knows one tool and one file.
    async fn edit_notes(&self, task: &NotesTask, path: &Path) -> Result<Vec<String>> {
        let judge = OneFile {
            guard: task.guard.clone(),
            path: path.to_owned(),
            refused: Mutex::default(),
        };
        let fork = Fork::new(self, Purpose::Notes).opening(&task.messages);
        let run = RunTask::new("", &judge, LABEL)
            .tools(&["Edit"])
            .caps(Caps::default().turns(MAX_TURNS));
        let mut refused = Vec::new();
        Runner::new(fork, NoShell::new())
            .answer_tokens(MAX_OUTPUT)
            .run_with(&run, &mut |turn| {
                let failed = turn.tools.iter().filter(|tool| !tool.succeeded);
                refused.extend(failed.map(|tool| tool.name.clone()));
            })
            .await?;
        let why = judge.refused.into_inner().unwrap_or_default();
        refused.extend(why);
        Ok(refused)
    }
}

/// What a fork that takes notes may do, for the runner: one tool, one file, and each edit as
/// `compact-sm` and the write gate let it pass.
struct OneFile {
    guard: EditGuard,
    path: PathBuf,
    refused: Mutex<Vec<String>>,
}

impl Judge for OneFile {
    fn judge(&self, tool: &ToolUse) -> Verdict {
        match tool {
            ToolUse::Edit { path } if *path == self.path.display().to_string() => {
                Verdict::Allow(Allowed::Write(self.path.clone()))
            }
            _ => Verdict::Refuse(Refusal::new(RefusalKind::Tool, "", ONLY_NOTES)),
        }
    }

    fn may_read(&self, path: &Path) -> std::result::Result<PathBuf, Refusal> {
        let path = path.to_string_lossy();
        Err(Refusal::new(RefusalKind::Outside, path, ONLY_NOTES))
    }

    fn may_write(&self, write: &PlannedWrite<'_>) -> std::result::Result<(), String> {
        let input = serde_json::from_str(write.input).unwrap_or_default();
        let before = write.before.unwrap_or_default();
        match self.guard.apply(before, write.tool, &input, &gate) {
            Ok(_) => Ok(()),
            Err(why) => {
                let mut refused = self.refused.lock().unwrap_or_else(|e| e.into_inner());
                refused.push(why.to_string());
                Err(why.to_string())
            }
        }
    }
}

/// The write gate, as `compact-sm` takes it.
fn gate(text: &str) -> Gated {
    match gate_text(text, Audience::PrivateStrict) {
        Ok(_) => Gated::Pass,
        Err(refusal) => Gated::Refuse {
            reason: refusal.to_string(),
        },
    }
}
