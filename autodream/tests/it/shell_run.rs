//! Running what was allowed: without a shell, in a clean environment, with a limit on time and
//! output; and what the tree looks like.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use autodream::{Join, Redirection, SEARCH_PATH, Script};

/// What one run showed: output, and whether all of its programs were there and ended in time.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) is_whole: bool,
}

/// Runs a script as an executor would.
pub(crate) fn run(script: &Script) -> Shown {
    let mut shown = Shown {
        text: String::new(),
        is_whole: true,
    };
    let mut succeeded = true;
    for step in &script.steps {
        match step.join {
            Join::IfSucceeded if !succeeded => continue,
            Join::IfFailed if succeeded => continue,
            _ => {}
        }
        let mut input: Stdio = Stdio::null();
        let mut children = Vec::new();
        let mut output = tempfile::tempfile().unwrap();
        for (at, command) in step.pipeline.iter().enumerate() {
            let is_last = at + 1 == step.pipeline.len();
            if !SEARCH_PATH
                .split(':')
                .any(|folder| Path::new(folder).join(&command.argv[0]).exists())
            {
                shown.is_whole = false;
                break;
            }
            let mut process = Command::new(&command.argv[0]);
            process
                .args(&command.argv[1..])
                .env_clear()
                .envs(script.environment())
                .current_dir(&script.cwd)
                .stdin(std::mem::replace(&mut input, Stdio::null()))
                .stderr(Stdio::null())
                .stdout(if is_last {
                    Stdio::from(output.try_clone().unwrap())
                } else {
                    Stdio::piped()
                });
            for redirection in &command.redirections {
                match redirection {
                    Redirection::Input(name) => match File::open(script.cwd.join(name)) {
                        Ok(file) => {
                            process.stdin(file);
                        }
                        Err(_) => {
                            process.stdin(Stdio::null());
                        }
                    },
                    Redirection::OutputDropped => {
                        process.stdout(Stdio::null());
                    }
                    _ => {}
                }
            }
            let mut child = process.spawn().unwrap();
            if let Some(pipe) = child.stdout.take() {
                input = Stdio::from(pipe);
            }
            children.push(child);
        }
        drop(input);
        let deadline = Instant::now() + Duration::from_secs(5);
        succeeded = false;
        for mut child in children {
            loop {
                match child.try_wait().unwrap() {
                    Some(status) => {
                        succeeded = status.success();
                        break;
                    }
                    None if Instant::now() > deadline => {
                        child.kill().unwrap();
                        shown.is_whole = false;
                    }
                    None => std::thread::sleep(Duration::from_micros(200)),
                }
            }
        }
        output.rewind().unwrap();
        let mut bytes = Vec::new();
        output.take(1 << 20).read_to_end(&mut bytes).unwrap();
        shown.text += &String::from_utf8_lossy(&bytes);
    }
    shown
}

pub(crate) type Entry = (u64, SystemTime, Vec<u8>);

/// Every file and folder below a place: size, time of change and content.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Entry> {
    let mut all = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            if meta.is_dir() {
                open.push(path.clone());
            }
            let name = path.display().to_string();
            all.insert(name, (meta.len(), meta.modified().unwrap(), content));
        }
    }
    all
}
