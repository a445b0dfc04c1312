//! The tool policy: what may be read and written, and the names of tools.

use std::fs;

use autodream::{Allowed, RefusalKind, Roots, ToolPolicy, ToolUse, Verdict};
use memdir_paths::MemoryDir;

use super::shell_world::ShellWorld;

fn policy(world: &ShellWorld) -> ToolPolicy {
    ToolPolicy::new(world.roots(), &world.project)
}

fn judge(world: &ShellWorld, name: &str, key: &str, value: &str) -> Verdict {
    let input = serde_json::json!({ key: world.line(value) }).to_string();
    policy(world).judge(&ToolUse::from_json(name, &input).unwrap())
}

#[track_caller]
fn kind(verdict: Verdict) -> RefusalKind {
    match verdict {
        Verdict::Refuse(refusal) => refusal.kind(),
        Verdict::Allow(allowed) => panic!("{allowed:?}"),
    }
}

#[track_caller]
fn allowed(verdict: Verdict) -> Allowed {
    match verdict {
        Verdict::Allow(allowed) => allowed,
        Verdict::Refuse(refusal) => panic!("{refusal}"),
    }
}

#[test]
fn memory_transcripts_and_project_are_read() {
    let world = ShellWorld::new();
    for path in [
        "{M}/MEMORY.md",
        "{T}/a.jsonl",
        "{P}/README.md",
        "src/main.rs",
        "{M}/none.md",
    ] {
        allowed(judge(&world, "Read", "file_path", path));
    }
    for path in ["{M}", "{P}/src", "{T}"] {
        allowed(judge(&world, "Grep", "path", path));
        allowed(judge(&world, "LS", "path", path));
    }
    let grep = ToolUse::from_json("Grep", "{\"pattern\": \"x\"}").unwrap();
    assert_eq!(
        allowed(policy(&world).judge(&grep)),
        Allowed::Read(world.project.clone())
    );
}

#[test]
fn other_places_credentials_and_pipes_are_not_read() {
    let world = ShellWorld::new();
    for path in [
        "/etc/passwd",
        "{H}/.netrc",
        "../x",
        "{P}/../../x",
        "{P}x/y",
        "escape/passwd",
        "{P}/escape/x",
        "/",
    ] {
        assert_eq!(
            kind(judge(&world, "Read", "file_path", path)),
            RefusalKind::Outside,
            "{path}"
        );
    }
    for path in [
        ".env",
        ".ENV",
        "docs/link-to-env",
        "server.pem",
        "deploy.key",
        "id_ed25519",
        "secrets/credentials.json",
        ".git/config",
        ".ssh/x",
        "a/.aws/b",
        "x/.config/gh/hosts.yml",
        "prod.env",
        ".env/",
    ] {
        assert_eq!(
            kind(judge(&world, "Read", "file_path", path)),
            RefusalKind::Secret,
            "{path}"
        );
    }
    assert_eq!(
        kind(judge(&world, "Read", "file_path", "pipe")),
        RefusalKind::Special
    );
    // Source code about such things is source code.
    for path in [
        "src/secrets.rs",
        "src/credentials.rs",
        "docs/keys.md",
        "environment.md",
        "src/secrets/mod.rs",
    ] {
        allowed(judge(&world, "Read", "file_path", path));
    }
}

