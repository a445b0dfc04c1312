//! A home, a managed directory and a project in a temporary place, and short ways to fill them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudemd::{LoadedFile, Options, Roots, Session};
use tempfile::TempDir;

pub(crate) struct World {
    _temp: TempDir,
    root: PathBuf,
    work: PathBuf,
}

impl World {
    pub(crate) fn new() -> World {
        World::named("p")
    }

    /// A world whose project has that name.
    pub(crate) fn named(name: &str) -> World {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let work = root.join("w").join(name);
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        World {
            _temp: temp,
            root,
            work,
        }
    }

    /// A world with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> World {
        let world = World::new();
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// `{T}`, `{R}` and `{W}` in a text.
    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("{T}", self.root.parent().unwrap().to_str().unwrap())
            .replace("{R}", self.root.to_str().unwrap())
            .replace("{W}", self.work.to_str().unwrap())
    }

    /// A name as a path: `~/` is the home, `/etc/claude-code/` the managed directory, `{R}` and
    /// `{W}` are the root and the project, anything else is relative to the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if let Some(rest) = name.strip_prefix("~/") {
            return self.root.join("home").join(rest);
        }
        if let Some(rest) = name.strip_prefix("/etc/claude-code/") {
            return self.root.join("etc/claude-code").join(rest);
        }
        self.work.join(self.fill(name))
    }

    /// A path as a name, the other way round.
    pub(crate) fn name(&self, path: &Path) -> String {
        let places = [
            (self.work.clone(), "{W}/"),
            (self.root.join("home"), "~/"),
            (self.root.join("etc/claude-code"), "/etc/claude-code/"),
            (self.root.clone(), "{R}/"),
        ];
        for (place, short) in places {
            if let Ok(rest) = path.strip_prefix(&place) {
                return format!("{short}{}", rest.display());
            }
        }
        path.display().to_string()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn link(&self, name: &str, target: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(self.fill(target), path).unwrap();
    }

    /// Runs a line in the project, git without any configuration of the machine.
    #[expect(
        clippy::disallowed_methods,
        reason = "layouts of git are made with git, pipes with mkfifo"
    )]
    pub(crate) fn shell(&self, line: &str) {
        let config = self.root.join("gitconfig");
        let text = "[user]\nname = n\nemail = e\n[init]\ndefaultBranch = main\n";
        fs::write(&config, text).unwrap();
        let status = Command::new("sh")
            .args(["-c", line])
            .current_dir(&self.work)
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", config)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{line}");
    }

    /// The roots of a session in a folder of the project.
    pub(crate) fn roots(&self, cwd: &str) -> Roots {
        let cwd = match cwd {
            "." => self.work.clone(),
            cwd => self.path(cwd),
        };
        Roots::new(cwd)
            .home(self.root.join("home"))
            .managed_dir(self.root.join("etc/claude-code"))
    }

    pub(crate) fn load(&self, cwd: &str) -> Session {
        Session::load(&self.roots(cwd), &Options::default())
    }

    pub(crate) fn load_with(&self, cwd: &str, options: &Options) -> Session {
        Session::load(&self.roots(cwd), options)
    }

    /// The names of files, without those above the world.
    pub(crate) fn names(&self, files: &[LoadedFile]) -> Vec<String> {
        self.own(files).map(|file| self.name(&file.path)).collect()
    }

    pub(crate) fn own<'a>(&self, files: &'a [LoadedFile]) -> impl Iterator<Item = &'a LoadedFile> {
        let root = self.root.clone();
        files
            .iter()
            .filter(move |file| file.path.starts_with(&root))
    }

    /// Checks the names of what a load in the project hands out.
    #[track_caller]
    pub(crate) fn check(&self, cwd: &str, options: &Options, expected: &[&str]) -> Session {
        let session = self.load_with(cwd, options);
        assert_eq!(
            self.names(session.files()),
            expected,
            "{}",
            session.report()
        );
        session
    }

    /// Why a file was left out, in words.
    #[track_caller]
    pub(crate) fn skipped(&self, session: &Session, name: &str) -> String {
        let path = self.path(name);
        let skipped = session.report().skipped.iter();
        let mut reasons = skipped.filter(|skipped| skipped.path == path);
        let reason = reasons.next().map(|skipped| skipped.reason.to_string());
        let reason = reason.unwrap_or_else(|| panic!("{name} in {}", session.report()));
        reason.replace(self.root.to_str().unwrap(), "{R}")
    }
}
