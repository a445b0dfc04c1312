//! The ready executor: what was judged runs, within limits, and nothing else does.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use autodream::{
    Allowed, Execute, ExecuteEnd, ExecuteLimits, ExecuteOutput, NoShell, ProcessExecutor, Script,
    ToolPolicy, ToolUse, Verdict, parse_shell,
};
use tempfile::TempDir;

use super::shell_world::{ShellWorld, corpus};

/// A script that no judge has seen.
fn unjudged(line: &str, cwd: &Path) -> Script {
    let mut script = parse_shell(line).unwrap();
    script.cwd = cwd.to_path_buf();
    script
}

fn run_in(line: &str, cwd: &Path, limits: &ExecuteLimits) -> ExecuteOutput {
    ProcessExecutor::new().run(&unjudged(line, cwd), limits)
}

#[track_caller]
fn check(line: &str, stdout: &str, status: i32) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.txt"), "b\na\n").unwrap();
    let output = run_in(line, folder.path(), &ExecuteLimits::default());
    assert_eq!(
        (&*String::from_utf8_lossy(&output.stdout), &output.end),
        (stdout, &ExecuteEnd::Exited { status }),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn pipelines_and_conditions_run_as_they_say() {
    check("sort a.txt | head -n 1", "a\n", 0);
    check("false && echo no || echo yes; echo end", "yes\nend\n", 0);
    check("true || echo no && echo yes", "yes\n", 0);
    check("false; true | false", "", 1);
    check("cat < a.txt | wc -l | tr -d ' '", "2\n", 0);
    check("yes | head -n 2", "y\ny\n", 0);
}

#[test]
fn redirections_take_effect_in_their_order() {
    check("ls none 2>&1 | wc -l | tr -d ' '", "1\n", 0);
    check("ls none 2>/dev/null || echo gone", "gone\n", 0);
    check("echo x > /dev/null", "", 0);
    check("ls none 2>&1 > /dev/null | wc -l | tr -d ' '", "1\n", 0);
    check("cat < /dev/null", "", 0);
    check("cat < none.txt || echo missing", "missing\n", 0);
}

#[test]
fn a_program_that_is_not_there_has_the_status_of_a_shell() {
    check("no-such-program-anywhere", "", 127);
    check("no-such-program-anywhere | cat", "", 0);
    check("cat a.txt | no-such-program-anywhere || echo so", "so\n", 0);
}

#[test]
fn only_bare_names_in_the_search_path_are_programs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("planted");
    fs::write(&program, "#!/bin/sh\necho planted\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for line in ["planted", "./planted", program.to_str().unwrap(), ".."] {
        let output = run_in(line, folder.path(), &ExecuteLimits::default());
        assert_eq!(output.end, ExecuteEnd::Exited { status: 127 }, "{line}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn no_shell_reads_the_words_again() {
    let folder = TempDir::new().unwrap();
    let mut script = unjudged("echo x", folder.path());
    let words = [
        "echo",
        "$HOME",
        "`id`",
        "$(id)",
        "*",
        "a; touch planted",
        "> planted",
        "~",
    ];
    script.steps[0].pipeline[0].argv = words.map(str::to_owned).to_vec();
    let output = ProcessExecutor::new().run(&script, &ExecuteLimits::default());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{}\n", words[1..].join(" "))
    );
    assert!(!folder.path().join("planted").exists());
}

#[test]
fn the_environment_is_the_script_s_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let script = unjudged("env", folder.path());
    let output = ProcessExecutor::new().run(&script, &ExecuteLimits::default());
    let mut seen: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    let mut wanted: Vec<String> = script
        .environment()
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    seen.sort();
    wanted.sort();
    assert_eq!(seen, wanted);
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "the host has more"
    );
}

/// Whether a process with this argument lives. Zombies have no arguments.
fn lives(argument: &str) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    processes.flatten().any(|process| {
        fs::read(process.path().join("cmdline")).is_ok_and(|line| {
            line.split(|byte| *byte == 0)
                .any(|word| word == argument.as_bytes())
        })
    })
}

/// Whether something becomes so: other tests have children of their own.
fn soon(is_so: impl Fn() -> bool) -> bool {
    (0..500).any(|_| {
        is_so() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    })
}

/// Children of this process that ran this program, and that nobody waited for.
fn zombies(program: &str) -> usize {
    let program = format!("({program})");
    let own = std::process::id().to_string();
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .flatten()
        .filter_map(|process| fs::read_to_string(process.path().join("stat")).ok())
        .filter(|stat| {
            if !stat.contains(&program) {
                return false;
            }
            let mut fields = stat
                .rsplit_once(')')
                .map_or("", |(_, rest)| rest)
                .split_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&own)
        })
        .count()
}

