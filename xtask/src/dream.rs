//! `cargo xtask dream`: puts the memory of a real project in order, with a model behind an
//! endpoint, and takes it back again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use autodream::{
    Chat, ChatReply, ChatRequest, Config, DreamJob, DreamKind, DreamMode, DreamOutcome, Gate, Host,
    Opening, Process, ProcessExecutor, RunId, Runner, TaskHandle, Ticket, Transcripts, dream, runs,
    undo,
};
use memdir_paths::{Env, MemoryDir, SettingsOptions};
use memdir_recall::{Auth, ClientOptions, MessagesClient};
use serde_json::{Value, json};

use crate::Result;

const HELP: &str = "\
cargo xtask dream [--dry-run] [--logs]   puts the memory of this project in order
cargo xtask dream runs                   lists the runs that can be taken back
cargo xtask dream undo [RUN]             takes back a run, the last one if none is named

  --cwd DIR     the project, if it is not the working directory
  --home DIR    the home, if it is not yours
  --url URL     the Messages API; ANTHROPIC_BASE_URL unless given
  --model NAME  the model; ANTHROPIC_MODEL unless given

The key is ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN as a bearer token.
--dry-run shows what would be written. --logs distils daily logs into memories.
A run that is stopped (Ctrl-C) changes nothing: the next one clears up behind it.
";

/// How often the status line is looked at.
const LOOK: Duration = Duration::from_millis(100);

struct Asked {
    cwd: PathBuf,
    env: Env,
    url: Option<String>,
    model: Option<String>,
    dry_run: bool,
    logs: bool,
    words: Vec<String>,
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let Some(asked) = asked(args)? else {
        crate::tell(HELP);
        return Ok(ExitCode::SUCCESS);
    };
    let settings =
        memdir_paths::Settings::read(&asked.env, &asked.cwd, &SettingsOptions::default());
    let resolution = memdir_paths::resolve(&asked.env, &settings, &asked.cwd)?;
    let Some(dir) = resolution.dir.clone() else {
        return Err(format!("memory is {}", resolution.switch).into());
    };
    let words: Vec<&str> = asked.words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let mut folders = Vec::new();
            for tree in memdir_paths::worktrees(&resolution.root) {
                folders.push(memdir_paths::transcript_dir(&asked.env, &tree)?);
            }
            put_in_order(&asked, &dir, Transcripts::new(folders))
        }
        ["runs"] => list(&dir),
        ["undo"] => take_back(&dir, None),
        ["undo", run] => take_back(&dir, Some(run)),
        other => Err(format!("dream knows runs and undo, got {other:?}").into()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a command of a person")]
fn asked(args: &[String]) -> Result<Option<Asked>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut asked = Asked {
        cwd: std::env::current_dir()?,
        env: Env::from_process(),
        url: variable("ANTHROPIC_BASE_URL"),
        model: variable("ANTHROPIC_MODEL"),
        dry_run: false,
        logs: false,
        words: Vec::new(),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--dry-run" => asked.dry_run = true,
            "--logs" => asked.logs = true,
            "--cwd" => asked.cwd = Path::new(value()?).canonicalize()?,
            "--home" => {
                let home = Path::new(value()?).canonicalize()?;
                asked.env = Env::from_lookup(|name| {
                    (name == "HOME").then(|| home.clone().into_os_string())
                });
            }
            "--url" => asked.url = Some(value()?.clone()),
            "--model" => asked.model = Some(value()?.clone()),
            "--help" | "-h" | "help" => return Ok(None),
            word if !word.starts_with('-') => asked.words.push(word.to_owned()),
            other => return Err(format!("dream does not know {other:?}").into()),
        }
    }
    Ok(Some(asked))
}

/// The model, without a conversation in front.
struct Endpoint {
    client: MessagesClient,
    model: String,
}

impl Chat for Endpoint {
    type Error = EndpointError;

    async fn send(&self, request: &ChatRequest) -> std::result::Result<ChatReply, EndpointError> {
        let parse = |text: String| serde_json::from_str(&text).unwrap_or(Value::Null);
        let mut messages = parse(request.messages_json());
        // What was sent before comes from the cache the next time.
        let last = messages.as_array_mut().and_then(|list| list.last_mut());
        let blocks = last.and_then(|last| last["content"].as_array_mut());
        if let Some(block) = blocks.and_then(|blocks| blocks.last_mut()) {
            block["cache_control"] = json!({ "type": "ephemeral" });
        }
        let body = json!({
            "model": self.model, "max_tokens": request.max_output_tokens,
            "tools": parse(request.tools_json()), "messages": messages,
        });
        let fail = |error: &dyn std::fmt::Display| EndpointError(error.to_string());
        let answer = self
            .client
            .send(body.to_string())
            .await
            .map_err(|e| fail(&e))?;
        ChatReply::from_json(&answer).map_err(|e| fail(&e))
    }
}

#[derive(Debug)]
struct EndpointError(String);

impl std::fmt::Display for EndpointError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EndpointError {}

