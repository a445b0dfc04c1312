//! What the story leaves behind for a person: a table in the terminal, and a page for a browser
//! that needs nothing but itself.

mod chart;
mod page;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use autodream::Report;
use memdir_recall::Receipt;
use serde_json::{Value, json};

use super::story::Story;
use crate::agent::{Ledger, Purpose, Row};
use crate::text::{pad, wrap};
pub(super) use page::page;

/// The figures of two weeks.
pub(super) struct Figures {
    pub(super) ledger: Ledger,
    pub(super) receipts: Vec<Receipt>,
    pub(super) dream: Option<Report>,
    /// How often each gate of a consolidation was the one that was closed.
    pub(super) closed: BTreeMap<String, usize>,
    pub(super) dreams: usize,
    /// The window of the model. In tokens.
    pub(super) window: u64,
}

impl Figures {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "ledger": self.ledger.to_json(),
            "receipts": self.receipts,
            "dream": self.dream,
            "gates": self.closed, "dreams": self.dreams,
            "window": self.window,
        })
    }

    /// How much shorter compactions made conversations. In tokens.
    fn saved(&self) -> u64 {
        let compactions = self.ledger.compactions.iter();
        compactions
            .map(|done| done.before.saturating_sub(done.after))
            .sum()
    }

    /// Decisions, tokens, the cache and time, in 80 columns.
    pub(super) fn table(&self, story: &Story) -> String {
        let mut out = String::from("\nTwo weeks in figures\n\n");
        let head = ["", "requests", "input", "output", "from the cache"];
        row(&mut out, &head);
        for purpose in Purpose::ALL {
            let rows: Vec<&Row> = self.ledger.of(purpose).collect();
            let sum = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>();
            let share = self.ledger.share(purpose).unwrap_or(0);
            let cells = [
                purpose.as_str(),
                &rows.len().to_string(),
                &thousands(sum(Row::input)),
                &thousands(sum(|row| row.output)),
                &format!("{share} %"),
            ];
            row(&mut out, &cells);
        }
        out.push('\n');
        let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
        for done in &self.ledger.compactions {
            *ways.entry(&done.way).or_default() += 1;
        }
        let ways: Vec<String> = ways
            .iter()
            .map(|(way, n)| format!("{n} by {way}"))
            .collect();
        let _ = writeln!(
            out,
            "compactions: {}; {} tokens saved",
            ways.join(", "),
            thousands(self.saved())
        );
        let picks: usize = self
            .receipts
            .iter()
            .map(|receipt| receipt.picks.len())
            .sum();
        let _ = writeln!(
            out,
            "recall: {picks} memories in {} turns that had a candidate",
            self.receipts.len()
        );
        let closed: Vec<String> = self
            .closed
            .iter()
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        wrap(
            "gates: ",
            &format!("{} dreams; closed {}", self.dreams, closed.join(", ")),
            &mut out,
        );
        let changes = self.dream.as_ref().map_or(0, |report| report.changes.len());
        let _ = writeln!(out, "the dream that is shown changed {changes} files");
        let mut slow: Vec<(f64, &str)> = story
            .steps()
            .iter()
            .map(|step| (step.took.as_secs_f64(), step.title.as_str()))
            .collect();
        slow.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all: f64 = slow.iter().map(|(seconds, _)| seconds).sum();
        let _ = writeln!(out, "time: {all:.1} s, of which");
        for (seconds, title) in slow.iter().take(3) {
            let _ = writeln!(out, "  {seconds:>5.1} s  {}", crate::text::fit(title, 70));
        }
        out
    }
}

fn row(out: &mut String, cells: &[&str; 5]) {
    let [name, numbers @ ..] = cells;
    let mut line = pad(name, 12);
    for cell in numbers {
        let _ = write!(line, "{cell:>16}");
    }
    let _ = writeln!(out, "  {}", line.trim_end());
}

/// A number with its thousands apart.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_stand_apart() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (4_818_356, "4,818,356"),
        ] {
            assert_eq!(thousands(n), text);
        }
    }
}
