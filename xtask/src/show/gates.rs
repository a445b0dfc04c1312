//! `show gates`: which gate keeps a consolidation from beginning, and when to ask again.

use std::time::SystemTime;

use autodream::memdir_paths::{Layer, MemoryDir};
use autodream::{Closed, Config, Enabled, Flags, Gate, Host, Outlook, Process, Settings};
use autodream::{Transcripts, enabled};
use memdir_paths::{SettingsOptions, worktrees};
use serde_json::json;

use super::{Request, Shown};
use crate::Result;
use crate::text::wrap;

/// How many sessions are listed by name.
const MAX_LISTED: usize = 5;

pub(super) fn gates(request: &Request) -> Result<Shown> {
    let found = request.resolve()?;
    let mut notes = Vec::new();
    let settings = settings(request, &mut notes);
    let host = Host::default()
        .auto_memory(found.dir.is_some())
        .remote(is_on(request.env.remote.as_deref()))
        .simple(is_on(request.env.simple.as_deref()));
    // Flags are fetched from nowhere: with the setting alone it is decided as without them.
    let flags = Flags::default();
    let enabled = enabled(&settings, &flags, &host);
    let folders = worktrees(&found.root)
        .iter()
        .chain([&found.root.cwd])
        .map(|tree| memdir_paths::transcript_dir(&request.env, tree))
        .collect::<Result<Vec<_>, _>>()?;
    let dir = found.dir.unwrap_or_else(|| MemoryDir::new("none"));
    let config = Config::new(&flags);
    let gate = Gate::new(dir.clone(), Transcripts::new(&folders), config);
    let now = SystemTime::now();
    let outlook = gate.look(now, &enabled, &Process::current());

    let mut text = String::new();
    for (name, value) in rows(&dir, &enabled, &config, &folders, &outlook, now) {
        wrap(&format!("{name:<12}"), &value, &mut text);
    }
    let skipped = outlook.touched.skipped.iter();
    notes.extend(skipped.map(|skipped| format!("{}: {}", skipped.path.display(), skipped.reason)));
    for note in &notes {
        wrap("note: ", note, &mut text);
    }
    let value = json!({ "memory": dir.path(), "enabled": enabled, "config": config,
        "folders": folders, "outlook": outlook, "notes": notes });
    Ok(Shown {
        text,
        value,
        sound: true,
    })
}

fn rows(
    dir: &MemoryDir,
    enabled: &Enabled,
    config: &Config,
    folders: &[std::path::PathBuf],
    outlook: &Outlook,
    now: SystemTime,
) -> Vec<(&'static str, String)> {
    let state = if enabled.on { "on" } else { "off" };
    let hours = config.min_age.as_secs() / 3600;
    let last = outlook.last.map_or("never".to_owned(), |last| {
        let days = memdir_age::age_text(memdir_age::age_days(last, now));
        format!("{days}, {}", memdir_recall::iso_time(last))
    });
    let sessions = &outlook.touched.sessions;
    let named: Vec<&str> = sessions
        .iter()
        .take(MAX_LISTED)
        .map(|session| session.id.as_str())
        .collect();
    let named = match (named.is_empty(), sessions.len() > MAX_LISTED) {
        (true, _) => String::new(),
        (false, false) => format!(": {}", named.join(", ")),
        (false, true) => format!(": {}, …", named.join(", ")),
    };
    let verdict = match &outlook.closed {
        None => "all gates are open: a consolidation could begin now".to_owned(),
        Some(closed) => format!("closed, {closed}{}", ask_again(closed)),
    };
    vec![
        ("memory", dir.announced()),
        (
            "enabled",
            format!("{state}, decided by {}", enabled.decided_by.as_str()),
        ),
        ("last", format!("{last} (every {hours} h at most)")),
        (
            "sessions",
            format!(
                "{} of {} since then{named}",
                sessions.len(),
                config.min_sessions
            ),
        ),
        ("transcripts", format!("{} folders", folders.len())),
        (
            "lock",
            outlook
                .busy
                .as_ref()
                .map_or("free".to_owned(), ToString::to_string),
        ),
        ("verdict", verdict),
    ]
}

fn ask_again(closed: &Closed) -> String {
    match closed.ask_again {
        Some(time) => format!("; ask again at {}", memdir_recall::iso_time(time)),
        None => "; only settings or another session can open it".to_owned(),
    }
}

/// The strongest layer that says anything. The project's is not asked: whoever cloned a
/// repository has not decided what runs in the background.
fn settings(request: &Request, notes: &mut Vec<String>) -> Settings {
    let layers =
        memdir_paths::Settings::read(&request.env, &request.cwd, &SettingsOptions::default());
    for layer in &layers.layers {
        let (Some(path), true) = (&layer.path, layer.layer != Layer::Project) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let (settings, ignored) = Settings::from_json(&text);
        notes.extend(
            ignored
                .iter()
                .map(|ignored| format!("{}: {ignored}", path.display())),
        );
        if settings.auto_dream_enabled.is_some() {
            return settings;
        }
    }
    Settings::default()
}

/// A switch of the environment, as everywhere in the format.
fn is_on(value: Option<&std::ffi::OsStr>) -> bool {
    value.and_then(|value| value.to_str()).is_some_and(|value| {
        matches!(
            value.trim().to_ascii_lowercase().as_str(),
            "1" | "true" | "yes" | "on"
        )
    })
}
