//! `show window` and `show compact`: how full a conversation is, and what a compaction would
//! keep. The transcript is read and nothing is written.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use compact_sm::{
    Decision, Estimator, Flags, FromNotes, MicroOptions, Notes, Overrides, Policy, Settings,
    Source, Stop, Summarized, Transcript, When, Window, from_notes, keep_window, micro, validate,
};
use serde_json::json;

use super::{Request, Shown};
use crate::Result;
use crate::text::wrap;

/// What most models take, in tokens.
const CONTEXT: u64 = 200_000;
/// What most models put out at most, in tokens.
const MAX_OUTPUT: u64 = 32_000;
/// How many lines that could not be read are shown.
const MAX_SHOWN: usize = 5;

/// A conversation from its file, and what holds for it.
struct Scene {
    path: PathBuf,
    transcript: Transcript,
    policy: Policy,
    decision: Decision,
}

impl Scene {
    fn open(request: &Request) -> Result<Scene> {
        let file = request
            .about
            .as_deref()
            .ok_or("which transcript? a file of JSON lines")?;
        let path = request.cwd.join(file);
        let source = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let transcript = Transcript::read(BufReader::new(source));
        let window = Window::new(request.window.unwrap_or(CONTEXT), MAX_OUTPUT);
        let overrides = Overrides::from_lookup(|name| std::env::var_os(name));
        let flags = Flags::default().session_memory(true).notes_compaction(true);
        let policy = Policy::new(&window, &overrides, &Settings::default(), &flags);
        let decision = policy.decide(&transcript.messages, &Estimator::default(), Source::Main);
        Ok(Scene {
            path,
            transcript,
            policy,
            decision,
        })
    }

    /// What was read, and what was not.
    fn file(&self, text: &mut String) {
        let transcript = &self.transcript;
        row("transcript", &self.path.display().to_string(), text);
        let boundaries = match transcript.boundaries.len() {
            0 => "never compacted".to_owned(),
            count => format!("compacted {count} times"),
        };
        let count = transcript.messages.len();
        row(
            "messages",
            &format!("{count} that live, {boundaries}"),
            text,
        );
        let violations = validate(&transcript.messages);
        let law = match violations.first() {
            None => "an API would take them".to_owned(),
            Some(first) => format!("{} violations, first: {first}", violations.len()),
        };
        row("law", &law, text);
        for skipped in transcript.skipped.iter().take(MAX_SHOWN) {
            row("left out", &skipped.to_string(), text);
        }
        if transcript.skipped_total > MAX_SHOWN as u64 {
            row(
                "left out",
                &format!("{} lines in all", transcript.skipped_total),
                text,
            );
        }
    }
}

fn row(name: &str, value: &str, text: &mut String) {
    wrap(&format!("{name:<12}"), value, text);
}

pub(super) fn window(request: &Request) -> Result<Shown> {
    let scene = Scene::open(request)?;
    let mut text = String::new();
    scene.file(&mut text);
    let used = scene.decision.used;
    row(
        "used",
        &format!(
            "{} tokens: {} reported, {} estimated",
            used.total(),
            used.base,
            used.pending
        ),
        &mut text,
    );
    if let Some(limits) = scene.policy.thresholds() {
        let line = format!(
            "{} less {} for an answer; warning at {}, compaction at {}, no further than {}",
            limits.window, limits.reserve, limits.warning, limits.compact, limits.blocking
        );
        row("window", &line, &mut text);
    }
    for ignored in scene.policy.ignored() {
        row("ignored", &ignored.to_string(), &mut text);
    }
    row("verdict", &scene.decision.to_string(), &mut text);
    let value = json!({ "transcript": scene.path, "messages": scene.transcript.messages.len(),
        "skipped": scene.transcript.skipped, "decision": scene.decision });
    Ok(Shown {
        text,
        value,
        sound: true,
    })
}

pub(super) fn compact(request: &Request) -> Result<Shown> {
    let scene = Scene::open(request)?;
    let mut text = String::new();
    scene.file(&mut text);
    row("verdict", &scene.decision.to_string(), &mut text);
    let messages = &scene.transcript.messages;
    let counter = Estimator::default();

    let options = MicroOptions::default();
    let cleared = micro(messages, When::Budget, &options, &counter);
    let line = match cleared.why_not {
        Some(_) => "nothing old to clear".to_owned(),
        None => format!(
            "{} old results could be cleared, {} tokens",
            cleared.clear.len(),
            cleared.saved_tokens
        ),
    };
    row("results", &line, &mut text);

    let kept = keep_window(
        messages,
        &Summarized::Unknown,
        scene.policy.keep(),
        &counter,
    );
    let line = format!(
        "messages {} to {} of {}: {} tokens, {} with text; {}",
        kept.range.start,
        kept.range.end,
        messages.len(),
        kept.tokens,
        kept.text_messages,
        stop(kept.stop)
    );
    row("kept tail", &line, &mut text);

    let path = notes_path(&scene.path);
    let notes = std::fs::read_to_string(&path).unwrap_or_default();
    row("notes", &describe(&path, &notes), &mut text);
    let plan = from_notes(
        messages,
        &Notes::new(notes).path(path.display().to_string()),
        &FromNotes::of(&scene.policy, &scene.decision),
        &counter,
    );
    let (line, plan) = match plan {
        Ok(plan) => (
            format!(
                "{} messages go, {} stay, {} tokens become {}",
                messages.len() - plan.kept.len(),
                plan.kept.len(),
                plan.before,
                plan.after
            ),
            Some(plan),
        ),
        Err(why) => (format!("not from notes: {why}"), None),
    };
    row("compaction", &line, &mut text);
    let value = json!({ "transcript": scene.path, "decision": scene.decision, "kept": kept,
        "results": cleared, "from_notes": plan });
    Ok(Shown {
        text,
        value,
        sound: true,
    })
}

/// Where the notes of a session are: in the folder beside its transcript that has its name.
fn notes_path(transcript: &Path) -> PathBuf {
    transcript
        .with_extension("")
        .join("session-memory/summary.md")
}

fn describe(path: &Path, notes: &str) -> String {
    if notes.is_empty() {
        format!("none at {}", path.display())
    } else {
        format!("{} bytes at {}", notes.len(), path.display())
    }
}

/// Why a kept tail begins where it does.
fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Minima => "enough is kept",
        Stop::Maximum => "one turn more would be too much",
        Stop::Floor => "from the last summary, or the beginning",
        Stop::NotCovered => "what the notes do not cover is more than the most that is kept",
        Stop::NoCut => "there is no place to cut",
        _ => "for another reason",
    }
}
