//! The ready executor: runs judged command lines as processes. The one file that starts any, and
//! that looks at a clock, because a limit on time needs both.
//!
//! No shell, no thread: programs are looked up in [`SEARCH_PATH`], joined by pipes, each in a
//! group of its own, and watched from here until all pipes are closed. What reaches a limit is
//! killed with its group and waited for.

use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::execute::{Execute, ExecuteEnd, ExecuteLimits, ExecuteOutput};
use crate::{Join, Redirection, SEARCH_PATH, Script, Step};

/// 64 KiB are read at once: what a pipe holds.
const CHUNK_BYTES: usize = 64 << 10;
/// 10 milliseconds between two looks at programs that closed their output and still run.
const LOOK: Duration = Duration::from_millis(10);
/// 127: the status of a program that is not there, as shells have it.
const NOT_FOUND: i32 = 127;
/// 126: the status of a program that cannot be started, as shells have it.
const NOT_STARTED: i32 = 126;
/// 128 and the number of the signal: the status of a program that was killed, as shells have it.
const SIGNALED: i32 = 128;

/// Runs command lines as processes of this one, with a limit on time, output and, on Linux,
/// memory.
///
/// Blocks the thread that polls the run, at most as long as the limit on time. A limit, no
/// sandbox: what runs can do what this process can, so that it is the judge who keeps it harmless.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ProcessExecutor;

impl ProcessExecutor {
    /// The executor.
    #[must_use]
    pub fn new() -> ProcessExecutor {
        ProcessExecutor
    }
}

impl Execute for ProcessExecutor {
    fn run(&self, script: &Script, limits: &ExecuteLimits) -> ExecuteOutput {
        if !script.cwd.is_absolute() || !script.cwd.is_dir() {
            return ExecuteOutput::not_run("the working directory is not there");
        }
        let mut watch = Watch::new(limits);
        let mut status = 0;
        for step in &script.steps {
            match step.join {
                Join::IfSucceeded if status != 0 => continue,
                Join::IfFailed if status == 0 => continue,
                _ => {}
            }
            match pipeline(script, step, &mut watch) {
                Ok(End::Status(ended)) => status = ended,
                Ok(End::Stopped(end)) => return watch.into_output(end),
                Err(error) => {
                    let why = format!("the system could not run it: {}", error.kind());
                    return watch.into_output(ExecuteEnd::NotRun { why });
                }
            }
        }
        watch.into_output(ExecuteEnd::Exited { status })
    }
}

enum End {
    Status(i32),
    Stopped(ExecuteEnd),
}

/// Where an output goes.
enum Sink {
    Dropped,
    Pipe(PipeWriter),
}

impl Sink {
    fn try_clone(&self) -> io::Result<Sink> {
        Ok(match self {
            Sink::Dropped => Sink::Dropped,
            Sink::Pipe(writer) => Sink::Pipe(writer.try_clone()?),
        })
    }

    fn into_stdio(self) -> Stdio {
        match self {
            Sink::Dropped => Stdio::null(),
            Sink::Pipe(writer) => Stdio::from(writer),
        }
    }
}

