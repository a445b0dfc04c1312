//! Recall: at most five memories beside what the person says, picked by a small model or by words,
//! each with its age.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use compact_sm::Block;
use memdir_paths::MemoryDir;
use memdir_recall::{MessagesClient, Options, Query, Recall, SessionBudget, surface};
use serde_json::json;

use super::{Agent, Host, Purpose, Turn};
use crate::Result;

/// How long the host waits for the model that picks.
const PATIENCE: Duration = Duration::from_millis(300);

pub(crate) struct Recalling {
    recall: Option<Recall>,
    selector: Option<MessagesClient>,
    pub(super) budget: SessionBudget,
    pub(super) surfaced: Vec<PathBuf>,
}

impl Recalling {
    pub(super) fn new(dir: Option<&MemoryDir>, host: &Host) -> Result<Recalling> {
        let recall = match dir {
            Some(dir) => Some(Recall::scan(dir.path(), &Options::default())?),
            None => None,
        };
        let selector = match host.selector {
            true => Some(host.client()?),
            false => None,
        };
        Ok(Recalling {
            recall,
            selector,
            budget: SessionBudget::new(),
            surfaced: Vec::new(),
        })
    }
}

impl Agent {
    /// Puts what is relevant beside the question. Whatever fails, the turn goes on.
    pub(super) async fn recall(
        &mut self,
        says: &str,
        now: SystemTime,
        turn: &mut Turn,
        blocks: &mut Vec<Block>,
    ) {
        let Some(recall) = &mut self.recalling.recall else {
            return;
        };
        if recall.refresh().is_err() {
            return;
        }
        let used = self.messages.iter().rev().take(10);
        let recent: Vec<&str> = used
            .flat_map(|message| super::calls(message).map(|(_, name, _)| name))
            .collect();
        let query = Query::new(says)
            .recent_tools(recent)
            .surfaced(&self.recalling.surfaced);
        let picked = match &self.recalling.selector {
            Some(selector) => {
                let deadline = tokio::time::sleep(PATIENCE);
                recall.pick_with(&query, selector, deadline).await
            }
            None => recall.pick(&query),
        };
        if let Some(call) = &picked.receipt.model {
            let usage = json!({
                "input_tokens": call.input_tokens, "output_tokens": call.output_tokens,
            });
            let mut ledger = self.ledger.lock().unwrap_or_else(|e| e.into_inner());
            ledger.add(&self.id, self.turns, Purpose::Recall, &usage);
        }
        let dir = recall.dir().to_owned();
        let age = |memory: &memdir_recall::Recalled| memdir_age::freshness(memory.modified, now);
        let shown = surface(&dir, &picked.memories, &mut self.recalling.budget, age);
        for attachment in shown.attachments {
            blocks.push(Block::text(attachment.surfaced.text));
            self.recalling.surfaced.push(dir.join(&attachment.file));
            turn.recalled.push(attachment.file);
        }
        turn.receipt = Some(picked.receipt);
    }
}
