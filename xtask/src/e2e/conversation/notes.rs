//! Notes that are taken while the session runs: a fork of the conversation with one tool and one
//! file, whose text passes the write gate.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use compact_sm::{
    Block, Gated, Message, NoteTaking, Notes, NotesJob, Source, notes_task, notes_template,
};
use memdir_types::{Audience, gate_text};
use serde_json::{Value, json};

use super::super::story::Telling;
use super::agent::Agent;
use crate::Result;
use crate::server::{Action, Answer};

/// The line below a heading of the template, where the scripted model writes.
const BELOW: &str = "# Current State\n";

pub(super) struct Notebook {
    path: PathBuf,
    pub(super) taking: NoteTaking,
    pub(super) taken: usize,
    /// Edits that were refused, with the reason.
    pub(super) refused: Vec<String>,
}

impl Notebook {
    pub(super) fn new(folder: &Path) -> Result<Notebook> {
        let path = folder.join("summary.md");
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, notes_template())?;
        Ok(Notebook {
            path,
            taking: NoteTaking::new(),
            taken: 0,
            refused: Vec::new(),
        })
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap_or_default()
    }

    /// What a compaction is handed.
    pub(super) fn notes(&self) -> Notes {
        Notes::new(self.text())
            .path(self.path.display().to_string())
            .summarized(self.taking.summarized.clone())
    }

    /// Takes notes if it is time to. What the model wants to do beyond its one edit is refused.
    pub(super) async fn after_turn(&mut self, agent: &Agent, now: SystemTime) -> Result<()> {
        let context = agent.decide().used.total();
        let switch = agent.policy.notes_taking();
        let due = self.taking.due(
            &agent.messages,
            context,
            agent.policy.notes(),
            &switch,
            Source::Main,
            now,
        );
        if due.is_err() {
            return Ok(());
        }
        let Ok(taking) = self.taking.begin(now) else {
            return Ok(());
        };
        let current = self.text();
        let job = NotesJob::new(self.path.display().to_string(), current.as_str())
            .summarized(self.taking.summarized.clone());
        let task = notes_task(&agent.messages, &job, &agent.counter);
        let body = agent.request(&task.messages, 8_000);
        let answer = agent.client.send(body).await?;
        let answer: Message = serde_json::from_str(&answer)?;
        let mut text = current;
        for block in &answer.content.blocks {
            let Block::ToolUse { name, input, .. } = block else {
                continue;
            };
            match task.guard.apply(&text, name, input, &gate) {
                Ok(edited) => text = edited,
                Err(why) => self.refused.push(why.to_string()),
            }
        }
        std::fs::write(&self.path, text)?;
        self.taking.succeeded(taking, now, context, task.summarized);
        self.taken += 1;
        Ok(())
    }

    pub(super) fn tell(&self, told: &mut Telling) {
        told.say(format!("notes were taken {} times", self.taken));
        told.expect(self.taken >= 3, "notes were hardly taken");
        for why in self.refused.iter().take(3) {
            told.say(format!("refused: {why}"));
        }
        told.expect(
            self.refused.len() >= 3,
            "the model was not kept to its file",
        );
        let text = self.text();
        told.expect(!text.contains("ghp_"), "a token stands in the notes");
        let headings = text.lines().filter(|line| line.starts_with("# ")).count();
        told.expect(headings == 10, format!("{headings} sections"));
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

/// What the scripted model answers to the task: one good edit, and three that it may not do.
pub(super) fn answer(task: &str) -> Option<Action> {
    let current = task.split("<current-notes>").nth(1)?;
    let path = task.split("The notes are in ").nth(1)?.split(',').next()?;
    let below = current.split(BELOW).nth(1)?.lines().next()?;
    let edit = |id: u32, file: &str, new: &str| {
        let input = json!({ "file_path": file, "old_string": below, "new_string": new });
        json!({ "type": "tool_use", "id": format!("note_{id}"), "name": "Edit", "input": input })
    };
    let line = format!("{below}\nFile 7 holds the flag that breaks the build.");
    let token = format!("{below}\nghp_{}", "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk0LmNbVc");
    let blocks: Vec<Value> = vec![
        json!({ "type": "tool_use", "id": "note_0", "name": "Read", "input": { "file_path": path } }),
        edit(1, "/etc/hosts", &line),
        edit(2, path, &token),
        edit(3, path, &line),
    ];
    Some(Action::Answer(Answer {
        blocks,
        stop_reason: "tool_use",
    }))
}