fn pipeline(script: &Script, step: &Step, watch: &mut Watch) -> io::Result<End> {
    let (output, output_end) = io::pipe()?;
    let (errors, errors_end) = io::pipe()?;
    // Killed and waited for when dropped, whatever happens on the way.
    let mut running = Running(Vec::new());
    let mut status = 0;
    let mut input = Stdio::null();
    let last = step.pipeline.len().saturating_sub(1);
    for (at, command) in step.pipeline.iter().enumerate() {
        let (next_input, mut out) = if at == last {
            (Stdio::null(), Sink::Pipe(output_end.try_clone()?))
        } else {
            let (reader, writer) = io::pipe()?;
            (Stdio::from(reader), Sink::Pipe(writer))
        };
        let mut err = Sink::Pipe(errors_end.try_clone()?);
        let mut own_input = std::mem::replace(&mut input, next_input);
        let mut missing = None;
        for redirection in &command.redirections {
            match redirection {
                Redirection::Input(name) => match open(&script.cwd.join(name)) {
                    Ok(file) => own_input = file,
                    Err(why) => missing = Some(format!("{name}: {why}\n")),
                },
                Redirection::OutputDropped => out = Sink::Dropped,
                Redirection::ErrorsDropped => err = Sink::Dropped,
                Redirection::ErrorsToOutput => err = out.try_clone()?,
                Redirection::OutputToErrors => out = err.try_clone()?,
            }
        }
        if let Some(why) = missing {
            watch.note(&why);
            status = 1;
            continue;
        }
        let name = command.argv.first().map_or("", String::as_str);
        let Some(program) = look_up(name) else {
            watch.note(&format!("{name}: no such program here\n"));
            status = NOT_FOUND;
            continue;
        };
        match start(script, &program, &command.argv, own_input, out, err) {
            Ok(child) => {
                limit_memory(&child, watch.memory);
                running.0.push(Some(child));
                status = 0;
            }
            Err(error) => {
                watch.note(&format!("{name}: {}\n", error.kind()));
                status = NOT_STARTED;
            }
        }
    }
    // Ours would keep the pipes open.
    drop((output_end, errors_end, input));
    let is_last_started = status == 0;
    if let Some(end) = watch.read(output, errors)? {
        return Ok(End::Stopped(end));
    }
    match running.wait(watch)? {
        Waited::Stopped => Ok(End::Stopped(ExecuteEnd::TimedOut)),
        Waited::Ended(Some(ended)) if is_last_started => Ok(End::Status(ended)),
        Waited::Ended(_) => Ok(End::Status(status)),
    }
}

/// A file as an input. Only regular files, and the one device that holds nothing: opening a pipe
/// would wait for its writer.
fn open(path: &Path) -> Result<Stdio, io::ErrorKind> {
    let meta = fs::metadata(path).map_err(|error| error.kind())?;
    if path == Path::new("/dev/null") && meta.file_type().is_char_device() {
        return Ok(Stdio::null());
    }
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput);
    }
    let file = File::open(path).map_err(|error| error.kind())?;
    Ok(Stdio::from(file))
}

/// A program by its bare name.
fn look_up(name: &str) -> Option<PathBuf> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\0']) {
        return None;
    }
    SEARCH_PATH
        .split(':')
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the executor is what starts processes, for a host that asked for it"
)]
fn start(
    script: &Script,
    program: &Path,
    argv: &[String],
    input: Stdio,
    out: Sink,
    err: Sink,
) -> io::Result<Child> {
    let mut command = Command::new(program);
    if let Some((name, arguments)) = argv.split_first() {
        command.arg0(name).args(arguments);
    }
    command
        .env_clear()
        .envs(script.environment())
        .current_dir(&script.cwd)
        .stdin(input)
        .stdout(out.into_stdio())
        .stderr(err.into_stdio())
        .process_group(0);
    command.spawn()
}

#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, bytes: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    if let Some(pid) = pid(child) {
        // It may have ended already, which is as good.
        let _ = prlimit(Some(pid), Resource::As, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child, _: u64) {}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The programs of a pipeline; `None` for those that ended and were waited for.
struct Running(Vec<Option<Child>>);

enum Waited {
    /// All ended; the status of the last.
    Ended(Option<i32>),
    /// The time was over.
    Stopped,
}

