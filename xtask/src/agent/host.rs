//! Where an agent runs: a home, a service, and what the person has switched on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use compact_sm::{Policy, Window};
use memdir_paths::{Env, MemoryDir, Resolution, SettingsOptions};
use memdir_recall::{Auth, ClientOptions, MessagesClient};

use crate::Result;

/// The model of the conversation.
pub(crate) const MODEL: &str = "claude-story";

/// What is the same for every session of a person.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) home: PathBuf,
    pub(crate) url: String,
    /// Environment variables beside `HOME`.
    pub(crate) variables: Vec<(String, String)>,
    /// The window of the model. In tokens.
    pub(crate) window: u64,
    /// The longest answer. In tokens.
    pub(crate) max_output: u64,
    pub(crate) team: bool,
    pub(crate) daily_log: bool,
    /// Whether a model picks memories; else words do.
    pub(crate) selector: bool,
    pub(crate) dreams: bool,
    pub(crate) takes_notes: bool,
    /// Whether the conversation is made to fit before a request; else the host does it.
    pub(crate) makes_room: bool,
    /// How long one request may take, with all that is tried again.
    pub(crate) patience: Duration,
}

impl Host {
    pub(crate) fn new(home: &Path, url: String) -> Host {
        Host {
            home: home.to_owned(),
            url,
            variables: Vec::new(),
            window: 200_000,
            max_output: 32_000,
            team: false,
            daily_log: false,
            selector: true,
            dreams: true,
            takes_notes: true,
            makes_room: true,
            patience: Duration::from_secs(60),
        }
    }

    fn lookup(&self, name: &str) -> Option<OsString> {
        if name == "HOME" {
            return Some(self.home.clone().into_os_string());
        }
        let found = self.variables.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| OsString::from(value))
    }

    pub(crate) fn env(&self) -> Env {
        Env::from_lookup(|name| self.lookup(name)).managed_dir(self.home.join("managed"))
    }

    pub(crate) fn resolve(&self, cwd: &Path) -> Result<Resolution> {
        let env = self.env();
        let settings = memdir_paths::Settings::read(&env, cwd, &SettingsOptions::default());
        Ok(memdir_paths::resolve(&env, &settings, cwd)?)
    }

    /// The memory of the project, made if it is on and missing.
    pub(crate) fn memory(&self, cwd: &Path) -> Result<(Resolution, Option<MemoryDir>)> {
        let resolution = self.resolve(cwd)?;
        resolution.ensure()?;
        let dir = resolution.dir.clone();
        Ok((resolution, dir))
    }

    pub(crate) fn policy(&self) -> Policy {
        let overrides = compact_sm::Overrides::from_lookup(|name| self.lookup(name));
        let flags = compact_sm::Flags::default()
            .session_memory(self.takes_notes)
            .notes_compaction(self.takes_notes);
        let window = Window::new(self.window, self.max_output);
        Policy::new(
            &window,
            &overrides,
            &compact_sm::Settings::default(),
            &flags,
        )
    }

    /// A client for the service, which waits hardly at all before it tries again.
    pub(crate) fn client(&self) -> Result<MessagesClient> {
        let options = ClientOptions::default()
            .base_url(self.url.as_str())
            .total_timeout(self.patience)
            .retries(2)
            .backoff(Duration::from_millis(5));
        Ok(MessagesClient::new(
            Auth::ApiKey("no real key".to_owned()),
            options,
        )?)
    }
}
