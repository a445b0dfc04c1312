//! The peer kinds of `autodream`.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use autodream::memdir_paths::MemoryDir;
use autodream::{
    Acquired, Config, Flags, Gate, Host, Lock, Opening, Process, Roots, Settings, ToolPolicy,
    ToolUse, Transcripts, Verdict, enabled, judge_shell, parse_shell, touched_since,
};
use serde_json::{Map, Value};

use super::peer::{Kind, Runner, answer, fresh, text};
use super::tree::{Unsupported, now};

type Answer = Result<Map<String, Value>, Unsupported>;

/// The kinds of this crate: what they take, what is compared, who answers.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let (inputs, compared, run): (&[_], &[_], Runner) = match name {
        "shell_read_only" | "shell_gap" | "shell_overblock" => (
            &["command", "allow_list"],
            &["allowed", "is_read_only"],
            shell,
        ),
        "shell_parse" => (&["script"], &["argv"], shell_parse),
        "lock" => (&["lock"], &["acquired", "holder"], lock),
        "throttle" => (&["last_run_min", "min_interval_min"], &["runs"], throttle),
        "sessions" => (&["dir"], &["sessions", "error"], sessions),
        "lock_race" => (&["two_processes_reclaim_stale"], &["winners"], lock_race),
        _ => return None,
    };
    Some(Kind {
        inputs,
        compared,
        run,
    })
}

/// The judge's word on a command line, run in a project of its own.
fn shell(input: &Map<String, Value>) -> Answer {
    let root = fresh()?;
    let project = root.path().join("w/p");
    let dir = MemoryDir::new(root.path().join("home/.claude/projects/p/memory"));
    fs::create_dir_all(&project)?;
    fs::create_dir_all(dir.path())?;
    let roots = Roots::new(&project, &dir);
    let allowed = judge_shell(text(input, "command")?, &project, &roots).is_ok();
    answer([
        ("allowed", allowed.into()),
        ("is_read_only", allowed.into()),
    ])
}

fn shell_parse(input: &Map<String, Value>) -> Answer {
    let argv = match parse_shell(text(input, "script")?) {
        Ok(script) => {
            let calls = script.steps.into_iter().flat_map(|step| step.pipeline);
            calls.map(|call| call.argv).collect::<Vec<_>>().into()
        }
        Err(_) => Value::Null,
    };
    answer([("argv", argv)])
}

/// The policy's word on a write, in the memory directory that the scene resolves to.
pub(super) fn may_write(dir: &MemoryDir, cwd: &Path, path: &Path) -> bool {
    let policy = ToolPolicy::new(Roots::new(cwd, dir), cwd);
    let path = path.to_string_lossy().into_owned();
    matches!(policy.judge(&ToolUse::Write { path }), Verdict::Allow(_))
}

/// The process that asks, and numbers of one that lives and one that does not.
const SELF: u32 = 100;
const ALIVE: u32 = 200;
const DEAD: u32 = 300;

fn process() -> Process {
    Process::new(SELF, |pid| pid != DEAD)
}

fn minutes(value: Option<&Value>) -> Result<Duration, Unsupported> {
    let minutes = value
        .and_then(Value::as_f64)
        .filter(|minutes| (0.0..1e9).contains(minutes))
        .ok_or("input: minutes")?;
    Ok(Duration::from_secs_f64(minutes * 60.0))
}

fn leave(dir: &MemoryDir, pid: u32, modified: SystemTime) -> Result<(), Unsupported> {
    fs::write(dir.lock_file(), pid.to_string())?;
    let file = File::options().write(true).open(dir.lock_file())?;
    file.set_modified(modified)?;
    Ok(())
}

fn lock(input: &Map<String, Value>) -> Answer {
    let root = fresh()?;
    let dir = MemoryDir::new(root.path());
    match input.get("lock") {
        Some(Value::Null) => {}
        Some(Value::Object(held)) => {
            let pid = match held.get("pid").and_then(Value::as_str) {
                Some("alive") => ALIVE,
                Some("dead") => DEAD,
                _ => return Err("input lock.pid".into()),
            };
            leave(&dir, pid, now() - minutes(held.get("age_min"))?)?;
        }
        _ => return Err("input lock".into()),
    }
    let acquired =
        Lock::acquire(&dir, now(), &process()).map_err(|error| Unsupported(error.to_string()))?;
    let body = fs::read_to_string(dir.lock_file()).unwrap_or_default();
    let holder = match body.trim().parse() {
        Ok(SELF) => "self".into(),
        Ok::<u32, _>(_) => "other".into(),
        Err(_) => Value::Null,
    };
    let acquired = matches!(acquired, Acquired::Yes(_));
    answer([("acquired", acquired.into()), ("holder", holder)])
}

fn throttle(input: &Map<String, Value>) -> Answer {
    let root = fresh()?;
    let dir = MemoryDir::new(root.path());
    leave(&dir, DEAD, now() - minutes(input.get("last_run_min"))?)?;
    let interval = minutes(input.get("min_interval_min"))?;
    let flags = Flags::default()
        .enabled(true)
        .min_age(interval)
        .min_sessions(0);
    let on = enabled(&Settings::default(), &flags, &Host::default());
    let mut gate = Gate::new(dir, Transcripts::default(), Config::new(&flags));
    let opening = gate
        .check(now(), &on, &process())
        .map_err(|error| Unsupported(error.to_string()))?;
    answer([("runs", matches!(opening, Opening::Open(_)).into())])
}

fn sessions(input: &Map<String, Value>) -> Answer {
    if input.get("dir") != Some(&Value::Null) {
        return Err("input dir".into());
    }
    let root = fresh()?;
    let touched = touched_since(&Transcripts::new([root.path().join("missing")]), None);
    let error = touched
        .skipped
        .first()
        .map(|skipped| skipped.reason.clone());
    answer([
        ("sessions", touched.sessions.len().into()),
        ("error", error.into()),
    ])
}

fn lock_race(input: &Map<String, Value>) -> Answer {
    if input.get("two_processes_reclaim_stale") != Some(&Value::Bool(true)) {
        return Err("input two_processes_reclaim_stale".into());
    }
    let winners = crate::soak::winners(2).map_err(|error| Unsupported(error.to_string()))?;
    answer([("winners", winners.into())])
}
