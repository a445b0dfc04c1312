//! Who gets the lock of a consolidation, and what a killed holder leaves.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Barrier;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autodream::memdir_paths::MemoryDir;
use autodream::{Acquired, Lock, Process};
use tempfile::TempDir;

use super::Length;
use crate::Result;

/// The longest that a holder lives before it is killed.
const LONGEST_LIFE: Duration = Duration::from_millis(12);

pub(super) fn run(length: &Length) -> Result<()> {
    let started = std::time::Instant::now();
    processes(length)?;
    threads(length)?;
    kills(length.kills)?;
    contended(length.kills)?;
    say!(
        "soak: lock done in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The story's own time, in seconds from a fixed instant.
fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_780_000_000 + seconds)
}

/// The lock of another program that died long ago: what the format's own protocol lets two take
/// over at once.
fn leave_stale(dir: &MemoryDir) -> Result<()> {
    fs::write(dir.lock_file(), "4000000")?;
    let file = File::options().write(true).open(dir.lock_file())?;
    file.set_modified(at(0))?;
    Ok(())
}

fn memory() -> Result<(TempDir, MemoryDir)> {
    let temp = TempDir::new()?;
    let dir = MemoryDir::new(temp.path().canonicalize()?);
    Ok((temp, dir))
}

/// Another process of this program, and the pipes to it.
pub(super) struct Racer {
    pub(super) child: Child,
    input: ChildStdin,
    pub(super) output: BufReader<ChildStdout>,
}

impl Racer {
    pub(super) fn start(dir: &Path, mode: &str) -> Result<Racer> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(super::RACER)
            .arg(dir)
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no pipe to the racer")?;
        let output = BufReader::new(child.stdout.take().ok_or("no pipe from the racer")?);
        Ok(Racer {
            child,
            input,
            output,
        })
    }

    fn say(&mut self, word: &str) -> Result<()> {
        writeln!(self.input, "{word}")?;
        self.input.flush()?;
        Ok(())
    }

    pub(super) fn hear(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("a racer ended early".into());
        }
        Ok(line.trim().to_owned())
    }
}

impl Drop for Racer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Evenly from 0 to 1, the same in every run.
pub(super) fn random(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

fn processes(length: &Length) -> Result<()> {
    let (_temp, dir) = memory()?;
    let mut racers = racers(&dir, length.racers)?;
    for round in 0..length.rounds {
        let winners = race(&dir, &mut racers)?;
        if winners != 1 {
            return Err(format!("{winners} processes won round {round}").into());
        }
    }
    say!(
        "soak: {} rounds of {} processes, one winner each",
        length.rounds,
        length.racers
    );
    Ok(())
}

pub(super) fn winners(count: usize) -> Result<usize> {
    let (_temp, dir) = memory()?;
    race(&dir, &mut racers(&dir, count)?)
}

fn racers(dir: &MemoryDir, count: usize) -> Result<Vec<Racer>> {
    (0..count)
        .map(|_| Racer::start(dir.path(), "race"))
        .collect()
}

/// All ask together for a stale lock; nobody lets go before all have their answer.
fn race(dir: &MemoryDir, racers: &mut [Racer]) -> Result<usize> {
    leave_stale(dir)?;
    for racer in &mut *racers {
        racer.say("go")?;
    }
    let mut winners = 0;
    for racer in &mut *racers {
        winners += usize::from(racer.hear()? == "won");
    }
    for racer in &mut *racers {
        racer.say("over")?;
    }
    for racer in &mut *racers {
        racer.hear()?;
    }
    Ok(winners)
}

fn threads(length: &Length) -> Result<()> {
    let (_temp, dir) = memory()?;
    let barrier = Barrier::new(length.racers);
    for round in 0..length.rounds {
        leave_stale(&dir)?;
        let winners: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..length.racers)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let acquired = Lock::acquire(&dir, at(99_999), &Process::current());
                        barrier.wait();
                        acquired
                    })
                })
                .collect();
            let outcomes = threads.into_iter().map(|thread| thread.join());
            outcomes
                .filter(|outcome| matches!(outcome, Ok(Ok(Acquired::Yes(_)))))
                .count()
        });
        if winners != 1 {
            return Err(format!("{winners} threads won round {round}").into());
        }
    }
    say!(
        "soak: {} rounds of {} threads, one winner each",
        length.rounds,
        length.racers
    );
    Ok(())
}

