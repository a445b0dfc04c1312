//! A temporary tree, and the `git` program in a clean environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memdir_paths::Env;
use tempfile::TempDir;

/// A fresh directory with a canonical path. `home` below it is the home of the tests.
pub(crate) struct Tree {
    _temp: TempDir,
    root: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        fs::create_dir(root.join("home")).unwrap();
        Tree { _temp: temp, root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        path
    }

    /// An environment that knows only the temporary home.
    pub(crate) fn env(&self) -> Env {
        Env::default().home(self.path("home"))
    }

    /// Runs git in a folder of the tree and gives what it prints, trimmed.
    pub(crate) fn git(&self, cwd: &str, args: &[&str]) -> String {
        self.git_env(cwd, args, &[])
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the layouts are those that the git program makes"
    )]
    pub(crate) fn git_env(&self, cwd: &str, args: &[&str], env: &[(&str, &Path)]) -> String {
        let output = Command::new("git")
            .current_dir(self.dir(cwd))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.config())
            .envs(env.iter().copied())
            .args(args)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    fn config(&self) -> PathBuf {
        let path = self.path("home/.gitconfig-tests");
        if !path.exists() {
            let text = "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n\
                        [commit]\n\tgpgsign = false\n[protocol \"file\"]\n\tallow = always\n";
            fs::write(&path, text).unwrap();
        }
        path
    }

    /// A repository with one commit and the folders `sub/deep`.
    pub(crate) fn repo(&self, name: &str) -> PathBuf {
        self.dir(&format!("{name}/sub/deep"));
        self.file(&format!("{name}/sub/deep/f"), "x");
        self.git(name, &["init", "-q"]);
        self.git(name, &["add", "."]);
        self.git(name, &["commit", "-q", "-m", "first"]);
        self.path(name)
    }

    /// Everything below the tree, to show that nothing was created.
    pub(crate) fn listing(&self) -> Vec<PathBuf> {
        fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, out);
                }
                out.push(path);
            }
        }
        let mut out = Vec::new();
        walk(&self.root, &mut out);
        out.sort();
        out
    }
}