impl Running {
    /// Waits until all have ended, or the time is over.
    fn wait(&mut self, watch: &Watch) -> io::Result<Waited> {
        let mut last = None;
        let count = self.0.len();
        loop {
            let mut is_done = true;
            for (at, slot) in self.0.iter_mut().enumerate() {
                let Some(child) = slot else { continue };
                match child.try_wait()? {
                    Some(status) => {
                        *slot = None;
                        if at + 1 == count {
                            last = Some(code(status));
                        }
                    }
                    None => is_done = false,
                }
            }
            if is_done {
                return Ok(Waited::Ended(last));
            }
            let Some(left) = watch.left() else {
                return Ok(Waited::Stopped);
            };
            wait_for(&mut [], left.min(LOOK))?;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in self.0.iter_mut().flatten() {
            // Not waited for yet, so that the number is still its own.
            if let Some(pid) = pid(child) {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            let _ = child.kill();
        }
        for child in self.0.iter_mut().flatten() {
            let _ = child.wait();
        }
    }
}

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| SIGNALED + status.signal().unwrap_or(0))
}

/// What is collected, and until when.
struct Watch {
    started: Instant,
    time: Duration,
    room: usize,
    memory: u64,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Watch {
    fn new(limits: &ExecuteLimits) -> Watch {
        Watch {
            started: clock(),
            time: limits.time,
            room: limits.output_bytes,
            memory: limits.memory_bytes,
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    /// The time that is left; `None` if it is over.
    fn left(&self) -> Option<Duration> {
        self.time
            .checked_sub(clock().duration_since(self.started))
            .filter(|left| !left.is_zero())
    }

    /// What the executor itself has to say, where errors go.
    fn note(&mut self, text: &str) {
        let text = &text.as_bytes()[..text.len().min(self.room)];
        self.room -= text.len();
        self.stderr.extend_from_slice(text);
    }

    /// Reads both pipes until both are closed, or a limit is reached.
    fn read(&mut self, output: PipeReader, errors: PipeReader) -> io::Result<Option<ExecuteEnd>> {
        let mut open = [Some(output), Some(errors)];
        let mut chunk = vec![0; CHUNK_BYTES];
        while open.iter().any(Option::is_some) {
            let Some(left) = self.left() else {
                return Ok(Some(ExecuteEnd::TimedOut));
            };
            let is_ready = ready(&open, left)?;
            for (at, slot) in open.iter_mut().enumerate() {
                let Some(reader) = slot.as_mut().filter(|_| is_ready[at]) else {
                    continue;
                };
                let count = match reader.read(&mut chunk) {
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                if count == 0 {
                    *slot = None;
                    continue;
                }
                let kept = count.min(self.room);
                let into = if at == 0 {
                    &mut self.stdout
                } else {
                    &mut self.stderr
                };
                into.extend_from_slice(&chunk[..kept]);
                self.room -= kept;
                if kept < count {
                    return Ok(Some(ExecuteEnd::TooMuchOutput));
                }
            }
        }
        Ok(None)
    }

    fn into_output(self, end: ExecuteEnd) -> ExecuteOutput {
        ExecuteOutput::new(self.stdout, self.stderr, end)
    }
}

/// Which of the pipes have something to read, or were closed.
fn ready(open: &[Option<PipeReader>; 2], left: Duration) -> io::Result<[bool; 2]> {
    let mut places = Vec::with_capacity(2);
    let mut asked = Vec::with_capacity(2);
    for (at, reader) in open.iter().enumerate() {
        if let Some(reader) = reader {
            places.push(at);
            asked.push(PollFd::from_borrowed_fd(reader.as_fd(), PollFlags::IN));
        }
    }
    wait_for(&mut asked, left)?;
    let mut is_ready = [false; 2];
    for (at, asked) in places.into_iter().zip(&asked) {
        is_ready[at] = !asked.revents().is_empty();
    }
    Ok(is_ready)
}

/// Waits for one of the files, or until the time is over.
fn wait_for(asked: &mut [PollFd<'_>], time: Duration) -> io::Result<()> {
    let time = Timespec::try_from(time).unwrap_or(Timespec {
        tv_sec: i64::from(i32::MAX),
        tv_nsec: 0,
    });
    match poll(asked, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a limit on the time of a process needs a clock that nobody sets"
)]
fn clock() -> Instant {
    Instant::now()
}