/// Kills holders at random instants. After each, recovering leaves the time of the last
/// consolidation that was acknowledged, or of the one that was being kept.
fn kills(kills: usize) -> Result<()> {
    let (_temp, dir) = memory()?;
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut kept: Option<u64> = None;
    let (mut next, mut in_hand, mut recovered) = (1_u64, 0_usize, 0_usize);
    for kill in 0..kills {
        let mut racer = Racer::start(dir.path(), &format!("hold-from-{next}"))?;
        // The first word is there once the process runs; its life is counted from then.
        let mut heard = vec![racer.hear()?];
        std::thread::sleep(LONGEST_LIFE.mul_f64(random(&mut seed)));
        racer.child.kill()?;
        let mut rest = String::new();
        racer.output.read_to_string(&mut rest)?;
        racer.child.wait()?;
        heard.extend(rest.lines().map(str::to_owned));
        let (mut held, mut keeping) = (None, None);
        for line in &heard {
            let (word, number) = line.split_once(' ').unwrap_or((line, ""));
            let number: u64 = number.parse().unwrap_or(0);
            match word {
                "asks" => held = Some(number),
                "keeps" => keeping = Some(number),
                "kept" => {
                    kept = Some(number);
                    (held, keeping) = (None, None);
                }
                "back" => (held, keeping) = (None, None),
                _ => {}
            }
            next = next.max(number + 1);
        }
        in_hand += usize::from(held.is_some());
        let last = fs::metadata(dir.lock_file())
            .and_then(|file| file.modified())
            .ok();
        let was_held = fs::metadata(dir.lock_file()).is_ok_and(|file| file.len() > 0);
        match autodream::recover(&dir, &Process::current())? {
            autodream::Recovered::Nothing if was_held => {
                return Err(format!("kill {kill}: a lock in hand was not recovered").into());
            }
            autodream::Recovered::Restored { .. } => recovered += 1,
            autodream::Recovered::Running => {
                return Err(format!("kill {kill}: a dead holder counts as running").into());
            }
            _ => {}
        }
        let now = fs::metadata(dir.lock_file())
            .and_then(|file| file.modified())
            .ok();
        let expected = [kept.map(at), keeping.map(at)];
        if !(now == expected[0] || (keeping.is_some() && now == expected[1])) {
            let texts = format!("{last:?} before recovery, {now:?} after, expected {expected:?}");
            return Err(format!("kill {kill}: {texts}").into());
        }
        if keeping.is_some() && now == expected[1] {
            kept = keeping;
        }
        if fs::metadata(dir.lock_file()).is_ok_and(|file| file.len() > 0) {
            return Err(format!("kill {kill}: the lock still names a holder").into());
        }
    }
    say!(
        "soak: {kills} holders killed, {in_hand} with the lock in hand, {recovered} recovered, \
         no time lost or won"
    );
    Ok(())
}