#[expect(clippy::disallowed_methods, reason = "a command of a person")]
fn endpoint(asked: &Asked) -> Result<Endpoint> {
    let key = std::env::var("ANTHROPIC_API_KEY").ok().map(Auth::ApiKey);
    let auth = match key {
        Some(key) => key,
        None => match std::env::var("ANTHROPIC_AUTH_TOKEN") {
            Ok(token) => Auth::Bearer(token),
            Err(_) => {
                return Err("neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set".into());
            }
        },
    };
    let model = asked
        .model
        .clone()
        .ok_or("no model: give --model or ANTHROPIC_MODEL")?;
    let mut options = ClientOptions::default().total_timeout(Duration::from_secs(600));
    if let Some(url) = &asked.url {
        options = options.base_url(url.as_str());
    }
    Ok(Endpoint {
        client: MessagesClient::new(auth, options)?,
        model,
    })
}

fn put_in_order(asked: &Asked, dir: &MemoryDir, transcripts: Transcripts) -> Result<ExitCode> {
    let endpoint = endpoint(asked)?;
    let process = Process::current();
    let mut gate = Gate::new(dir.clone(), transcripts, Config::default());
    gate.recover(&process)?;
    let host = Host::default().auto_memory(true).daily_log(asked.logs);
    let ticket: Ticket = match gate.manual(SystemTime::now(), &host, &process)? {
        Opening::Open(ticket) => ticket,
        Opening::Closed(closed) => return Err(closed.to_string().into()),
    };
    let (mode, kind) = (
        if asked.dry_run {
            DreamMode::DryRun
        } else {
            DreamMode::Commit
        },
        if asked.logs {
            DreamKind::Logs
        } else {
            DreamKind::Automatic
        },
    );
    say!("{}", dir.path().display());
    say!(
        "{} sessions since the last consolidation",
        ticket.sessions.len()
    );
    let today = memdir_index::local_date_time(SystemTime::now(), 0).0;
    let today = memdir_types::Date::new(today.year, today.month, today.day);
    let job = DreamJob::new(&asked.cwd).mode(mode).kind(kind).today(today);
    let runner = Runner::new(endpoint, ProcessExecutor::new());
    let task = TaskHandle::new();
    let progress = Progress::start(&task);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let end = runtime.block_on(dream(ticket, &job, &runner, &task, SystemTime::now));
    progress.stop();
    if !end.said.trim().is_empty() {
        say!("\n{}", end.said.trim());
    }
    match &end.outcome {
        DreamOutcome::Improved(report) => say!(
            "\n{report}\nTo take it back: cargo xtask dream undo {}",
            report.run
        ),
        DreamOutcome::NothingToDo(_) => say!("\nnothing to do"),
        DreamOutcome::Idle => say!("\nnothing is new since the last run"),
        DreamOutcome::DryRun(review) => {
            say!("\n{}", review.report);
            for fault in &review.refused {
                say!("it would be refused: {fault}");
            }
            say!("nothing was written");
        }
        _ => {
            let end = end.task_end();
            say!("\n{}", serde_json::to_string(&end)?);
        }
    }
    if let Some(notice) = task.snapshot().notice() {
        say!("{notice}");
    }
    if let Some(error) = &end.lock {
        say!("the lock: {error}");
    }
    let is_good = end.counts() || matches!(end.outcome, DreamOutcome::DryRun(_));
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Shows each new state of a dream as it comes.
struct Progress {
    over: Arc<AtomicBool>,
    done: mpsc::Receiver<()>,
}

impl Progress {
    fn start(task: &TaskHandle) -> Progress {
        let over = Arc::new(AtomicBool::new(false));
        let (tell_done, done) = mpsc::channel();
        let (task, stopped) = (task.clone(), Arc::clone(&over));
        std::thread::spawn(move || {
            let mut told = String::new();
            loop {
                let is_over = stopped.load(Ordering::Acquire);
                let label = task.snapshot().label();
                if label != told {
                    say!("  {label}");
                    told = label;
                }
                if is_over {
                    break;
                }
                std::thread::sleep(LOOK);
            }
            let _ = tell_done.send(());
        });
        Progress { over, done }
    }

    fn stop(self) {
        self.over.store(true, Ordering::Release);
        let _ = self.done.recv();
    }
}

fn list(dir: &MemoryDir) -> Result<ExitCode> {
    let runs = runs(dir)?;
    if runs.is_empty() {
        say!("no run can be taken back");
    }
    for run in runs {
        say!("{}", run.id);
    }
    Ok(ExitCode::SUCCESS)
}

fn take_back(dir: &MemoryDir, named: Option<&str>) -> Result<ExitCode> {
    let run: RunId = match named {
        Some(name) => RunId::new(name),
        None => match runs(dir)?.into_iter().next() {
            Some(run) => run.id,
            None => return Err("no run can be taken back".into()),
        },
    };
    let undone = undo(dir, &run, SystemTime::now())?;
    for line in undone.to_string().lines() {
        say!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}
