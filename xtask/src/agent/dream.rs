//! At the end of each turn: is it time to put memory in order? If it is, a fork of the
//! conversation does, with the runner of `autodream` and the tools that its policy allows.

use std::time::SystemTime;

use autodream::{
    Closed, Config, DreamEnd, DreamJob, DreamKind, Enabled, Flags, Gate, Opening, Process,
    ProcessExecutor, Runner, Settings, TaskHandle, Ticket, Transcripts, dream, enabled,
};
use memdir_paths::{MemoryDir, Resolution};

use super::fork::Fork;
use super::{Agent, Host, Purpose, clock};
use crate::Result;

/// The gates of a session.
pub(crate) struct Dreaming {
    gate: Gate,
    enabled: Enabled,
    process: Process,
}

/// What the end of a turn came to.
#[derive(Debug)]
pub(crate) enum Asleep {
    /// A gate is closed.
    Closed(Closed),
    /// Memory was put in order, or that was tried.
    Dreamt(Box<DreamEnd>),
}

impl Dreaming {
    pub(super) fn new(
        host: &Host,
        id: &str,
        resolution: &Resolution,
        dir: &MemoryDir,
    ) -> Result<Dreaming> {
        let env = host.env();
        let mut folders = Vec::new();
        for tree in memdir_paths::worktrees(&resolution.root) {
            folders.push(memdir_paths::transcript_dir(&env, &tree)?);
        }
        let transcripts = Transcripts::new(folders).exclude(id);
        let settings = Settings::default().auto_dream_enabled(host.dreams);
        let what = autodream::Host::default()
            .auto_memory(true)
            .daily_log(host.daily_log);
        let dreaming = Dreaming {
            gate: Gate::new(dir.clone(), transcripts, Config::default()),
            enabled: enabled(&settings, &Flags::default(), &what),
            process: Process::current(),
        };
        dreaming.gate.recover(&dreaming.process)?;
        Ok(dreaming)
    }
}

impl Agent {
    /// What the next dream can be watched by, and stopped.
    pub(crate) fn watch(&mut self, task: &TaskHandle) {
        self.watched = Some(task.clone());
    }

    /// Asks the gates, and dreams if all are open.
    pub(super) async fn sleep(&mut self, now: SystemTime) -> Result<Option<Asleep>> {
        clock::set(now);
        let Some(dreaming) = &mut self.dreaming else {
            return Ok(None);
        };
        let opening = dreaming
            .gate
            .check(now, &dreaming.enabled, &dreaming.process)?;
        match opening {
            Opening::Closed(closed) => Ok(Some(Asleep::Closed(closed))),
            Opening::Open(ticket) => {
                let task = self.watched.take().unwrap_or_default();
                let end = self.dream(ticket, DreamKind::Automatic, &task).await;
                Ok(Some(Asleep::Dreamt(Box::new(end))))
            }
        }
    }

    /// A dream behind an open gate; `task` is what a person watches, and stops.
    async fn dream(&self, ticket: Ticket, kind: DreamKind, task: &TaskHandle) -> DreamEnd {
        let runner = Runner::new(Fork::new(self, Purpose::Dream), ProcessExecutor::new());
        let job = DreamJob::new(&self.cwd)
            .kind(kind)
            .today(self.today.to_string().parse().ok());
        dream(ticket, &job, &runner, task, clock::now).await
    }

    /// The person asks for the logs to be distilled, and does not wait for the gates.
    pub(crate) async fn distil(&mut self, now: SystemTime) -> Result<Option<DreamEnd>> {
        clock::set(now);
        let Some(dreaming) = &mut self.dreaming else {
            return Ok(None);
        };
        let what = autodream::Host::default().auto_memory(true).daily_log(true);
        match dreaming.gate.manual(now, &what, &dreaming.process)? {
            Opening::Open(ticket) => {
                let task = TaskHandle::new();
                Ok(Some(self.dream(ticket, DreamKind::Logs, &task).await))
            }
            Opening::Closed(_) => Ok(None),
        }
    }
}