/// Kills holders at random instants while two more of ours ask for the lock and another program
/// writes its number into it, as the format allows. No two of ours hold the lock at once, which
/// each sees by a file that only the holder makes; and afterwards the lock is free.
fn contended(kills: usize) -> Result<()> {
    let (_temp, dir) = memory()?;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut others = [
        Racer::start(dir.path(), "contend")?,
        Racer::start(dir.path(), "contend")?,
    ];
    for kill in 0..kills {
        let mut racer = Racer::start(dir.path(), "contend")?;
        racer.hear()?;
        std::thread::sleep(LONGEST_LIFE.mul_f64(random(&mut seed)));
        if seed.is_multiple_of(4) {
            fs::write(dir.lock_file(), "4000000")?;
        }
        racer.child.kill()?;
        let mut rest = String::new();
        racer.output.read_to_string(&mut rest)?;
        racer.child.wait()?;
        if rest.lines().any(|line| line == "two") {
            return Err(format!("kill {kill}: two held the lock at once").into());
        }
    }
    for other in &mut others {
        other.child.kill()?;
        other.child.wait()?;
        let mut rest = String::new();
        other.output.read_to_string(&mut rest)?;
        let words: Vec<&str> = rest.lines().collect();
        if words.contains(&"two") {
            return Err("two held the lock at once".into());
        }
        if !words.contains(&"one") {
            return Err("a contender never got the lock".into());
        }
    }
    let _ = autodream::recover(&dir, &Process::current())?;
    match Lock::acquire(&dir, at(200_000), &Process::current())? {
        Acquired::Yes(lock) => lock.keep(at(200_000))?,
        Acquired::Busy(busy) => return Err(format!("the lock stays taken: {busy}").into()),
    }
    say!("soak: {kills} holders killed among contenders and a foreign program, never two at once");
    Ok(())
}

/// Asks for the lock without end, and marks each hold with a file under a lock of its own.
fn contend(dir: &MemoryDir, tell: impl Fn(String) -> Result<()>) -> Result<ExitCode> {
    let mark = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.path().join("held"))?;
    tell("ready".to_owned())?;
    let mut told = false;
    for number in 0_u64.. {
        let Acquired::Yes(lock) = Lock::acquire(dir, at(number), &Process::current())? else {
            continue;
        };
        // The system frees the mark when its holder is killed, as it frees the guard.
        match mark.try_lock() {
            // Once: nobody reads before the end, and a pipe gets full.
            Ok(()) if !told => tell("one".to_owned())?,
            Ok(()) => {}
            Err(_) => tell("two".to_owned())?,
        }
        told = true;
        mark.unlock()?;
        // Another program may have taken it over; that is told, and no harm.
        let _ = if number % 2 == 0 {
            lock.keep(at(number))
        } else {
            lock.roll_back()
        };
    }
    Ok(ExitCode::SUCCESS)
}

/// A process of a run: `DIR race`, `DIR contend` or `DIR hold-from-N`.
pub(super) fn run_racer(args: &[String]) -> Result<ExitCode> {
    let [dir, mode] = args else {
        return Err("a racer needs DIR MODE".into());
    };
    let dir = MemoryDir::new(PathBuf::from(dir));
    let process = Process::current();
    let tell = |text: String| -> Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()?;
        Ok(())
    };
    if let Some(first) = mode.strip_prefix("hold-from-") {
        for number in first.parse::<u64>()?.. {
            tell(format!("asks {number}"))?;
            let Acquired::Yes(lock) = Lock::acquire(&dir, at(number), &process)? else {
                return Err("nobody else asks for this lock".into());
            };
            if number % 2 == 0 {
                tell(format!("keeps {number}"))?;
                lock.keep(at(number))?;
                tell(format!("kept {number}"))?;
            } else {
                lock.roll_back()?;
                tell(format!("back {number}"))?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(first) = mode.strip_prefix("dream-from-") {
        return super::dream::dreamer(&dir, first.parse()?);
    }
    if mode == "save" {
        return super::dream::saver(dir.path());
    }
    if mode == "contend" {
        return contend(&dir, tell);
    }
    let mut lock = None;
    for line in std::io::stdin().lines() {
        match line?.as_str() {
            "go" => {
                let word = match Lock::acquire(&dir, at(99_999), &process)? {
                    Acquired::Yes(won) => {
                        lock = Some(won);
                        "won"
                    }
                    Acquired::Busy(_) => "busy",
                };
                tell(word.to_owned())?;
            }
            _ => {
                lock = None;
                tell("ready".to_owned())?;
            }
        }
    }
    drop(lock);
    Ok(ExitCode::SUCCESS)
}
