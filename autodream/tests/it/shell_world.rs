//! The tree around the command lines of `tests/fixtures/shell`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use autodream::Roots;
use memdir_paths::MemoryDir;
use tempfile::TempDir;

pub(crate) struct ShellWorld {
    _temp: TempDir,
    pub(crate) project: PathBuf,
    pub(crate) memory: PathBuf,
    pub(crate) transcripts: PathBuf,
    pub(crate) home: PathBuf,
}

pub(crate) struct Line {
    pub(crate) command: String,
    pub(crate) group: String,
}

/// The lines of one file of the corpus.
pub(crate) fn corpus(name: &str) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/shell")
        .join(name);
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            Line {
                command: value["command"].as_str().unwrap().to_owned(),
                group: value["group"].as_str().unwrap().to_owned(),
            }
        })
        .collect()
}

impl ShellWorld {
    pub(crate) fn new() -> ShellWorld {
        let temp = TempDir::new().unwrap();
        let home = temp.path().canonicalize().unwrap().join("home");
        let transcripts = home.join(".claude/projects/-home-project");
        let world = ShellWorld {
            project: home.join("project"),
            memory: transcripts.join("memory"),
            transcripts,
            home,
            _temp: temp,
        };
        world.fill();
        world
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::new(&self.project, &MemoryDir::new(&self.memory)).transcripts(&self.transcripts)
    }

    pub(crate) fn line(&self, command: &str) -> String {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        command
            .replace("{P}", &text(&self.project))
            .replace("{M}", &text(&self.memory))
            .replace("{T}", &text(&self.transcripts))
            .replace("{H}", &text(&self.home))
    }

    /// Judges a line with the project as working directory.
    pub(crate) fn judge(&self, command: &str) -> Result<autodream::Script, autodream::Refusal> {
        autodream::judge_shell(&self.line(command), &self.project, &self.roots())
    }

    #[track_caller]
    pub(crate) fn allowed(&self, command: &str) -> autodream::Script {
        match self.judge(command) {
            Ok(script) => script,
            Err(refusal) => panic!("{command:?} refused: {refusal}"),
        }
    }

    #[track_caller]
    pub(crate) fn refused(&self, command: &str) -> autodream::Refusal {
        match self.judge(command) {
            Ok(script) => panic!("{command:?} allowed: {script:?}"),
            Err(refusal) => refusal,
        }
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(&self.project)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "git {arguments:?}");
    }

    fn fill(&self) {
        let write = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (name, text) in [
            ("README.md", "# Project\n\nbody\n"),
            (
                "Cargo.toml",
                "[package]\nname = \"p\"\nversion = \"0.1.0\"\n",
            ),
            ("data.json", "{\"name\": \"x\", \"items\": [1, 2]}\n"),
            ("src/main.rs", "fn main() {\n    run(); // TODO\n}\n"),
            ("src/lib.rs", "pub fn parse_config() {}\n"),
            ("src/net/mod.rs", "//! net\n"),
            ("tests/api.rs", "fn foo() {}\n"),
            ("docs/guide.md", "# Guide\n\nalpha foo\n"),
            ("docs/notes.txt", "alpha\nbeta: 1\na.b\nbeta: 1\n"),
        ] {
            write(self.project.join(name), text);
        }
        self.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "sam"), ("user.email", "sam@example.com")] {
            self.git(&["config", key, value]);
        }
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", "first"]);
        write(
            self.project.join("README.md"),
            "# Project\n\nbody, changed\n",
        );
        self.git(&["commit", "-q", "-a", "-m", "fix the readme"]);
        for name in [
            ".env",
            ".env.local",
            "server.pem",
            "deploy.key",
            "id_ed25519",
            "secrets/credentials.json",
        ] {
            write(self.project.join(name), "SECRET TODO foo\n");
        }
        for name in ["dash/a", "dash/b", "opt/-n"] {
            write(self.project.join(name), "x\n");
        }
        for name in [
            ".ssh/id_rsa",
            ".ssh/config",
            ".aws/credentials",
            ".netrc",
            ".npmrc",
            ".git-credentials",
            ".docker/config.json",
            ".kube/config",
            ".gnupg/secring.gpg",
            ".config/gh/hosts.yml",
            ".claude/.credentials.json",
            ".bash_history",
        ] {
            write(self.home.join(name), "SECRET TODO foo\n");
        }
        for (name, text) in [
            ("MEMORY.md", "- [role](user_role.md) \u{2014} user\n"),
            ("user_role.md", "---\nname: role\ntype: user\n---\n\nbody\n"),
            (
                "feedback_testing.md",
                "---\nname: testing\ntype: feedback\n---\n\ndeploy\n",
            ),
            (
                "project_release.md",
                "---\nname: release\ntype: project\n---\n\nfreeze\n",
            ),
            ("logs/2026/11/2026-11-28.md", "- 10:00 said\n"),
            ("team/MEMORY.md", "- x\n"),
        ] {
            write(self.memory.join(name), text);
        }
        for name in ["a.jsonl", "b.jsonl"] {
            let text = "{\"type\":\"user\",\"message\":{\"content\":\"text\"}}\n";
            write(self.transcripts.join(name), text);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("../.env", self.project.join("docs/link-to-env")).unwrap();
            symlink("/etc", self.project.join("escape")).unwrap();
            let made = Command::new("mkfifo")
                .arg(self.project.join("pipe"))
                .status()
                .unwrap();
            assert!(made.success());
        }
    }
}
