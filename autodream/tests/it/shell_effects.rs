//! What is allowed changes nothing and shows no secret when it runs.
#![cfg(unix)]

use std::process::{Command, Stdio};

use super::shell_mutations::Mutations;
use super::shell_run::{run, tree};
use super::shell_world::{ShellWorld, corpus};

#[test]
fn what_is_allowed_changes_nothing_and_shows_no_secret() {
    let world = ShellWorld::new();
    let before = tree(&world.home);
    let mut runs = 0;
    for line in corpus("benign.jsonl") {
        let Ok(script) = world.judge(&line.command) else {
            continue;
        };
        let shown = run(&script);
        runs += usize::from(shown.is_whole);
        assert!(
            !shown.text.contains("SECRET"),
            "{}: {}",
            line.command,
            shown.text
        );
    }
    // Without the programs that this machine does not have.
    assert!(runs > 200, "{runs}");
    assert!(tree(&world.home) == before);
}

#[test]
fn what_is_allowed_of_other_combinations_changes_nothing_either() {
    let world = ShellWorld::new();
    let before = tree(&world.home);
    let mut runs = 0;
    for line in Mutations::new(20_260_601).take(5_000) {
        let Ok(script) = world.judge(&line) else {
            continue;
        };
        // Every second: enough to notice, and done in a second or two.
        runs += 1;
        if runs % 2 == 0 {
            let shown = run(&script);
            assert!(!shown.text.contains("SECRET"), "{line}: {}", shown.text);
        }
    }
    assert!(runs > 200, "{runs}");
    assert!(tree(&world.home) == before);
}

#[test]
fn the_results_are_those_of_a_shell() {
    let world = ShellWorld::new();
    for (command, expected) in [
        ("cat docs/notes.txt | sort -u | wc -l", "3\n"),
        ("grep -c beta docs/notes.txt", "2\n"),
        ("false || echo no", "no\n"),
        ("false && echo no; echo yes", "yes\n"),
        ("test -f README.md && echo yes || echo no", "yes\n"),
        ("[ -d none ] || echo none", "none\n"),
        ("git log --format=%s", "fix the readme\nfirst\n"),
        ("git log --format=%s HEAD~1", "first\n"),
        ("git show -s --format=%s HEAD", "fix the readme\n"),
        ("git show HEAD:docs/notes.txt | head -1", "alpha\n"),
        (
            "git log -1 -p --format=%s -- README.md | grep -c '^+'",
            "2\n",
        ),
        ("git ls-files '*.rs' | wc -l", "4\n"),
        ("git rev-parse --show-prefix", "\n"),
        ("git cat-file -t HEAD", "commit\n"),
        ("git blame -s README.md | wc -l", "3\n"),
        ("sed -n '/alpha/p' docs/guide.md", "alpha foo\n"),
        ("jq -c .items data.json", "[1,2]\n"),
        (
            "jq -r '\"\\(.name)-\\(.items | length)\"' data.json",
            "x-2\n",
        ),
        (
            "find src -name '*.rs' | sort",
            "src/lib.rs\nsrc/main.rs\nsrc/net/mod.rs\n",
        ),
        ("grep -rl TODO . | sort", "./src/main.rs\n"),
        ("grep -Rl SECRET", ""),
        ("diff -r docs src | grep SECRET", ""),
        ("cat < docs/notes.txt | head -n 1", "alpha\n"),
    ] {
        let shown = run(&world.allowed(command));
        if shown.is_whole {
            assert_eq!(shown.text, expected, "{command}");
        }
    }
}

