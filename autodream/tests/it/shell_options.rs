//! How programs read their options, where it differs from what a table of options suggests.

use super::shell_world::ShellWorld;

#[track_caller]
fn argv(world: &ShellWorld, command: &str) -> Vec<String> {
    world.allowed(command).steps[0].pipeline[0].argv.clone()
}

/// `-Po` is `-P` and `-o` to `tree`, and the next two words are their values.
#[test]
fn the_value_of_an_option_of_tree_is_a_word_of_its_own() {
    let world = ShellWorld::new();
    for (command, expected) in [
        ("tree -L2 docs", vec!["tree", "-L", "2", "docs"]),
        ("tree -aL 2 docs", vec!["tree", "-aL", "2", "docs"]),
        (
            "tree -Po README.md out.txt",
            vec!["tree", "-P", "o", "README.md", "out.txt"],
        ),
        ("tree -dIl src", vec!["tree", "-dI", "l", "src"]),
    ] {
        assert_eq!(argv(&world, command), expected);
    }
}

/// `git log` takes no cluster that ends in `S`, and then the value for an option.
#[test]
fn the_value_of_an_option_of_git_stands_in_its_word() {
    let world = ShellWorld::new();
    for (command, word) in [
        ("git log -S --output=x", "-S--output=x"),
        ("git log -G --output=x", "-G--output=x"),
        ("git log -n 3", "-n3"),
        ("git blame -L 1,2 README.md", "-L1,2"),
    ] {
        let argv = argv(&world, command);
        assert!(argv.iter().any(|had| had == word), "{argv:?}");
        assert!(!argv.iter().any(|had| had == "--output=x"), "{argv:?}");
    }
    for command in [
        "git log -iS --output=x",
        "git log -pn 3",
        "git log -S ''",
        "git blame -sL 1,2 README.md",
    ] {
        let refusal = world.refused(command);
        assert_eq!(refusal.kind(), autodream::RefusalKind::Option, "{command}");
    }
}

#[test]
fn a_name_with_a_plus_is_no_old_form_of_an_option() {
    let world = ShellWorld::new();
    std::fs::write(world.project.join("+5f"), "x\n").unwrap();
    world.refused("tail +5f");
    world.refused("tail -n 2 +5f README.md");
    assert_eq!(argv(&world, "tail ./+5f"), ["tail", "./+5f"]);
    assert_eq!(argv(&world, "tail +*"), ["tail", "./+5f"]);
}

#[test]
fn a_width_is_found_behind_every_flag() {
    let world = ShellWorld::new();
    for flag in [
        "", "-", "+", "#", "0", "_", "^", "I", "E", "O", "-_^", ".", "3.",
    ] {
        for command in [
            "date +",
            "printf ",
            "stat -c ",
            "find . -printf ",
            "ls --time-style=+",
        ] {
            world.refused(&format!("{command}'%{flag}99999d' README.md"));
        }
    }
    for command in [
        "printf '%5.2f%%\\n' 1",
        "printf '100%%: %s' 20261130",
        "date '+%d of 20261130'",
        "stat -c '%10s %n' README.md",
        "find . -printf '%T@ %12s %p\\n'",
    ] {
        world.allowed(command);
    }
}

/// Older versions of `jq` replace nothing by something for ever.
#[test]
fn a_replacement_of_jq_takes_text_away() {
    let world = ShellWorld::new();
    for pattern in [
        "a",
        "ab*",
        "^a",
        "a$",
        "[a-z]",
        "[^a]+",
        r"\\s+",
        r"^\\s+|\\s+$",
        "a{2}b",
        r"\\.md$",
        r"\n",
        " ",
        "a|b",
        "<[^>]*>",
        "x+?",
    ] {
        world.allowed(&format!("jq '.a | gsub(\"{pattern}\"; \"-\")' data.json"));
    }
    for pattern in [
        "", "^", "$", "^$", "a*", "a?", "a{0,1}", "a??", "a*+", "a|", "|a", "a|^", "(a)", "(?=a)",
        r"\\b", r"\\G", r"\u005e", "[]a", "[", "*", r"\\", r"\\K",
    ] {
        world.refused(&format!("jq '.a | gsub(\"{pattern}\"; \"-\")' data.json"));
    }
    // With flags, a space means nothing and a sign begins a comment.
    for pattern in [" ", r"\n", "#a", " #a"] {
        world.refused(&format!(
            "jq '.a | gsub(\"{pattern}\"; \"-\"; \"x\")' data.json"
        ));
    }
}

#[test]
fn a_glob_that_ends_in_a_slash_stands_for_folders() {
    let world = ShellWorld::new();
    std::fs::create_dir_all(world.project.join("deep/a")).unwrap();
    std::fs::write(world.project.join("deep/server.pem"), "SECRET\n").unwrap();
    std::fs::write(world.project.join("deep/a/b.md"), "x\n").unwrap();
    assert_eq!(argv(&world, "ls -d deep/*/"), ["ls", "-d", "./deep/a/"]);
    assert_eq!(argv(&world, "cat deep/*/*.md"), ["cat", "./deep/a/b.md"]);
    world.refused("cat deep/*");
}

/// Of a file and a folder, the file of that name in the folder is compared.
#[cfg(unix)]
#[test]
fn a_comparison_with_a_folder_judges_the_file_in_it() {
    let world = ShellWorld::new();
    let folder = world.project.join("other");
    std::fs::create_dir(&folder).unwrap();
    world.allowed("diff README.md other");
    std::os::unix::fs::symlink("/etc/passwd", folder.join("README.md")).unwrap();
    world.refused("diff README.md other");
    world.refused("diff other README.md");
    std::fs::remove_file(folder.join("README.md")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.join("README.md"))
        .status();
    assert!(pipe.unwrap().success());
    world.refused("diff -u README.md other/");
}

/// `git` shows the lines of its own files that it does not understand.
#[cfg(unix)]
#[test]
fn a_repository_whose_files_are_links_is_refused() {
    for name in ["shallow", "packed-refs", "info/grafts", "config", "HEAD"] {
        let world = ShellWorld::new();
        world.allowed("git log -1");
        let file = world.project.join(".git").join(name);
        if file.exists() {
            std::fs::remove_file(&file).unwrap();
        }
        std::os::unix::fs::symlink(world.home.join(".netrc"), &file).unwrap();
        world.refused("git log -1");
        world.refused("git ls-files");
    }
}

#[test]
fn revisions_that_are_ignored_come_from_the_customary_file() {
    let world = ShellWorld::new();
    let config = world.project.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    std::fs::write(world.project.join(".git-blame-ignore-revs"), "# none\n").unwrap();
    for (added, is_fine) in [
        ("[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n", true),
        ("[blame]\n\tIGNORErevsFILE=/etc/passwd\n", false),
        ("[BLAME] ignorerevsfile = ../x\n", false),
        ("[include]\n\tpath = other\n", false),
        ("[includeIf \"gitdir:/\"]\n\tpath = other\n", false),
    ] {
        std::fs::write(&config, format!("{plain}{added}")).unwrap();
        assert_eq!(
            world.judge("git blame README.md").is_ok(),
            is_fine,
            "{added}"
        );
        world.allowed("git log -1");
    }
}