#[test]
fn only_memory_files_are_written() {
    let world = ShellWorld::new();
    for path in [
        "{M}/new.md",
        "{M}/MEMORY.md",
        "{M}/team/new.md",
        "{M}/logs/2026/12/2026-12-01.md",
    ] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            assert_eq!(
                allowed(judge(&world, tool, "file_path", path)),
                Allowed::Write(world.line(path).into()),
            );
        }
    }
    for path in [
        "{P}/README.md",
        "new.md",
        "{T}/x.md",
        "{M}/x.txt",
        "{M}/x",
        "{M}/.x.md",
        "{M}/.d/x.md",
        "{M}/../x.md",
        "{M}/a/../../x.md",
        "{M}-evil/x.md",
        "/etc/x.md",
        "{M}",
        "{M}/",
        "{M}/.consolidate-lock",
        "{M}/.dream/x.md",
    ] {
        assert_eq!(
            kind(judge(&world, "Write", "file_path", path)),
            RefusalKind::ReadOnly,
            "{path}"
        );
    }
    for path in [
        "{M}/CON.md",
        "{M}/a:b.md",
        "{M}/a\u{202e}.md",
        "{M}/a /x.md",
        "{M}/..\\x.md",
    ] {
        let kind = kind(judge(&world, "Write", "file_path", path));
        assert!(
            matches!(kind, RefusalKind::Operand | RefusalKind::ReadOnly),
            "{path}"
        );
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_a_write_out_or_to_hidden_files() {
    use std::os::unix::fs::symlink;

    let world = ShellWorld::new();
    let memory = &world.memory;
    symlink(&world.project, memory.join("out")).unwrap();
    symlink(world.project.join("README.md"), memory.join("readme.md")).unwrap();
    symlink(world.project.join("none.md"), memory.join("dangling.md")).unwrap();
    fs::create_dir(memory.join(".hidden")).unwrap();
    fs::write(memory.join(".hidden/x.md"), "x").unwrap();
    symlink(".hidden", memory.join("shown")).unwrap();
    symlink(".hidden/x.md", memory.join("shown.md")).unwrap();
    symlink("MEMORY.md", memory.join("alias.md")).unwrap();
    fs::write(memory.join("list.txt"), "x").unwrap();
    symlink("list.txt", memory.join("list.md")).unwrap();
    fs::create_dir(memory.join("folder.md")).unwrap();
    for path in [
        "{M}/out/new.md",
        "{M}/readme.md",
        "{M}/dangling.md",
        "{M}/shown/x.md",
        "{M}/shown/new.md",
        "{M}/shown.md",
        "{M}/list.md",
    ] {
        assert_eq!(
            kind(judge(&world, "Write", "file_path", path)),
            RefusalKind::ReadOnly,
            "{path}"
        );
    }
    assert_eq!(
        kind(judge(&world, "Write", "file_path", "{M}/folder.md")),
        RefusalKind::Special
    );
    assert_eq!(
        allowed(judge(&world, "Write", "file_path", "{M}/alias.md")),
        Allowed::Write(memory.join("MEMORY.md"))
    );
}

#[test]
fn a_memory_directory_that_does_not_exist_yet_may_be_written() {
    let world = ShellWorld::new();
    let memory = world.home.join("later/memory");
    let roots = Roots::new(&world.project, &MemoryDir::new(&memory));
    let policy = ToolPolicy::new(roots, &world.project);
    let path = memory.join("new.md").to_str().unwrap().to_owned();
    assert_eq!(
        allowed(policy.judge(&ToolUse::Write { path: path.clone() })),
        Allowed::Write(path.clone().into())
    );
    // And read as soon as it is there.
    fs::create_dir_all(&memory).unwrap();
    fs::write(&path, "x").unwrap();
    assert_eq!(
        allowed(policy.judge(&ToolUse::Read { path: path.clone() })),
        Allowed::Read(path.into())
    );
}

#[cfg(unix)]
#[test]
fn a_memory_directory_under_another_name_is_the_same() {
    let world = ShellWorld::new();
    let alias = world.home.join("alias");
    std::os::unix::fs::symlink(&world.memory, &alias).unwrap();
    let roots = Roots::new(&world.project, &MemoryDir::new(&alias));
    let policy = ToolPolicy::new(roots, &world.project);
    for folder in [&alias, &world.memory] {
        let path = folder.join("new.md").to_str().unwrap().to_owned();
        assert_eq!(
            allowed(policy.judge(&ToolUse::Write { path })),
            Allowed::Write(world.memory.join("new.md"))
        );
    }
}

#[test]
fn a_pattern_does_not_climb() {
    let world = ShellWorld::new();
    for pattern in ["**/*.md", "src/*.rs", "{M}/**/*.md", "*.{md,txt}"] {
        allowed(judge(&world, "Glob", "pattern", pattern));
    }
    for pattern in [
        "../*",
        "/etc/*",
        "src/../../*",
        "{..,src}/*",
        "{H}/*",
        "/*",
        // As tools read alternatives, escapes and `~`.
        "~/*",
        "{/etc/*,src/*}",
        "{src/*,/etc/*}",
        "{src,~/x}/*",
        "{.,a}{.,b}/*",
        ".{.,a}/*",
        "{a/.,b}./*",
        "\\.\\./*",
        "@(..)/*",
    ] {
        assert_eq!(
            kind(judge(&world, "Glob", "pattern", pattern)),
            RefusalKind::Outside,
            "{pattern}"
        );
    }
    assert_eq!(
        kind(judge(&world, "Glob", "pattern", ".ssh/*")),
        RefusalKind::Secret
    );
}

#[test]
fn every_other_tool_is_refused() {
    let world = ShellWorld::new();
    for name in [
        "Task",
        "WebFetch",
        "mcp__x__y",
        "NotebookEdit",
        "read",
        "bash",
        "",
        "Bash ",
    ] {
        let tool = ToolUse::from_json(name, "no json").unwrap();
        assert_eq!(
            kind(policy(&world).judge(&tool)),
            RefusalKind::Tool,
            "{name}"
        );
    }
}

#[test]
fn commands_go_to_the_judge() {
    let world = ShellWorld::new();
    let Allowed::Run(script) = allowed(judge(&world, "Bash", "command", "ls {M}")) else {
        panic!();
    };
    assert_eq!(script.steps.len(), 1);
    assert_eq!(script.cwd, world.project);
    kind(judge(&world, "Bash", "command", "rm x"));
}

#[test]
fn inputs_that_are_none_are_refused() {
    for (name, input) in [
        ("Read", ""),
        ("Read", "[]"),
        ("Read", "{}"),
        ("Read", "{\"file_path\": 1}"),
        ("Write", "{\"path\": \"x\"}"),
        ("Glob", "{\"path\": \"x\"}"),
        ("Bash", "{}"),
        ("Bash", "{\"command\": \"ls\", \"run_in_background\": true}"),
        (
            "Bash",
            "{\"command\": \"ls\", \"run_in_background\": \"yes\"}",
        ),
        (
            "Bash",
            "{\"command\": \"ls\", \"dangerouslyDisableSandbox\": true}",
        ),
    ] {
        let refusal = ToolUse::from_json(name, input).unwrap_err();
        assert_eq!(refusal.kind(), RefusalKind::Input, "{name} {input}");
    }
    let world = ShellWorld::new();
    for path in ["", "a\0b"] {
        assert_eq!(
            kind(policy(&world).judge(&ToolUse::Read { path: path.into() })),
            RefusalKind::Input
        );
    }
}

#[test]
fn the_root_of_the_file_system_is_no_project() {
    let world = ShellWorld::new();
    let roots = Roots::new("/".as_ref(), &MemoryDir::new(&world.memory)).transcripts("/".as_ref());
    assert_eq!(
        roots.may_read("/etc/passwd".as_ref()).unwrap_err().kind(),
        RefusalKind::Outside
    );
    roots.may_read(&world.memory).unwrap();
}

#[test]
fn a_relative_path_is_not_looked_up_from_where_the_process_is() {
    let world = ShellWorld::new();
    let refusal = world.roots().may_read("Cargo.toml".as_ref()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "`Cargo.toml`: an absolute path is expected"
    );
}
