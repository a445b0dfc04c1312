//! `xtask bench recall`: how good the floor of recall is, on files in the format of the public suites.
//!
//! A suite is two files: `NAME-memories.jsonl` with one memory a line (`dir`, `id`, `name`,
//! `description`, `type`, `body`, `mtime`), and any other `NAME-*.jsonl` with one query a line
//! (`dir`, `qid`, `query`, `gold`). A query without gold is one that should bring nothing. The queries
//! of the project's own set are put to every other suite, too, as ones about something else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use memdir_recall::{FLOOR_PERCENT, ONE_WORD_FLOOR_PERCENT, Options, Picked, Query, Recall};
use memdir_types::{Memory, MemoryType};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::text::pad;
use crate::{Result, tell, workspace_root};

/// At most so many picks count, as in recall itself.
const PICKS: usize = 5;

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (mut data, mut out, mut options) = (None, None, Options::default());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--data" => data = Some(PathBuf::from(value()?)),
            "--out" => out = Some(PathBuf::from(value()?)),
            "--floor" => options = floored(value()?)?,
            other => {
                return Err(format!(
                    "bench recall takes --data DIR, --floor PERCENT and --out FILE, got `{other}`"
                )
                .into());
            }
        }
    }
    let own = workspace_root().join("xtask/fixtures/recall");
    let foreign: Vec<Value> = match &data {
        None => Vec::new(),
        Some(_) => suites(&own)?
            .into_iter()
            .flat_map(|suite| suite.queries)
            .collect(),
    };
    let data = data.unwrap_or(own);
    let suites = suites(&data)?;
    if suites.is_empty() {
        return Err(format!(
            "{}: no NAME-memories.jsonl with queries beside it",
            data.display()
        )
        .into());
    }
    let mut predictions = String::new();
    let mut table = String::new();
    head(&mut table);
    for suite in &suites {
        let (answers, index) = suite.answer(&options)?;
        for answer in &answers {
            let line = json!({ "dir": answer.dir, "qid": answer.qid, "picks": answer.picks });
            let _ = writeln!(predictions, "{line}");
        }
        rows(&suite.name, &answers, &mut table);
        if !foreign.is_empty() {
            let about_others = suite.about_others(&foreign);
            let (answers, _) = about_others.answer(&options)?;
            row("  foreign", &answers.iter().collect::<Vec<_>>(), &mut table);
        }
        suite.costs(&answers, index, &mut table);
    }
    tell(&table);
    if let Some(out) = out {
        std::fs::write(&out, predictions)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The floor for several words; that for one word is as much higher as it is by default.
fn floored(percent: &str) -> Result<Options> {
    let floor: u8 =
        (percent.parse()).map_err(|_| format!("expected a percentage, got `{percent}`"))?;
    let more = ONE_WORD_FLOOR_PERCENT.saturating_sub(FLOOR_PERCENT);
    let one_word = if floor == 0 {
        0
    } else {
        floor.saturating_add(more)
    };
    Ok(Options::default().floor(floor).one_word_floor(one_word))
}

/// Memories by directory, and the queries about them.
struct Suite {
    name: String,
    dirs: BTreeMap<String, Vec<Value>>,
    queries: Vec<Value>,
}

/// What recall answered to one query.
struct Answer {
    dir: String,
    qid: String,
    tags: Vec<String>,
    gold: BTreeSet<String>,
    picks: Vec<String>,
    /// What would have been answered without the floor that makes recall silent.
    unfloored: Vec<String>,
    time: Duration,
}

fn suites(data: &Path) -> Result<Vec<Suite>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(data).map_err(|error| format!("{}: {error}", data.display()))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut suites = Vec::new();
    for file in &names {
        let Some(name) = file.strip_suffix("-memories.jsonl") else {
            continue;
        };
        let mut dirs: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for memory in lines(&data.join(file))? {
            let dir = memory["dir"].as_str().unwrap_or_default().to_owned();
            dirs.entry(dir).or_default().push(memory);
        }
        let mut queries = Vec::new();
        for other in &names {
            let own = other.strip_prefix(name).is_some_and(|rest| {
                rest.starts_with('-') && rest.ends_with(".jsonl") && rest != "-memories.jsonl"
            });
            if own {
                queries.extend(lines(&data.join(other))?);
            }
        }
        if !queries.is_empty() {
            suites.push(Suite {
                name: name.to_owned(),
                dirs,
                queries,
            });
        }
    }
    Ok(suites)
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let values = lines.map(|(at, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}:{}: {error}", path.display(), at + 1).into())
    });
    values.collect()
}

/// The memories of one directory as files.
struct Written {
    dir: TempDir,
    /// File names by id, where the id is none.
    names: BTreeMap<String, String>,
}

