//! The speeds of `claudemd`, each beside its floor: see `memory.rs`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time and may stop at the first surprise"
)]

mod table;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use claudemd::{Operation, Options, Roots, Session};
use table::{Table, times};
use tempfile::TempDir;

/// Folders from the top of the project to the working directory.
const LEVELS: usize = 30;
const RULES: usize = 1_000;
/// Rules that are a plain extension or a plain folder; the rest are general patterns.
const PLAIN: usize = 900;
const IMPORTS: usize = 100;
const PATHS: usize = 100_000;

fn main() {
    let table = Table::begin();
    let project = Project::make();
    load(&table, &project);
    stale(&table, &project);
    rules(&table, &project);
    table.end();
}

struct Project {
    _dir: TempDir,
    top: PathBuf,
    cwd: PathBuf,
    /// Every file that a load has to read.
    files: Vec<PathBuf>,
}

impl Project {
    fn make() -> Project {
        let dir = TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let mut files = Vec::new();
        let mut write = |path: PathBuf, text: String| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            files.push(path);
        };
        for at in 0..RULES {
            let paths = match at {
                _ if at < PLAIN / 2 => format!("**/*.e{at}"),
                _ if at < PLAIN => format!("packages/p{at}/**"),
                _ => format!("src/**/{{a,b}}{at}/*.t?x, !src/**/gen/**"),
            };
            let text = format!("---\npaths: \"{paths}\"\n---\n\nRule {at}: do it this way.\n");
            write(top.join(format!(".claude/rules/r{at:04}.md")), text);
        }
        let mut cwd = top.clone();
        let each = IMPORTS / LEVELS + 1;
        for level in 0..LEVELS {
            cwd.push(format!("level{level}"));
            let from = (level * each).min(IMPORTS);
            let to = ((level + 1) * each).min(IMPORTS);
            let mut text = format!("# Level {level}\n\nWhat holds from here on.\n");
            for at in from..to {
                text.push_str(&format!("Read @notes/n{at}.md as well.\n"));
                let note = format!("Note {at}.\n{}", "A line of the note.\n".repeat(20));
                write(cwd.join(format!("notes/n{at}.md")), note);
            }
            write(cwd.join("CLAUDE.md"), text);
        }
        Project {
            _dir: dir,
            top,
            cwd,
            files,
        }
    }

    fn roots(&self) -> Roots {
        Roots::new(&self.cwd)
            .managed_dir(self.top.join("managed"))
            .home(self.top.join("home"))
    }

    fn load(&self) -> Session {
        // Imports of the folders above the working directory need approval.
        let options = Options::default().external(claudemd::External::Approved);
        Session::load(&self.roots(), &options)
    }
}

fn load(table: &Table, project: &Project) {
    let loaded = project.load();
    let count = loaded.files().len() + loaded.report().waiting.len();
    assert_eq!(count, project.files.len(), "{}", loaded.report());
    table.row(
        "load 30 levels, 1000 rules, 100 @",
        21,
        "bare reads, same files",
        || {
            black_box(project.load());
        },
        || {
            for file in &project.files {
                black_box(fs::read(file).unwrap());
            }
        },
    );
}

fn stale(table: &Table, project: &Project) {
    let session = project.load();
    table.row(
        "is_stale",
        21,
        "bare stats, same files",
        || assert!(!session.is_stale()),
        || {
            for file in &project.files {
                black_box(fs::metadata(file).unwrap());
            }
        },
    );
}

fn rules(table: &Table, project: &Project) {
    let top = &project.top;
    let paths: Vec<PathBuf> = (0..PATHS)
        .map(|at| match at % 4 {
            0 => top.join(format!("src/mod{}/file{at}.rs", at % 97)),
            1 => top.join(format!("packages/p{}/lib/f{at}.ts", at % 2_000)),
            2 => top.join(format!("src/x/b{}/c{at}.tsx", at % 1_100)),
            _ => top.join(format!("docs/d{}/page{at}.e{}", at % 31, at % 900)),
        })
        .collect();
    let roots = Roots::new(top)
        .managed_dir(top.join("managed"))
        .home(top.join("home"));
    let session = Session::load(&roots, &Options::default());
    let some = if table.is_quick() { 100 } else { PATHS };
    // The folders exist, as in a project; no file does: a rule is about the path alone.
    for path in &paths {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    let ours = || {
        let mut session = session.clone();
        for path in &paths[..some] {
            black_box(session.for_path(path, Operation::Write));
        }
    };
    let bare = || {
        for path in &paths[..some] {
            black_box(extension_and_folder(path, top));
        }
    };
    table.row(
        "for_path, 1000 rules, 100k paths",
        3,
        "split the path, hash 2 keys",
        ours,
        bare,
    );
    let one = &paths[2];
    let fresh = || {
        black_box(session.rules_for(one));
    };
    table.row(
        "rules_for one path, x10",
        5,
        "split, hash, x10",
        times(10, fresh),
        times(10, || {
            black_box(extension_and_folder(one, top));
        }),
    );
}

/// The least that finding plain rules takes: look up the extension and the first folders.
fn extension_and_folder(path: &Path, top: &Path) -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    thread_local!(static STATE: RandomState = RandomState::new());
    let relative = path.strip_prefix(top).unwrap();
    let folder: PathBuf = relative.components().take(2).collect();
    STATE.with(|state| state.hash_one(relative.extension()) ^ state.hash_one(&folder))
}
