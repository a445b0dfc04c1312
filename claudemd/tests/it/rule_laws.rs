//! Patterns against two other readers of the same language: the gitignore package and git.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use claudemd::{Header, PathGlobs, PathsKey};
use ignore::gitignore::GitignoreBuilder;
use proptest::prelude::*;

/// A part of a pattern; `**` beside other characters included.
fn part() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "A", "ab", ".", ".ts", ".md", "*", "*", "?", "[ab]", "[!a]", "[^b]", "[a-b]",
        r"\a", r"\*", "**", "x", "_", "#", "!",
    ]);
    prop_oneof![
        3 => prop::sample::select(vec!["a", "b", "src", "*.ts", "*", "A"]).prop_map(str::to_owned),
        3 => prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat()),
    ]
    .prop_filter("a part that is no folder", |part| {
        part != "." && part != ".."
    })
}

/// A pattern without `!`, whose last part is not `**`: there we differ on purpose.
fn pattern() -> impl Strategy<Value = String> {
    let folders = prop::collection::vec(prop_oneof![2 => part(), 1 => Just("**".to_owned())], 0..3);
    let last = part().prop_filter("ends in `**`", |part| {
        !part.bytes().all(|byte| byte == b'*') || part == "*"
    });
    (any::<bool>(), folders, last, any::<bool>())
        .prop_map(|(anchored, folders, last, only_dir)| {
            let mut text = String::from(if anchored { "/" } else { "" });
            for folder in folders {
                text.push_str(&folder);
                text.push('/');
            }
            text.push_str(&last);
            text.push_str(if only_dir { "/" } else { "" });
            text
        })
        .prop_filter("comments and negations", |text| {
            !text.starts_with(['#', '!'])
        })
}

/// The patterns that git reads as its documentation says. Behind a literal beginning it reads
/// `a**/b` as if `**` stood alone, so that it matches `ab`; we do not.
fn documented(pattern: &str) -> bool {
    let mixed = |part: &str| part.contains("**") && part.bytes().any(|byte| byte != b'*');
    !pattern.split('/').any(mixed)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "b", "A", "ab", "aB", "src", "a.ts", "b.ts", ".ts", "A.TS", "x.md", "_", "#", "!a",
        "xx", "x_", "a*", "b.ts.md",
    ])
    .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..5).prop_map(|parts| parts.join("/"))
}

/// Which of the paths git covers by one pattern. All paths are files of the repository.
fn git_covers(repo: &Path, pattern: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let excludes = repo.join(".git/pattern");
    fs::write(&excludes, format!("{pattern}\n")).unwrap();
    let mut git = git(repo);
    git.arg("-c")
        .arg(format!("core.excludesFile={}", excludes.display()));
    git.args([
        "-c",
        "core.ignoreCase=true",
        "check-ignore",
        "--no-index",
        "-z",
        "--stdin",
    ]);
    let mut child = git
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input: String = files
        .iter()
        .flat_map(|file| [file.as_str(), "\0"])
        .collect();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    // 1 means that no path is covered.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let found = String::from_utf8(output.stdout).unwrap();
    found.split_terminator('\0').map(str::to_owned).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "git is the other side of the comparison"
)]
fn git(repo: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(repo)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", repo)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    git
}

