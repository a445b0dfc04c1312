//! Charts as SVG, drawn for a page of 920 pixels: one axis each, thin marks, labels in the page's
//! own ink, so that they read in a light and in a dark browser.

use std::fmt::Write as _;

use super::thousands;
use crate::agent::{Compacted, Row};

const WIDTH: f64 = 880.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 34.0;

/// The frame of a chart: its scales, its grid and the titles of its axes.
struct Frame {
    height: f64,
    /// The last place along, and the largest value up.
    along: f64,
    most: f64,
}

impl Frame {
    fn x(&self, at: f64) -> f64 {
        LEFT + at / self.along.max(1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let inner = self.height - TOP - BOTTOM;
        TOP + inner - value / self.most.max(1.0) * inner
    }

    fn open(&self, label: &str, along: &str, unit: impl Fn(f64) -> String) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{label}\">\n",
            self.height
        );
        for step in 0..=4 {
            let value = self.most * f64::from(step) / 4.0;
            let y = self.y(value);
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                unit(value)
            );
        }
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{along}</text>",
            WIDTH - RIGHT,
            self.height - 8.0
        );
        out
    }
}

/// What the conversation held over the requests of one session, and where it was compacted.
pub(super) fn context(rows: &[&Row], compactions: &[&Compacted], window: u64) -> String {
    let frame = Frame {
        height: 260.0,
        along: rows.len().saturating_sub(1) as f64,
        most: window as f64,
    };
    let kilo = |value: f64| format!("{}k", (value / 1_000.0).round());
    let mut out = frame.open(
        "tokens in the context, request by request",
        "requests of the session, in order",
        kilo,
    );
    let mut path = String::new();
    for (at, row) in rows.iter().enumerate() {
        let verb = if at == 0 { 'M' } else { 'L' };
        let _ = write!(
            path,
            "{verb}{:.1} {:.1}",
            frame.x(at as f64),
            frame.y(row.input() as f64)
        );
    }
    let _ = writeln!(out, "<path class=\"line one\" d=\"{path}\"/>");
    for (n, done) in compactions.iter().enumerate() {
        // The first request of the turn behind it, which is the shorter one.
        let found = rows.iter().position(|row| row.turn > done.turn);
        let at = found.unwrap_or(rows.len()).saturating_sub(1);
        let x = frame.x(at as f64);
        // Labels of neighbors stand on two levels.
        let y = if n % 2 == 0 { 12.0 } else { 26.0 };
        let anchor = match x {
            x if x > WIDTH - 60.0 => "end",
            x if x < LEFT + 30.0 => "start",
            _ => "middle",
        };
        let _ = writeln!(
            out,
            "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{}\"><title>{} to {} \
             tokens</title></line><text class=\"label\" x=\"{x:.1}\" y=\"{y}\" \
             text-anchor=\"{anchor}\">{}</text>",
            y + 3.0,
            frame.height - BOTTOM,
            thousands(done.before),
            thousands(done.after),
            done.way
        );
    }
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(
            out,
            "<circle class=\"hit\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>turn {}: {} tokens, {} \
             from the cache</title></circle>",
            frame.x(at as f64),
            frame.y(row.input() as f64),
            row.turn,
            thousands(row.input()),
            thousands(row.read)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The share of the input that came from the cache, in columns of several requests each.
pub(super) fn cache(rows: &[&Row]) -> String {
    const COLUMNS: usize = 60;
    let frame = Frame {
        height: 220.0,
        along: COLUMNS as f64,
        most: 100.0,
    };
    let mut out = frame.open(
        "share of the input that was read from the cache",
        "requests of two weeks, in order",
        |value| format!("{value:.0} %"),
    );
    let step = rows.len().div_ceil(COLUMNS).max(1);
    for (at, group) in rows.chunks(step).enumerate() {
        let read: u64 = group.iter().map(|row| row.read).sum();
        let all: u64 = group.iter().map(|row| row.input()).sum();
        let share = read as f64 * 100.0 / all.max(1) as f64;
        let (x, y) = (frame.x(at as f64) + 1.0, frame.y(share));
        let width = frame.x(1.0) - frame.x(0.0) - 2.0;
        let _ = writeln!(
            out,
            "<rect class=\"one\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{:.1}\" rx=\"2\"><title>{share:.0} % of {} tokens</title></rect>",
            frame.height - BOTTOM - y,
            thousands(all)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The candidates of one receipt as bars: what was picked, and what was not.
pub(super) fn candidates(candidates: &[(String, f64, bool)]) -> String {
    let most = candidates.iter().map(|c| c.1).fold(0.0, f64::max).max(1e-9);
    let mut out = String::from("<table class=\"bars\">\n");
    for (name, score, picked) in candidates {
        let class = if *picked { "one" } else { "other" };
        let word = if *picked { "picked" } else { "" };
        let _ = writeln!(
            out,
            "<tr><td>{name}</td><td><span class=\"bar {class}\" style=\"width:{:.0}%\"></span></td>\
             <td class=\"number\">{score:.2}</td><td>{word}</td></tr>",
            score / most * 100.0
        );
    }
    out.push_str("</table>\n");
    out
}