#[test]
fn what_takes_too_long_is_killed_with_all_that_it_started() {
    let folder = TempDir::new().unwrap();
    let limits = ExecuteLimits::default().time(Duration::from_millis(200));
    // A time that no other process of this machine sleeps.
    let time = format!("9{:07}", std::process::id());
    for line in [
        "sleep TIME",
        "sleep TIME | cat",
        "cat a.txt | sleep TIME",
        "sh -c 'sleep TIME & sleep TIME; wait'",
        // Closes its output, and stays.
        "sh -c 'exec >/dev/null 2>/dev/null; exec sleep TIME'",
        "sleep TIME; echo never",
    ] {
        let line = line.replace("TIME", &time);
        let output = run_in(&line, folder.path(), &limits);
        assert_eq!(output.end, ExecuteEnd::TimedOut, "{line}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    // What was killed is gone in a moment, whoever inherits it.
    assert!(soon(|| !lives(&time)));
    assert!(soon(|| zombies("sleep") == 0));
}

#[test]
fn what_waits_for_a_pipe_of_files_is_killed() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let limits = ExecuteLimits::default().time(Duration::from_millis(200));
    assert_eq!(
        run_in("cat pipe", folder.path(), &limits).end,
        ExecuteEnd::TimedOut
    );
    // As an input it is not even opened.
    let output = run_in("cat < pipe", folder.path(), &limits);
    assert_eq!(output.end, ExecuteEnd::Exited { status: 1 });
}

#[test]
fn what_writes_too_much_is_killed() {
    let folder = TempDir::new().unwrap();
    let limits = ExecuteLimits::default().output_bytes(100_000);
    for line in ["yes", "yes >&2", "cat /dev/zero | cat", "yes; echo never"] {
        let output = run_in(line, folder.path(), &limits);
        assert_eq!(output.end, ExecuteEnd::TooMuchOutput, "{line}");
        assert_eq!(output.stdout.len() + output.stderr.len(), 100_000, "{line}");
    }
    assert!(soon(|| zombies("yes") == 0));
}

#[test]
fn what_fills_both_outputs_does_not_block() {
    let folder = TempDir::new().unwrap();
    let line = "sh -c 'head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; echo end'";
    let output = run_in(line, folder.path(), &ExecuteLimits::default());
    assert_eq!(output.end, ExecuteEnd::Exited { status: 0 });
    assert_eq!(
        (output.stdout.len(), output.stderr.len()),
        (300_004, 300_000)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_takes_too_much_memory_fails() {
    let folder = TempDir::new().unwrap();
    // `tail` keeps what it reads; a line without an end is all of it.
    let limits = ExecuteLimits::default()
        .memory_bytes(64 << 20)
        .time(Duration::from_secs(60));
    let output = run_in(
        "head -c 300000000 /dev/zero | tail -n 1 | wc -c",
        folder.path(),
        &limits,
    );
    let counted = String::from_utf8(output.stdout).unwrap();
    assert_ne!(counted.trim(), "300000000", "{:?}", output.end);
}

#[test]
fn a_signal_is_a_status() {
    check("sh -c 'kill -9 $$'", "", 137);
}

#[test]
fn without_its_directory_nothing_runs() {
    for cwd in ["", "relative", "/no/such/folder"] {
        let output = run_in("echo x", Path::new(cwd), &ExecuteLimits::default());
        assert!(matches!(output.end, ExecuteEnd::NotRun { .. }), "{cwd}");
    }
    let none = NoShell::new().run(&unjudged("ls", Path::new("/")), &ExecuteLimits::default());
    assert!(matches!(none.end, ExecuteEnd::NotRun { .. }));
}

#[test]
fn what_the_judge_allows_runs_and_changes_nothing() {
    let world = ShellWorld::new();
    let before = super::shell_run::tree(&world.home);
    let mut ran = 0;
    for line in corpus("benign.jsonl") {
        // Some name programs that are not installed everywhere.
        let Ok(script) = world.judge(&line.command) else {
            continue;
        };
        let output = ProcessExecutor::new().run(&script, &ExecuteLimits::default());
        assert!(
            matches!(output.end, ExecuteEnd::Exited { .. }),
            "{}: {:?}",
            line.command,
            output.end
        );
        ran += 1;
    }
    assert!(ran > 50, "{ran}");
    assert_eq!(super::shell_run::tree(&world.home), before);
}

#[test]
fn what_is_sorted_is_written_nowhere() {
    let world = ShellWorld::new();
    fs::write(world.project.join("big.txt"), "b\na\n".repeat(4 << 20)).unwrap();
    let policy = ToolPolicy::new(world.roots(), &world.project);
    let bash = |line: &str| {
        let input = serde_json::json!({ "command": line }).to_string();
        ToolUse::from_json("Bash", &input).unwrap()
    };
    let judge = |line: &str| match policy.judge(&bash(line)) {
        Verdict::Allow(Allowed::Run(script)) => script,
        other => panic!("{other:?}"),
    };
    let script = judge("cat big.txt | sort -r | head -n 1");
    let argv = &script.steps[0].pipeline[1].argv;
    assert_eq!(argv[1..], ["-r", "-S", "1G", "-T", "/dev/null"]);
    let output = ProcessExecutor::new().run(&script, &ExecuteLimits::default());
    assert_eq!(output.stdout, b"b\n", "{output:?}");
    // With less memory than the text it fails instead.
    let mut script = judge("cat big.txt | sort -r");
    script.steps[0].pipeline[1].argv[3] = "1M".to_owned();
    let output = ProcessExecutor::new().run(&script, &ExecuteLimits::default());
    assert_eq!(output.stdout, b"");
    assert!(!output.stderr.is_empty());
}