/// A repository with files; where a name is taken by a folder, the file is left out.
fn repository(paths: &[String]) -> (tempfile::TempDir, BTreeSet<String>) {
    let repo = tempfile::tempdir().unwrap();
    assert!(
        git(repo.path())
            .args(["init", "-q"])
            .status()
            .unwrap()
            .success()
    );
    let mut files = BTreeSet::new();
    for path in paths {
        let file = repo.path().join(path);
        if fs::create_dir_all(file.parent().unwrap()).is_ok()
            && !file.exists()
            && fs::write(&file, "").is_ok()
        {
            files.insert(path.clone());
        }
    }
    (repo, files)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn lists_without_negation_equal_the_gitignore_package(
        patterns in prop::collection::vec(pattern(), 1..5),
        paths in prop::collection::vec(path(), 1..20),
    ) {
        // As git, and other than the package, we take a part of three stars and more for two.
        prop_assume!(!patterns.iter().any(|pattern| pattern.split('/').any(|part| part.len() > 2 && part.bytes().all(|byte| byte == b'*'))));
        let mut builder = GitignoreBuilder::new("");
        builder.case_insensitive(true).unwrap();
        builder.allow_unclosed_class(false);
        let ours = PathGlobs::new(&patterns);
        prop_assert!(ours.problems().is_empty(), "{:?}", ours.problems());
        for pattern in &patterns {
            builder.add_line(None, pattern).unwrap();
        }
        let theirs = builder.build().unwrap();
        for path in &paths {
            // Not `matched_path_or_any_parents`: it takes the base for a folder that `*/` covers.
            let mut parts = Path::new(path).ancestors().filter(|at| !at.as_os_str().is_empty());
            let expected = parts.any(|at| theirs.matched(at, at != Path::new(path)).is_ignore());
            prop_assert_eq!(ours.is_match(path.as_ref()), expected, "{:?} on {}", patterns, path);
        }
    }

    #[test]
    fn a_final_double_star_is_dropped(pattern in pattern(), paths in prop::collection::vec(path(), 1..20)) {
        let folder = pattern.trim_end_matches('/');
        let (with, without) = (PathGlobs::new(&[format!("{folder}/**")]), PathGlobs::new(&[folder]));
        for path in &paths {
            prop_assert_eq!(with.is_match(path.as_ref()), without.is_match(path.as_ref()), "{} on {}", folder, path);
        }
    }

    #[test]
    fn braces_are_the_list_of_their_alternatives(
        alternatives in prop::collection::vec(part(), 1..4),
        paths in prop::collection::vec(path(), 1..20),
    ) {
        let group = PathGlobs::new(&[format!("/src/{{{}}}", alternatives.join(","))]);
        let list = PathGlobs::new(&alternatives.iter().map(|one| format!("/src/{one}")).collect::<Vec<_>>());
        for path in paths.iter().flat_map(|path| [path.clone(), format!("src/{path}")]) {
            prop_assert_eq!(group.is_match(path.as_ref()), list.is_match(path.as_ref()), "{:?} on {}", alternatives, path);
        }
    }

    #[test]
    fn quoted_patterns_survive_the_header(patterns in prop::collection::vec(pattern(), 1..5)) {
        let quoted: Vec<String> = patterns.iter().map(|one| format!("  - '{one}'\n")).collect();
        let text = format!("---\npaths:\n{}---\nB", quoted.concat());
        prop_assert_eq!(Header::parse(&text).paths, PathsKey::Only(patterns));
    }

    #[test]
    fn headers_and_patterns_never_panic(text in "(---\n)?(paths: ?)?[-a-z*!{}\\[\\],:#'\"|>\\\\ \t\n项\u{0}/?.~]{0,60}(\n---\n)?.{0,20}", path in "[a-z./\\\\项]{0,20}") {
        let header = Header::parse(&text);
        prop_assert!(text.ends_with(header.body));
        if let PathsKey::Only(patterns) = &header.paths {
            prop_assert!(!patterns.is_empty());
            prop_assert!(patterns.iter().all(|one| !one.is_empty() && one.trim() == one));
            PathGlobs::new(patterns).is_match(path.as_ref());
        }
        PathGlobs::new(&[&text]).is_match(path.as_ref());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Git says what each pattern covers; the last one that covers decides. (For whole lists git
    /// itself differs: it never looks below a folder that is ignored.)
    #[test]
    fn patterns_cover_what_git_covers_and_the_last_one_decides(
        patterns in prop::collection::vec(
            (any::<bool>(), pattern().prop_filter("read by git otherwise", |text| documented(text))),
            1..5,
        ),
        paths in prop::collection::vec(path(), 5..40),
    ) {
        let (repo, files) = repository(&paths);
        let mut expected = BTreeSet::new();
        for (negative, pattern) in &patterns {
            let covered = git_covers(repo.path(), pattern, &files);
            let one = PathGlobs::new(&[pattern]);
            for file in &files {
                prop_assert_eq!(one.is_match(file.as_ref()), covered.contains(file), "{} on {}", pattern, file);
            }
            match negative {
                true => expected.retain(|file| !covered.contains(file)),
                false => expected.extend(covered),
            }
        }
        let list: Vec<String> = patterns
            .iter()
            .map(|(negative, pattern)| format!("{}{pattern}", if *negative { "!" } else { "" }))
            .collect();
        let globs = PathGlobs::new(&list);
        let found: BTreeSet<String> = files.into_iter().filter(|file| globs.is_match(file.as_ref())).collect();
        prop_assert_eq!(found, expected, "{:?}", list);
    }
}