/// Every setting of a repository that names a program names one that would leave a mark.
#[test]
fn a_hostile_repository_runs_nothing() {
    let world = ShellWorld::new();
    let (mark, program) = trap(&world);
    for key in [
        "core.pager",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "pager.log",
        "pager.show",
        "pager.blame",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "gpg.program",
        "gpg.ssh.program",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "sequence.editor",
        "interactive.diffFilter",
        "alias.log",
        "alias.show",
    ] {
        world.git(&["config", key, &program]);
    }
    for (key, value) in [
        ("log.showSignature", "true"),
        ("format.pretty", "%G? %s"),
        ("pretty.oneline", "%G?"),
        ("pretty.mine", "%G?"),
        ("core.hooksPath", "hooks"),
        ("core.worktree", "/etc"),
        ("blame.ignoreRevsFile", "/etc/passwd"),
        ("diff.orderFile", "/etc/passwd"),
        ("core.attributesFile", "/etc/passwd"),
        ("mailmap.file", "/etc/passwd"),
        ("diff.submodule", "diff"),
        ("log.mailmap", "true"),
    ] {
        world.git(&["config", key, value]);
    }
    std::fs::write(world.project.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
    std::fs::write(
        world.project.join(".git/info/attributes"),
        "* filter=x diff=x\n",
    )
    .unwrap();
    // The working tree differs from what is committed, so that there is something to filter.
    std::fs::write(world.project.join("docs/guide.md"), "changed\n").unwrap();
    let before = tree(&world.home);
    let mut runs = 0;
    for line in corpus("benign.jsonl") {
        if let (true, Ok(script)) = (line.command.contains("git "), world.judge(&line.command)) {
            let shown = run(&script);
            assert!(!shown.text.contains("root:"), "{}", line.command);
            runs += 1;
        }
    }
    for command in [
        "git log -p --stat -g",
        "git log --cc -S alpha --oneline",
        "git show HEAD HEAD~1",
        "git ls-files -o -d -s",
        "git log --pretty",
    ] {
        run(&world.allowed(command));
    }
    assert!(world.judge("git log --format=mine").is_err());
    assert!(runs > 30, "{runs}");
    assert!(
        !mark.exists(),
        "{}",
        std::fs::read_to_string(&mark).unwrap()
    );
    assert!(tree(&world.home) == before);
    // No argument takes a file of ignored revisions back, and what it holds would be shown.
    world.refused("git blame -e -w docs/guide.md");
    world.git(&["config", "--unset", "blame.ignoreRevsFile"]);
    run(&world.allowed("git blame -e -w docs/guide.md"));
    assert!(!mark.exists());
    assert_eq!(
        run(&world.allowed("git log -1 --format=%s")).text,
        "fix the readme\n"
    );
}

/// What a partial clone lacks would be fetched by a program that the repository names.
#[test]
fn a_missing_object_is_not_fetched() {
    let world = ShellWorld::new();
    let (mark, program) = trap(&world);
    let id = Command::new("git")
        .args(["rev-parse", "HEAD:README.md"])
        .current_dir(&world.project)
        .output()
        .unwrap();
    let id = String::from_utf8(id.stdout).unwrap();
    let (folder, file) = id.trim().split_at(2);
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", world.project.to_str().unwrap()),
        ("remote.origin.uploadpack", &program),
        ("protocol.allow", "always"),
        ("protocol.file.allow", "always"),
    ] {
        world.git(&["config", key, value]);
    }
    let object = world.project.join(".git/objects").join(folder).join(file);
    std::fs::remove_file(object).unwrap();
    for command in [
        "git show HEAD",
        "git log -p",
        "git show HEAD:README.md",
        "git blame README.md",
    ] {
        run(&world.allowed(command));
    }
    assert!(!mark.exists());
    // The trap is real.
    let _ = Command::new("git")
        .args(["show", "HEAD:README.md"])
        .current_dir(&world.project)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(mark.exists());
}

/// A program, and the mark that it leaves when it runs.
fn trap(world: &ShellWorld) -> (std::path::PathBuf, String) {
    let mark = world.home.join("mark");
    let program = world.home.join("program");
    let text = format!("#!/bin/sh\necho ran >> {}\n", mark.display());
    std::fs::write(&program, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    (mark, program.to_str().unwrap().to_owned())
}

#[test]
fn a_committed_secret_is_not_shown() {
    let world = ShellWorld::new();
    world.git(&["add", "-f", ".env", "server.pem", "secrets"]);
    world.git(&["commit", "-q", "-m", "oops"]);
    let blob = Command::new("git")
        .args(["rev-parse", "HEAD:.env"])
        .current_dir(&world.project)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let blob = String::from_utf8(blob.stdout).unwrap();
    let blob = blob.trim();
    for command in [
        "git show",
        "git show HEAD",
        "git show HEAD -- .",
        "git log -p",
        "git log -p -- '*'",
        "git log -p -- '.e*'",
        "git log --cc -1",
        "git log -u",
        "git log --patch-with-stat -- '*.pem'",
        "git log --unified=3",
        "git log -W",
        "git log --word-diff",
        "git log -p --full-diff -- README.md",
        "git show --full-diff -- README.md",
        "git log -p --stat --cc -- .",
        "git log -p -S SECRET --pickaxe-all",
        "git log -p -G SECRET",
        "git log -p --follow",
        "git log -p --first-parent --root -g",
        "git show HEAD 'HEAD:docs'",
        "git show --stat",
        "git show HEAD:secrets",
        "git cat-file -p HEAD",
        "git cat-file -p 'HEAD^{tree}'",
        &format!("git show {blob}"),
        &format!("git cat-file -p {blob}"),
        &format!("git log -p {blob}"),
    ] {
        if let Ok(script) = world.judge(command) {
            let shown = run(&script);
            assert!(!shown.text.contains("SECRET"), "{command}: {}", shown.text);
        }
    }
    for command in [
        "git show HEAD:.env",
        "git show HEAD:./.env",
        "git show HEAD:docs/../.env",
        "git show HEAD:.ENV",
        "git show :.env",
        "git show :0:.env",
        "git cat-file -p :.env",
        "git log -p -- ':(top).env'",
        "git log -p --follow -- README.md",
        "git blame .env",
    ] {
        world.refused(command);
    }
}

#[test]
fn a_shell_finds_nothing_to_object_to() {
    let world = ShellWorld::new();
    let has_bash = Command::new("bash")
        .args(["-n", "-c", "true"])
        .status()
        .is_ok_and(|status| status.success());
    if !has_bash {
        return;
    }
    for line in corpus("benign.jsonl") {
        let status = Command::new("bash")
            .args(["--norc", "-n", "-c", &world.line(&line.command)])
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{}", line.command);
    }
}
