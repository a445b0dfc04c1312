//! The shell judge: words, forced arguments, and the reasons of refusals.

use autodream::{Join, Redirection, RefusalKind, parse_shell};

use proptest::prelude::*;

use super::shell_world::ShellWorld;

fn argv(command: &str) -> Vec<Vec<String>> {
    parse_shell(command)
        .unwrap()
        .steps
        .into_iter()
        .flat_map(|step| step.pipeline)
        .map(|command| command.argv)
        .collect()
}

#[test]
fn quotes_and_escapes_are_removed_as_a_shell_does() {
    for (command, expected) in [
        (
            r#"rg -n "foo" -g"*.py""#,
            &["rg", "-n", "foo", "-g*.py"][..],
        ),
        (r#"a "b c" 'd "e'"#, &["a", "b c", "d \"e"]),
        (
            r#"a "\|\." "\\" "\"" "\$x" "\a""#,
            &["a", r"\|\.", r"\", "\"", "$x", r"\a"],
        ),
        (r"a \( \; \$x \ b", &["a", "(", ";", "$x", " b"]),
        ("a 'b'\"c\"d", &["a", "bcd"]),
        ("a '' \"\"", &["a", "", ""]),
        ("a x#y", &["a", "x#y"]),
        ("a \\\n b", &["a", "b"]),
        ("a \"foo$\" \"(a|b$)\"", &["a", "foo$", "(a|b$)"]),
        ("a 'x\ny'", &["a", "x\ny"]),
        ("a HEAD~1 b^ c", &["a", "HEAD~1", "b^", "c"]),
        ("a \"注意\" 发布", &["a", "注意", "发布"]),
        ("find . ! -name x", &["find", ".", "!", "-name", "x"]),
    ] {
        assert_eq!(argv(command), [expected], "{command}");
    }
}

#[test]
fn joins_and_pipes_are_kept() {
    let script = parse_shell("a | b && c || d; e\n# no\nf").unwrap();
    let shape: Vec<(Join, usize)> = script
        .steps
        .iter()
        .map(|step| (step.join, step.pipeline.len()))
        .collect();
    assert_eq!(
        shape,
        [
            (Join::Always, 2),
            (Join::IfSucceeded, 1),
            (Join::IfFailed, 1),
            (Join::Always, 1),
            (Join::Always, 1),
        ]
    );
}

#[test]
fn redirections_keep_their_order() {
    let script = parse_shell("a 2>&1 >/dev/null 2> /dev/null < x.md >&2").unwrap();
    assert_eq!(
        script.steps[0].pipeline[0].redirections,
        [
            Redirection::ErrorsToOutput,
            Redirection::OutputDropped,
            Redirection::ErrorsDropped,
            Redirection::Input("x.md".into()),
            Redirection::OutputToErrors,
        ]
    );
    // Directly behind `>&` a number is the stream, whatever follows.
    let script = parse_shell("a 2>&1<x.md").unwrap();
    assert_eq!(
        script.steps[0].pipeline[0].redirections,
        [
            Redirection::ErrorsToOutput,
            Redirection::Input("x.md".into())
        ]
    );
}

#[test]
fn what_a_shell_reads_in_its_own_way_is_no_script() {
    for command in [
        "",
        " ",
        "#",
        "\n",
        "a $x",
        "a \"$x\"",
        "a `x`",
        "a $(x)",
        "a <(x)",
        "a {b,c}",
        "a ~",
        "a x=~",
        "a b:~",
        "~a",
        "a=b",
        "a=b c",
        "a[1]=b c",
        "a; ; b",
        "a;; b",
        "a |",
        "a | | b",
        "a &",
        "a & b",
        "a &> x",
        "a |& b",
        "(a)",
        "a (b)",
        "{ a; }",
        "! a",
        "if a; then b; fi",
        "a > x",
        "a >> /dev/null",
        "a 3> /dev/null",
        "a 2>&3",
        "a <&0",
        "a <<x",
        "a <<<x",
        "a >| /dev/null",
        "a <> x",
        "a > /dev/nullx",
        "a > \"/dev/null\"",
        "a > /dev/nul?",
        "a < #x",
        "a < 0< x",
        "a <2>/dev/null",
        "a >1>/dev/null",
        "a 'b",
        "a \"b",
        "a b\\",
        "a \"b\\\nc\"",
        "a b\\\nc",
        "a 2\\\n>/dev/null",
        "a !b",
        "a \"!b\"",
        "a \"$\"$x",
        "a \"$ \"",
        "> /dev/null a",
        "a \r\n b",
        "a\u{0}",
        "a \u{202e}b",
        "a \u{200b}",
        "a \u{a0}b",
        "a \u{3000}b",
        "a \u{2028}b",
        "a $'b'",
        "a $\"b\"",
        "time a",
        "[[ a ]]",
        "function a",
        "coproc a",
        "a \"$'b'\"",
        "a \"$*\"",
        "a\n| b",
        "a &&& b",
        "a \\$'b'",
        "%1 a",
        "a[1 b",
        "a='b' c",
    ] {
        assert!(parse_shell(command).is_err(), "{command:?}");
    }
}

#[test]
fn the_first_word_is_a_plain_name() {
    let world = ShellWorld::new();
    for command in [
        "/bin/ls", "./ls", "\\ls", "'ls'", "l\"s\"", "l?", "ls*", "LS", "\"\"", "l\\s",
    ] {
        let kind = world.refused(command).kind();
        assert!(
            matches!(kind, RefusalKind::Program | RefusalKind::Glob),
            "{command}: {kind:?}"
        );
    }
}

#[test]
fn refusals_name_the_part_that_they_are_about() {
    let world = ShellWorld::new();
    let text = |command: &str| world.refused(command).to_string();
    assert_eq!(
        text("sort -o x README.md"),
        "`-o`: the option is not among those that are known to be harmless"
    );
    assert_eq!(
        text("cat /etc/passwd"),
        "`/etc/passwd`: it leads out of the project, the memory directory and the transcripts, which are all that may be read"
    );
    assert_eq!(
        text("ls & pwd"),
        "`&`: only plain commands are allowed: no substitution, grouping, background or loop"
    );
    assert_eq!(
        text("ls \u{202e}x"),
        "`\\u{202e}`: a command may hold printable characters only"
    );
    assert_eq!(world.refused("cat .env").kind(), RefusalKind::Secret);
    assert_eq!(world.refused("cat pipe").kind(), RefusalKind::Special);
    assert_eq!(world.refused("cat *.none").kind(), RefusalKind::Glob);
    assert_eq!(world.refused("frob x").part(), "frob");
    let long = world.refused(&"x".repeat(40_000));
    assert_eq!(long.kind(), RefusalKind::TooLong);
}

#[test]
fn globs_become_names_that_are_no_options() {
    let world = ShellWorld::new();
    let calls = world.allowed("wc -l src/*.rs").steps.remove(0).pipeline;
    assert_eq!(calls[0].argv, ["wc", "-l", "./src/lib.rs", "./src/main.rs"]);
    let calls = world.allowed("cat opt/*").steps.remove(0).pipeline;
    assert_eq!(calls[0].argv, ["cat", "./opt/-n"]);
    // As a shell: no file matches, so the word is what it says.
    let calls = world
        .allowed("grep -rn --include=*.md alpha docs")
        .steps
        .remove(0)
        .pipeline;
    assert!(calls[0].argv.contains(&"--include=*.md".to_owned()));
}

#[test]
fn a_glob_that_looks_like_an_option_and_matches_is_refused() {
    let world = ShellWorld::new();
    std::fs::write(world.project.join("-la"), "x").unwrap();
    world.refused("ls -l*");
    let calls = world.allowed("ls *a").steps.remove(0).pipeline;
    assert_eq!(calls[0].argv, ["ls", "./-la"]);
}

#[test]
fn a_search_through_a_tree_leaves_out_credentials_whatever_the_command_says() {
    let world = ShellWorld::new();
    let calls = world
        .allowed("grep -rn TODO . --include=.env")
        .steps
        .remove(0)
        .pipeline;
    let at = |word: &str| calls[0].argv.iter().position(|have| have == word).unwrap();
    // Behind what the command says: the last word decides.
    assert!(at("--exclude=.[eE][nN][vV]*") > at("--include=.env"));
    assert!(
        calls[0]
            .argv
            .contains(&"--exclude-dir=.[sS][sS][hH]".to_owned())
    );
    let calls = world.allowed("grep -Rn TODO").steps.remove(0).pipeline;
    assert_eq!(calls[0].argv[1], "-rn");
    let calls = world.allowed("grep -RneR src").steps.remove(0).pipeline;
    assert_eq!(calls[0].argv[1], "-rneR");
    let calls = world
        .allowed("grep -n -e -R -r src")
        .steps
        .remove(0)
        .pipeline;
    assert_eq!(calls[0].argv[1..5], ["-n", "-e", "-R", "-r"]);
    let calls = world.allowed("rg TODO").steps.remove(0).pipeline;
    assert!(calls[0].argv.contains(&"--iglob=!.[sS][sS][hH]".to_owned()));
    let calls = world.allowed("diff -r docs src").steps.remove(0).pipeline;
    assert!(calls[0].argv.contains(&"--no-dereference".to_owned()));
}

#[test]
fn git_is_told_to_run_nothing() {
    let world = ShellWorld::new();
    let script = world.allowed("git show HEAD");
    let argv = &script.steps[0].pipeline[0].argv;
    for word in [
        "--no-pager",
        "core.fsmonitor=false",
        "--no-ext-diff",
        "--no-textconv",
        "HEAD^{commit}",
    ] {
        assert!(argv.iter().any(|have| have == word), "{word}: {argv:?}");
    }
    let environment = script.environment();
    for (name, value) in [
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_WORK_TREE", world.project.to_str().unwrap()),
        ("GIT_CEILING_DIRECTORIES", world.home.to_str().unwrap()),
    ] {
        assert!(
            environment.contains(&(name, value)),
            "{name}: {environment:?}"
        );
    }
    assert!(
        !world
            .allowed("ls")
            .environment()
            .iter()
            .any(|(name, _)| name.starts_with("GIT"))
    );
}

#[test]
fn a_repository_that_does_not_lead_back_is_refused() {
    let world = ShellWorld::new();
    let other = world.home.join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::rename(world.project.join(".git"), other.join(".git")).unwrap();
    let pointer = format!("gitdir: {}\n", other.join(".git").display());
    std::fs::write(world.project.join(".git"), pointer).unwrap();
    assert_eq!(world.refused("git log").kind(), RefusalKind::Outside);
    assert_eq!(world.refused("cat .git").kind(), RefusalKind::Secret);
}

/// What other agents decided about the same lines.
#[test]
fn lines_that_other_agents_judge() {
    let world = ShellWorld::new();
    for command in [
        "ls",
        "grep -R \"x\" -n",
        "find . -name f.txt",
        "head -n 20 MEMORY.md",
        "stat -c %Y x",
        "tail -n 3 x",
        "sed -n 1,5p f",
        "sed -n '1,5p' f",
        "sed -n 10p x",
        "ls | wc -l",
        "cut -d: -f1 x",
        "tac x",
        "grep -rn foo . 2>/dev/null",
        "cat < a.md",
        "ls # comment",
        "git rev-parse --show-toplevel",
        "date",
        "basename x",
    ] {
        world.allowed(command);
    }
    for command in [
        "ls || (pwd && echo hi)",
        "ls > out.txt",
        "echo $(pwd)",
        "echo `pwd`",
        "FOO=bar ls",
        "ls &",
        "ls ;; pwd",
        "ls | | wc",
        "find . -name f -exec rm {} ;",
        "find . -name f -execdir py {} ;",
        "find . -ok rm {} ;",
        "find . -okdir rm {} ;",
        "find . -delete -name f",
        "find . -fprint /tmp/o",
        "find . -fprint0 /tmp/o",
        "base64 -o out",
        "base64 --output=out",
        "rg -z f",
        "sed -n xp f",
        "git branch -d f",
        "git branch new",
        "git checkout status",
        "git log --output=/tmp/o -n 1",
        "git -c core.pager=x log",
        "git -C . status",
        "git --git-dir=.e diff",
        "git --paginate log",
        "git diff --textconv",
        "'git status'",
        "cargo check",
        "/tmp/evil/cat x",
        "cat ~/.ssh/id_rsa",
        "env rm -rf x",
        "echo x > ~/.bashrc",
        "git branch -D main",
        "ls\nrm x",
        "git logout",
        "git log &&& rm x",
        "tee >(rm x)",
        "git log | rm x",
        "git log --format=$(rm x)",
        "git log && echo $(git log | rm x)",
        "git log > /tmp/t",
        "git diff -O orderfile",
    ] {
        world.refused(command);
    }
}

#[test]
fn a_forced_removal_is_refused_in_every_disguise() {
    let world = ShellWorld::new();
    for command in [
        "rm x -f",
        "printf x | rm -rf x",
        "if test -d x; then rm --force x; fi",
        "rm -r x",
        "rm -- -f",
    ] {
        world.refused(command);
    }
}

#[test]
fn a_pattern_that_would_cover_too_much_is_refused() {
    let world = ShellWorld::new();
    for at in 0..600 {
        std::fs::write(world.project.join(format!("docs/n{at}.log")), "x").unwrap();
    }
    let refusal = world.refused("cat docs/*.log");
    assert_eq!(
        refusal.to_string(),
        "`docs/*.log`: it matches too many files"
    );
    world.allowed("cat docs/n1*.log");
    // Each listing counts.
    let refusal = world.refused(&format!("ls{}", " docs/n1?.log".repeat(40)));
    assert_eq!(refusal.kind(), RefusalKind::Glob);
}

#[test]
fn long_lines_are_judged_at_once() {
    let world = ShellWorld::new();
    for piece in [
        "*",
        "*/",
        "?",
        "[",
        "[a]",
        "'a",
        "''",
        "\"\"",
        "\\ ",
        "a;",
        "a|",
        "a&&",
        "# ",
        "#\n",
        "1 ",
        "2>&1 ",
        "</dev/null ",
        "~",
        "../",
        "a/",
        "./",
        "é",
        "- ",
        "-a ",
        "--",
        "= ",
        "{",
        "$",
        "(",
        "[[:",
        "\\\n",
    ] {
        for start in [
            "", "ls ", "cat ", "grep ", "find . ", "sed ", "sed '", "jq '", "jq \"", "git log ",
            "test ", "echo ",
        ] {
            let line = format!(
                "{start}{}",
                piece.repeat((30_000 - start.len()) / piece.len())
            );
            // Nothing is timed: a quadratic judge would not come to an end here.
            let _ = world.judge(&line);
        }
    }
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,80}") {
        let cwd = std::path::Path::new("/nonexistent");
        let roots = autodream::Roots::new(cwd, &memdir_paths::MemoryDir::new("/nonexistent/m"));
        let judged = autodream::judge_shell(&text, cwd, &roots);
        prop_assert!(judged.is_err() || parse_shell(&text).is_ok());
    }

    #[test]
    fn words_in_single_quotes_come_out_as_they_are(words in proptest::collection::vec("[ -&(-~]{0,12}", 1..6)) {
        let line: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let line = format!("x {}", line.join(" "));
        let script = parse_shell(&line).unwrap();
        prop_assert_eq!(&script.steps[0].pipeline[0].argv[1..], &words[..]);
    }
}
