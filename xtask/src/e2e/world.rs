//! The world of the story: a temporary home, a real repository with two worktrees and a submodule.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::Result;

/// The first day begins at 2026-04-06T09:00:00Z, a Monday. In seconds since 1970.
const START: u64 = 1_775_466_000;
const SECONDS_PER_DAY: u64 = 86_400;

pub(crate) struct World {
    _dir: TempDir,
    pub(crate) home: PathBuf,
    /// The main checkout.
    pub(crate) main: PathBuf,
    /// A worktree beside it.
    pub(crate) beside: PathBuf,
    /// A worktree inside the repository's own folder.
    pub(crate) inside: PathBuf,
    /// The working root of a submodule.
    pub(crate) submodule: PathBuf,
    /// A folder whose `.git` file claims to be a worktree of the main repository.
    pub(crate) forged: PathBuf,
}

impl World {
    pub(crate) fn build() -> Result<World> {
        let dir = tempfile::Builder::new().prefix("memory").tempdir()?;
        let root = dir.path().canonicalize()?;
        let home = root.join("home");
        let main = root.join("shop");
        let world = World {
            home: home.clone(),
            beside: root.join("shop-payments"),
            inside: main.join(".claude/worktrees/search"),
            submodule: main.join("vendor/icons"),
            forged: root.join("downloaded"),
            main: main.clone(),
            _dir: dir,
        };
        std::fs::create_dir_all(&home)?;
        let icons = root.join("icons");
        world.repository(&icons, "icon.svg")?;
        world.repository(&main, "src/lib.rs")?;
        let icons = icons.to_string_lossy().into_owned();
        world.git(
            &main,
            &[
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "add",
                &icons,
                "vendor/icons",
            ],
        )?;
        world.git(&main, &["commit", "-m", "icons"])?;
        for worktree in [&world.beside, &world.inside] {
            world.git(&main, &["worktree", "add", &worktree.to_string_lossy()])?;
        }
        std::fs::create_dir_all(&world.forged)?;
        let claim = format!("gitdir: {}\n", main.join(".git/worktrees/search").display());
        std::fs::write(world.forged.join(".git"), claim)?;
        Ok(world)
    }

    fn repository(&self, path: &Path, file: &str) -> Result<()> {
        let file = path.join(file);
        std::fs::create_dir_all(file.parent().unwrap_or(path))?;
        std::fs::write(&file, "first\n")?;
        self.git(path, &["init", "--initial-branch=main"])?;
        self.git(path, &["add", "."])?;
        self.git(path, &["commit", "-m", "first"])
    }

    /// Runs git without the configuration of the person who runs the story.
    fn git(&self, dir: &Path, args: &[&str]) -> Result<()> {
        let output = Command::new("git")
            .args(["-c", "user.name=story", "-c", "user.email=story@localhost"])
            .args(["-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(dir)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .map_err(|error| format!("git: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }

    /// The folder name of the repository's memory, by the rule of the format.
    pub(crate) fn main_key(&self) -> String {
        crate::conform::oracle::slug(&self.main.to_string_lossy())
    }

    /// The temporary folder that everything lies in.
    pub(crate) fn root(&self) -> &Path {
        self.home.parent().unwrap_or(&self.home)
    }

    /// A path as the story shows it: without the temporary folder that everything lies in.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let root = self.root();
        match path.strip_prefix(&self.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path
                .strip_prefix(root)
                .unwrap_or(path)
                .display()
                .to_string(),
        }
    }

    /// Nine in the morning of a day, the first is 1.
    pub(crate) fn morning(day: u32) -> SystemTime {
        let days = u64::from(day.saturating_sub(1));
        SystemTime::UNIX_EPOCH + Duration::from_secs(START + days * SECONDS_PER_DAY)
    }

    /// The calendar date of a day of the story, which stays within one month.
    pub(crate) fn date(day: u32) -> String {
        format!("2026-04-{:02}", 5 + day)
    }

    /// The environment of the story's agent: only a home.
    pub(crate) fn env(home: &Path) -> memdir_paths::Env {
        let home = home.to_path_buf();
        let env = memdir_paths::Env::from_lookup(|name| {
            (name == "HOME").then(|| home.clone().into_os_string())
        });
        env.managed_dir(home.join("managed"))
    }
}