fn write(memories: &[Value]) -> Result<Written> {
    let dir = tempfile::tempdir()?;
    let mut names = BTreeMap::new();
    for (at, value) in memories.iter().enumerate() {
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let kind: MemoryType = text("type").parse().unwrap_or(MemoryType::Reference);
        let memory = Memory::new(kind, text("name"), text("description"), text("body"));
        let id = text("id");
        let plain =
            memdir_paths::check_name(id).is_ok() && id.ends_with(".md") && id != "MEMORY.md";
        let file = if plain {
            id.to_owned()
        } else {
            format!("memory_{at}.md")
        };
        let path = dir.path().join(&file);
        std::fs::create_dir_all(path.parent().unwrap_or(dir.path()))?;
        std::fs::write(&path, memory.render())?;
        if let Some(seconds) = value["mtime"].as_f64().filter(|seconds| *seconds > 0.0) {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(seconds);
            std::fs::File::options()
                .append(true)
                .open(&path)?
                .set_modified(time)?;
        }
        names.insert(file, id.to_owned());
    }
    Ok(Written { dir, names })
}

impl Suite {
    /// The same memories, asked about something else.
    fn about_others(&self, queries: &[Value]) -> Suite {
        let put_to = |dir: &String| {
            let dir = dir.clone();
            queries.iter().map(move |query| {
                json!({ "dir": dir, "qid": query["qid"], "query": query["query"], "gold": [] })
            })
        };
        Suite {
            name: self.name.clone(),
            dirs: self.dirs.clone(),
            queries: self.dirs.keys().flat_map(put_to).collect(),
        }
    }

    /// The answers to all queries, and how many bytes the indexes take.
    fn answer(&self, options: &Options) -> Result<(Vec<Answer>, usize)> {
        let (mut answers, mut index) = (Vec::new(), 0);
        for (dir, memories) in &self.dirs {
            let written = write(memories)?;
            let recall = Recall::scan(written.dir.path(), options)?;
            index += recall.index_bytes();
            let open = Options::default().floor(0).one_word_floor(0).beside_best(0);
            let open = Recall::scan(written.dir.path(), &open)?;
            for query in self
                .queries
                .iter()
                .filter(|query| query["dir"] == dir.as_str())
            {
                let asked = Query::new(query["query"].as_str().unwrap_or_default());
                let started = Instant::now();
                let picked = recall.pick(&asked);
                let time = started.elapsed();
                let list = |key: &str| {
                    let values = query[key].as_array().cloned().unwrap_or_default();
                    values
                        .into_iter()
                        .filter_map(|value| value.as_str().map(str::to_owned))
                };
                let ids = |picked: &Picked| -> Vec<String> {
                    let files = picked.memories.iter().take(PICKS);
                    files
                        .filter_map(|memory| written.names.get(&memory.file).cloned())
                        .collect()
                };
                answers.push(Answer {
                    dir: dir.clone(),
                    qid: query["qid"].as_str().unwrap_or_default().to_owned(),
                    tags: list("tags").collect(),
                    gold: list("gold").collect(),
                    picks: ids(&picked),
                    unfloored: ids(&open.pick(&asked)),
                    time,
                });
            }
        }
        Ok((answers, index))
    }

    /// How long queries take, and what the index does beside the texts it is over.
    fn costs(&self, answers: &[Answer], index: usize, out: &mut String) {
        let mut times: Vec<Duration> = answers.iter().map(|answer| answer.time).collect();
        times.sort();
        let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1));
        let us = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e6);
        let files: usize = self.dirs.values().map(Vec::len).sum();
        let build = match cfg!(debug_assertions) {
            true => ", debug build",
            false => "",
        };
        let _ = writeln!(
            out,
            "  {files} memories in {} directories; a query {:.0} us, 95 % {:.0} us{build}",
            self.dirs.len(),
            us(at(50)),
            us(at(95)),
        );
        let bytes = |keys: &[&str]| -> usize {
            let memories = self.dirs.values().flatten();
            let texts = memories.flat_map(|memory| keys.iter().map(|key| memory[*key].as_str()));
            texts.flatten().map(str::len).sum()
        };
        let bodies = bytes(&["body"]);
        let all = bytes(&["name", "description", "body"]);
        let _ = writeln!(
            out,
            "  index {index} bytes: {} % of bodies, {} % of these, names and descriptions",
            index * 100 / bodies.max(1),
            index * 100 / all.max(1)
        );
    }
}

fn head(out: &mut String) {
    let _ = writeln!(
        out,
        "{:<18} {:>7} {:>8} {:>8} {:>6} {:>6} {:>6} {:>9} {:>7}",
        "suite",
        "queries",
        "recall@5",
        "no floor",
        "hit@5",
        "MRR@5",
        "nDCG@5",
        "precision",
        "silence"
    );
}

/// One row for all, and one for each tag if queries have tags.
fn rows(name: &str, answers: &[Answer], out: &mut String) {
    row(name, &answers.iter().collect::<Vec<_>>(), out);
    let tags: BTreeSet<&String> = answers.iter().flat_map(|answer| &answer.tags).collect();
    for tag in tags {
        let own: Vec<&Answer> = answers
            .iter()
            .filter(|answer| answer.tags.contains(tag))
            .collect();
        row(&format!("  {tag}"), &own, out);
    }
}

