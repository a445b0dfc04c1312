//! `cargo xtask bench`: every bench beside its floor, in one table; the median of several runs.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use crate::text::pad;
use crate::{Result, bench_recall, workspace_root};

/// The benches, in the order of the crates.
const BENCHES: [&str; 6] = [
    "memory",
    "recall",
    "instructions",
    "judge",
    "gates",
    "compact",
];
/// Runs of each, unless another number is asked for.
const RUNS: usize = 3;

/// One row of one bench, over all runs.
struct Row {
    bench: &'static str,
    what: String,
    floor: String,
    /// Of each run: ours and the floor. In seconds.
    runs: Vec<(f64, f64)>,
}

impl Row {
    fn ours(&self) -> f64 {
        median(self.runs.iter().map(|run| run.0))
    }

    fn least(&self) -> f64 {
        median(self.runs.iter().map(|run| run.1))
    }

    /// The median of the ratios, each of which is of one run, where both sides had the same load.
    fn ratio(&self) -> f64 {
        median(
            self.runs
                .iter()
                .map(|run| run.0 / run.1.max(f64::MIN_POSITIVE)),
        )
    }
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if let Some((what, rest)) = args.split_first()
        && what == "recall"
    {
        return bench_recall::run(rest);
    }
    let (mut runs, mut is_json, mut only) = (RUNS, false, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => is_json = true,
            "--runs" => runs = args.next().ok_or("--runs takes a number")?.parse()?,
            "--only" => only = args.next().map(String::as_str),
            other => {
                let known =
                    "--json, --runs N and --only NAME; or `recall` for the quality of recall";
                return Err(format!("bench takes {known}, got {other:?}").into());
            }
        }
    }
    if let Some(name) = only
        && !BENCHES.contains(&name)
    {
        return Err(format!("the benches are {}", BENCHES.join(", ")).into());
    }
    let mut rows = Vec::new();
    let before = load();
    for bench in BENCHES {
        if only.is_none_or(|only| only == bench) {
            measure(bench, runs.max(1), &mut rows)?;
        }
    }
    if is_json {
        say!("{}", as_json(&rows, runs, &before));
    } else {
        tell(&rows, runs, &before);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(bench: &'static str, runs: usize, rows: &mut Vec<Row>) -> Result<()> {
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for _ in 0..runs {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .current_dir(workspace_root())
            .args([
                "bench",
                "--quiet",
                "--locked",
                "--package",
                "xtask",
                "--bench",
                bench,
            ])
            .env("XTASK_BENCH_JSON", "1")
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(format!("the bench {bench} failed").into());
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(row) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let seconds = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
            let key = (text("what"), text("floor"));
            let at = *found.entry(key).or_insert_with(|| {
                rows.push(Row {
                    bench,
                    what: text("what"),
                    floor: text("floor"),
                    runs: Vec::new(),
                });
                rows.len() - 1
            });
            rows[at]
                .runs
                .push((seconds("seconds"), seconds("floor_seconds")));
        }
    }
    if found.is_empty() {
        return Err(format!("the bench {bench} measured nothing").into());
    }
    Ok(())
}

fn tell(rows: &[Row], runs: usize, before: &str) {
    let mut bench = "";
    for row in rows {
        if row.bench != bench {
            bench = row.bench;
            say!(
                "\n{}  ours  {}  floor    ratio",
                pad(bench, 34),
                pad("", 18)
            );
        }
        say!(
            "{}{:>9} {} {:>9} {:>7}",
            pad(&row.what, 31),
            shown(row.ours()),
            pad(&row.floor, 20),
            shown(row.least()),
            ratio(row.ratio())
        );
    }
    say!("\nmedian of {runs} runs; {}", machine());
    say!("load average before {before}, after {}", load());
}

fn as_json(rows: &[Row], runs: usize, before: &str) -> Value {
    let list = rows.iter().map(|row| {
        json!({
            "bench": row.bench, "what": row.what, "seconds": row.ours(),
            "floor": row.floor, "floor_seconds": row.least(), "ratio": row.ratio(),
        })
    });
    json!({
        "rows": list.collect::<Vec<_>>(), "runs": runs, "machine": machine(),
        "load_before": before, "load_after": load(),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A time in three digits and the unit that they fit.
fn shown(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

fn ratio(value: f64) -> String {
    match value {
        v if v < 0.1 => format!("{v:.3}x"),
        v => format!("{v:.2}x"),
    }
}

/// The processor, how many of them, and the system.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| {
            rest.trim_start_matches([' ', '\t', ':'])
        });
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{count} cores of {model}, {}", std::env::consts::OS)
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{median, ratio, shown};

    #[test]
    fn times_are_shown_in_three_digits() {
        for (seconds, text) in [
            (1.234e-7, "123 ns"),
            (1.234e-5, "12.3 us"),
            (1.234e-3, "1.23 ms"),
            (1.234, "1.23 s"),
        ] {
            assert_eq!(shown(seconds), text);
        }
        assert_eq!(ratio(0.0123), "0.012x");
        assert_eq!(ratio(1.5), "1.50x");
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert!((median([3.0, 1.0, 2.0].into_iter()) - 2.0).abs() < 1e-9);
        assert!(median([].into_iter()).is_nan());
    }
}
