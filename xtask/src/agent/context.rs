//! What stands in front of the conversation: a system prompt in a part that everybody shares and
//! a part of this session, and the person's context in the first message.
//!
//! Each named section is computed once and kept until the conversation is cleared or compacted,
//! so that the prefix of all requests between is the same, byte for byte.

use std::collections::BTreeMap;
use std::path::Path;

use claudemd::{Date, Reason, UserContext};
use compact_sm::{Message, Origin, SessionStart};
use memdir_index::{
    DailyLog, Flags, IndexContext, LoadOptions, MemoryPrompt, Mode, TeamMemory, load_memory_prompt,
};
use memdir_paths::{IndexText, MemoryDir, TeamLayout};
use serde_json::{Value, json};

use super::host::Host;
use super::prompt;

/// The name of the section with the instructions about memory.
const MEMORY: &str = "memory";

/// What the session's hook says, at its start and after a compaction.
pub(crate) type StartHook = Option<String>;

pub(crate) struct Context {
    host: Host,
    dir: Option<MemoryDir>,
    index_text: IndexText,
    tools: Vec<Value>,
    hook: StartHook,
    /// The dynamic sections of the system prompt, by name.
    sections: BTreeMap<&'static str, String>,
    /// The state of the repository at the start.
    system_context: Option<String>,
    opening: Option<String>,
    /// How often a section was computed.
    pub(crate) computed: usize,
}

impl Context {
    pub(super) fn new(
        host: &Host,
        dir: Option<MemoryDir>,
        index_text: IndexText,
        tools: Vec<Value>,
        hook: StartHook,
    ) -> Context {
        Context {
            host: host.clone(),
            dir,
            index_text,
            tools,
            hook,
            sections: BTreeMap::new(),
            system_context: None,
            opening: None,
            computed: 0,
        }
    }

    pub(crate) fn tools(&self) -> &[Value] {
        &self.tools
    }

    fn memory(&self) -> Option<MemoryPrompt> {
        let flags = Flags::default()
            .team(self.host.team)
            .daily_log(self.host.daily_log);
        let mut options = LoadOptions::default()
            .flags(flags)
            .index_text(self.index_text);
        if self.host.team {
            options = options.team(TeamMemory::Enabled(TeamLayout::Inside));
        }
        if self.host.daily_log {
            options = options.daily_log(DailyLog::Active);
        }
        load_memory_prompt(self.dir.as_ref(), &options)
    }

    pub(crate) fn mode(&self) -> Option<Mode> {
        self.memory().map(|memory| memory.mode)
    }

    /// Computes what is not there: at the start, and after it was dropped.
    pub(super) fn prepare(&mut self, cwd: &Path, instructions: &claudemd::Session, today: Date) {
        if self.opening.is_some() {
            return;
        }
        self.computed += 1;
        let memory = self.memory();
        let section = memory.as_ref().map(|memory| memory.instructions.clone());
        self.sections.insert(MEMORY, section.unwrap_or_default());
        self.sections.insert("style", prompt::STYLE.to_owned());
        self.system_context = repository(cwd);
        let indexes = memory.map(|memory| memory.indexes).unwrap_or_default();
        let context = with_indexes(instructions.user_context(today), &indexes);
        let mut text = context.to_message_text();
        if let Some(hook) = &self.hook {
            text.push('\n');
            text.push_str(&prompt::reminder(hook));
        }
        self.opening = Some(text);
    }

    /// Drops every section: the conversation was cleared or compacted.
    pub(super) fn drop_sections(&mut self, instructions: &mut claudemd::Session, why: Reason) {
        instructions.invalidate(why);
        self.sections.clear();
        self.system_context = None;
        self.opening = None;
    }

    /// The first message.
    pub(crate) fn opening(&self) -> Message {
        Message::user(self.opening.clone().unwrap_or_default()).origin(Origin::Meta)
    }

    pub(crate) fn section(&self, name: &str) -> &str {
        self.sections.get(name).map_or("", String::as_str)
    }

    /// The system prompt as blocks: what everybody shares, what this project shares, and last
    /// what only this session has. A mark of the cache ends the first two.
    pub(crate) fn system(&self) -> Value {
        let mark = json!({ "type": "ephemeral" });
        let dynamic: Vec<&str> = [MEMORY, "style"]
            .iter()
            .map(|name| self.section(name))
            .filter(|text| !text.is_empty())
            .collect();
        let mut blocks = vec![
            json!({ "type": "text", "text": prompt::STATIC, "cache_control": mark }),
            json!({ "type": "text", "text": dynamic.join("\n\n"), "cache_control": mark }),
        ];
        if let Some(text) = &self.system_context {
            blocks.push(json!({ "type": "text", "text": text }));
        }
        Value::Array(blocks)
    }

    /// All of the system prompt, as one text.
    pub(crate) fn system_text(&self) -> String {
        let blocks = self.system();
        let texts = blocks.as_array().into_iter().flatten();
        let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
        texts.join("\n\n")
    }

    /// What a session starts with; after a compaction all of it has to be there again.
    pub(crate) fn start(&self) -> SessionStart {
        let mut start = SessionStart::new()
            .instructions("user context", self.opening.as_deref().unwrap_or_default())
            .memory_prompt(self.section(MEMORY));
        if let Some(hook) = &self.hook {
            start = start.hook("session start", hook);
        }
        self.tools
            .iter()
            .fold(start, |start, tool| start.tool(tool.clone()))
    }
}

fn with_indexes(context: UserContext, indexes: &[IndexContext]) -> UserContext {
    indexes.iter().fold(context, |context, index| {
        context.section(
            format!("memory index ({})", index.scope.as_str()),
            &*index.text,
        )
    })
}

/// What the repository looks like at the start of the session: its branch, without running git.
fn repository(cwd: &Path) -> Option<String> {
    let root = memdir_paths::canonical_root(cwd).ok()?;
    let checkout = root.checkout;
    let git = checkout.join(".git");
    let head = match std::fs::read_to_string(&git) {
        // A worktree: the file names its folder.
        Ok(pointer) => {
            let folder = pointer.strip_prefix("gitdir:")?.trim().to_owned();
            checkout.join(folder).join("HEAD")
        }
        Err(_) => git.join("HEAD"),
    };
    let head = std::fs::read_to_string(head).ok()?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    Some(format!(
        "# Repository\n\nAt the start of this session the branch was `{branch}`."
    ))
}
