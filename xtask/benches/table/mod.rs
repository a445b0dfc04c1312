//! The table that every bench prints.
#![allow(dead_code, reason = "each bench takes the parts that it needs")]

use std::time::{Duration, Instant};

/// Prints rows; with `--test` every side runs once, to see that it runs.
pub(crate) struct Table {
    quick: bool,
    /// Rows as JSON, for `xtask bench`, which puts several runs together.
    json: bool,
}

impl Table {
    /// Prints the head. `cargo test --benches` passes `--test`.
    pub(crate) fn begin() -> Table {
        let table = Table {
            quick: std::env::args().any(|arg| arg == "--test"),
            json: std::env::var_os("XTASK_BENCH_JSON").is_some(),
        };
        if !table.json {
            println!(
                "{:<34} {:>11} {:<27} {:>11} {:>7}",
                "what", "median", "floor", "median", "ratio"
            );
        }
        table
    }

    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    /// How busy the machine was.
    pub(crate) fn end(&self) {
        if self.json {
            return;
        }
        if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
            println!(
                "load average: {}",
                load.split(' ').take(3).collect::<Vec<_>>().join(" ")
            );
        }
    }

    /// Times both sides in turns, so that a busy moment hits both.
    pub(crate) fn row(
        &self,
        what: &str,
        rounds: usize,
        floor: &str,
        mut ours: impl FnMut(),
        mut bare: impl FnMut(),
    ) {
        let rounds = if self.quick { 1 } else { rounds };
        let (mut own, mut least) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            own.push(time(&mut ours));
            least.push(time(&mut bare));
        }
        let (own, least) = (median(own), median(least));
        if self.json {
            let (own, least) = (own.as_secs_f64(), least.as_secs_f64());
            let row = serde_json::json!({
                "what": what, "seconds": own, "floor": floor, "floor_seconds": least,
            });
            println!("{row}");
            return;
        }
        let ratio = own.as_secs_f64() / least.as_secs_f64().max(f64::MIN_POSITIVE);
        let ratio = if ratio < 0.1 {
            format!("{ratio:.4}x")
        } else {
            format!("{ratio:.2}x")
        };
        println!(
            "{what:<34} {:>11} {floor:<27} {:>11} {ratio:>7}",
            shown(own),
            shown(least)
        );
    }
}

fn time(work: &mut impl FnMut()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

/// Repeats cheap work, so that one measurement is far above the clock's grain.
pub(crate) fn times(count: usize, mut work: impl FnMut()) -> impl FnMut() {
    move || (0..count).for_each(|_| work())
}