fn row(name: &str, answers: &[&Answer], out: &mut String) {
    let asked: Vec<&&Answer> = answers
        .iter()
        .filter(|answer| !answer.gold.is_empty())
        .collect();
    let foreign: Vec<&&Answer> = answers
        .iter()
        .filter(|answer| answer.gold.is_empty())
        .collect();
    let mean = |of: fn(&Answer) -> f64| -> String {
        let sum: f64 = asked.iter().map(|answer| of(answer)).sum();
        let count = asked.len();
        if count == 0 {
            "-".to_owned()
        } else {
            format!(
                "{:.3}",
                sum / f64::from(u32::try_from(count).unwrap_or(u32::MAX))
            )
        }
    };
    let silent = foreign
        .iter()
        .filter(|answer| answer.picks.is_empty())
        .count();
    let silence = if foreign.is_empty() {
        "-".to_owned()
    } else {
        format!("{silent}/{}", foreign.len())
    };
    let _ = writeln!(
        out,
        "{} {:>7} {:>8} {:>8} {:>6} {:>6} {:>6} {:>9} {:>7}",
        pad(name, 18),
        answers.len(),
        mean(recall),
        mean(unfloored),
        mean(hit),
        mean(reciprocal_rank),
        mean(ndcg),
        mean(precision),
        silence
    );
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn hits(answer: &Answer) -> usize {
    answer
        .picks
        .iter()
        .filter(|pick| answer.gold.contains(*pick))
        .count()
}

fn recall(answer: &Answer) -> f64 {
    count(hits(answer)) / count(answer.gold.len())
}

fn unfloored(answer: &Answer) -> f64 {
    let hits = answer
        .unfloored
        .iter()
        .filter(|pick| answer.gold.contains(*pick))
        .count();
    count(hits) / count(answer.gold.len())
}

fn hit(answer: &Answer) -> f64 {
    count(hits(answer).min(1))
}

fn precision(answer: &Answer) -> f64 {
    if answer.picks.is_empty() {
        0.0
    } else {
        count(hits(answer)) / count(answer.picks.len())
    }
}

fn reciprocal_rank(answer: &Answer) -> f64 {
    let first = answer
        .picks
        .iter()
        .position(|pick| answer.gold.contains(pick));
    first.map_or(0.0, |at| 1.0 / count(at + 1))
}

fn ndcg(answer: &Answer) -> f64 {
    let gain = |at: usize| 1.0 / count(at + 2).log2();
    let own: f64 = answer
        .picks
        .iter()
        .enumerate()
        .filter(|(_, pick)| answer.gold.contains(*pick))
        .map(|(at, _)| gain(at))
        .sum();
    let best: f64 = (0..answer.gold.len().min(PICKS)).map(gain).sum();
    own / best
}

#[cfg(test)]
mod tests {
    use memdir_recall::Options;

    use super::{Answer, floored, hit, ndcg, precision, recall, reciprocal_rank};

    #[test]
    fn the_floor_for_one_word_goes_with_the_other() {
        let default = Options::default();
        for (given, floor, one_word) in [
            ("0", 0, 0),
            (
                &*default.floor.to_string(),
                default.floor,
                default.one_word_floor,
            ),
            ("255", 255, 255),
        ] {
            let options = floored(given).unwrap();
            assert_eq!((options.floor, options.one_word_floor), (floor, one_word));
        }
        for given in ["", "x", "-1", "256"] {
            assert!(floored(given).is_err(), "{given}");
        }
    }

    fn answer(gold: &[&str], picks: &[&str]) -> Answer {
        Answer {
            dir: String::new(),
            qid: String::new(),
            tags: Vec::new(),
            gold: gold.iter().map(|id| (*id).to_owned()).collect(),
            picks: picks.iter().map(|id| (*id).to_owned()).collect(),
            unfloored: Vec::new(),
            time: std::time::Duration::ZERO,
        }
    }

    #[track_caller]
    fn check(of: fn(&Answer) -> f64, gold: &[&str], picks: &[&str], wanted: f64) {
        assert!((of(&answer(gold, picks)) - wanted).abs() < 1e-9);
    }

    #[test]
    fn the_measures_are_those_of_the_field() {
        check(recall, &["a", "b"], &["a", "x"], 0.5);
        check(hit, &["a", "b"], &["x", "a"], 1.0);
        check(hit, &["a"], &[], 0.0);
        check(precision, &["a"], &["a", "x"], 0.5);
        check(precision, &["a"], &[], 0.0);
        check(reciprocal_rank, &["a"], &["x", "y", "a"], 1.0 / 3.0);
        check(ndcg, &["a"], &["a"], 1.0);
        check(ndcg, &["a"], &["x", "a"], 1.0 / 3f64.log2());
        check(ndcg, &["a", "b"], &["a"], 1.0 / (1.0 + 1.0 / 3f64.log2()));
    }
}
