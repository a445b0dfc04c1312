//! The page: one file, no script, nothing from elsewhere.

use std::fmt::Write as _;

use autodream::{Report, What};
use memdir_recall::Receipt;

use super::{Figures, chart, thousands};
use crate::agent::{Purpose, Row};
use crate::e2e::story::Story;

const STYLE: &str = include_str!("page.css");
/// Receipts that are shown.
const RECEIPTS: usize = 8;
/// Sessions whose context is drawn: those that were compacted.
const SESSIONS: usize = 3;

/// The report of a story.
pub(crate) fn page(story: &Story, figures: Option<&Figures>) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Memory of an agent, end to end</title>\n<style>\n{STYLE}</style>\n<main>\n\
         <h1>Memory of an agent, end to end</h1>\n"
    );
    let (all, off) = (story.steps().len(), story.off());
    let verdict = match off {
        0 => format!("{all} steps, every one as it should be."),
        off => format!("<span class=\"off\">{off} of {all} steps are off.</span>"),
    };
    let _ = writeln!(
        out,
        "<p>What <code>cargo xtask e2e</code> did and found. {verdict}</p>"
    );
    if let Some(figures) = figures {
        tiles(&mut out, story, figures);
        context(&mut out, figures);
        cache(&mut out, figures);
        receipts(&mut out, &figures.receipts);
        if let Some(report) = &figures.dream {
            dream(&mut out, report);
        }
    }
    steps(&mut out, story);
    out.push_str("</main>\n</html>\n");
    out
}

fn tiles(out: &mut String, story: &Story, figures: &Figures) {
    let seconds: f64 = story
        .steps()
        .iter()
        .map(|step| step.took.as_secs_f64())
        .sum();
    let share = figures.ledger.share(Purpose::Turn).unwrap_or(0);
    let tiles = [
        (story.steps().len().to_string(), "steps"),
        (figures.ledger.rows.len().to_string(), "requests answered"),
        (format!("{share} %"), "of the turns' input from the cache"),
        (figures.ledger.compactions.len().to_string(), "compactions"),
        (thousands(figures.saved()), "tokens saved by them"),
        (format!("{seconds:.1} s"), "for all of it"),
    ];
    out.push_str("<div class=\"tiles\">\n");
    for (value, name) in tiles {
        let _ = writeln!(
            out,
            "<div class=\"tile\"><b>{value}</b><span>{name}</span></div>"
        );
    }
    out.push_str("</div>\n");
}

fn context(out: &mut String, figures: &Figures) {
    out.push_str(
        "<h2>The window</h2>\n<p>What each request of a session held. A dashed line is a \
         compaction, with what it was made from: the notes that were taken on the way, or a summary \
         that the model was asked for.</p>\n",
    );
    let mut sessions: Vec<&str> = Vec::new();
    for done in &figures.ledger.compactions {
        if !sessions.contains(&done.session.as_str()) {
            sessions.push(&done.session);
        }
    }
    for session in sessions.into_iter().take(SESSIONS) {
        let rows: Vec<&Row> = figures
            .ledger
            .of(Purpose::Turn)
            .filter(|row| row.session == session)
            .collect();
        let compactions: Vec<_> = figures
            .ledger
            .compactions
            .iter()
            .filter(|done| done.session == session)
            .collect();
        let _ = writeln!(
            out,
            "<figure><figcaption>Session {}: tokens in the context, of a window of {}</figcaption>\n{}</figure>",
            text(session),
            thousands(figures.window),
            chart::context(&rows, &compactions, figures.window)
        );
    }
}

fn cache(out: &mut String, figures: &Figures) {
    let rows: Vec<&Row> = figures.ledger.of(Purpose::Turn).collect();
    let _ = writeln!(
        out,
        "<h2>The prompt cache</h2>\n<p>The service keeps what a request begins with. A write of a \
         memory leaves the instructions in the cache; forks begin with the bytes of their \
         conversation.</p>\n<figure><figcaption>Turns: share of the input that was read from the \
         cache</figcaption>\n{}</figure>\n<div class=\"wide\"><table>\n<tr><th>what for</th>\
         <th class=\"number\">requests</th><th class=\"number\">input</th><th class=\"number\">from \
         the cache</th><th class=\"number\">output</th></tr>",
        chart::cache(&rows)
    );
    for purpose in Purpose::ALL {
        let rows: Vec<&Row> = figures.ledger.of(purpose).collect();
        let input: u64 = rows.iter().map(|row| row.input()).sum();
        let output: u64 = rows.iter().map(|row| row.output).sum();
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{} %</td><td class=\"number\">{}</td></tr>",
            purpose.as_str(),
            rows.len(),
            thousands(input),
            figures.ledger.share(purpose).unwrap_or(0),
            thousands(output)
        );
    }
    out.push_str("</table></div>\n");
}

fn receipts(out: &mut String, receipts: &[Receipt]) {
    out.push_str(
        "<h2>What was recalled, and why</h2>\n<p>Each receipt: the candidates that words found, \
         with their scores, and what the small model picked of them.</p>\n",
    );
    let mut seen: Vec<&str> = Vec::new();
    for receipt in receipts {
        if seen.contains(&receipt.query.as_str()) || receipt.picks.is_empty() {
            continue;
        }
        if seen.len() == RECEIPTS {
            break;
        }
        seen.push(&receipt.query);
        let candidates: Vec<(String, f64, bool)> = receipt
            .candidates
            .iter()
            .take(6)
            .map(|candidate| {
                let picked = receipt.picks.iter().any(|pick| pick.file == candidate.file);
                (text(&candidate.file), f64::from(candidate.score), picked)
            })
            .collect();
        let fallback = receipt
            .model
            .as_ref()
            .and_then(|call| call.fallback.as_ref());
        let by = match fallback {
            Some(_) => "the model did not answer in time, words stood in",
            None => "picked by the model",
        };
        let _ = writeln!(
            out,
            "<figure><figcaption>“{}”: {by}</figcaption>\n{}</figure>",
            text(&receipt.query),
            chart::candidates(&candidates)
        );
    }
}

fn dream(out: &mut String, report: &Report) {
    out.push_str(
        "<h2>A dream</h2>\n<p>What it changed, as the report keeps it for the undo.</p>\n",
    );
    for change in &report.changes {
        let _ = writeln!(
            out,
            "<details open><summary>{} <b>{}</b></summary>\n<pre>{}</pre></details>",
            what(&change.what),
            text(&change.file),
            diff(&change.diff)
        );
    }
}

fn what(what: &What) -> String {
    match what {
        What::Created => "created".to_owned(),
        What::Deleted => "deleted".to_owned(),
        What::Moved { from } => format!("moved from {} to", text(from)),
        _ => "changed".to_owned(),
    }
}

fn diff(text_of_diff: &str) -> String {
    let mut out = String::new();
    // The index of a cluttered memory is long; its end says nothing new.
    const MOST: usize = 20;
    for line in text_of_diff.lines().take(MOST) {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "remove",
            _ => "",
        };
        let _ = writeln!(out, "<span class=\"{class}\">{}</span>", text(line));
    }
    if let Some(more @ 1..) = text_of_diff.lines().count().checked_sub(MOST) {
        let _ = writeln!(out, "… and {more} more lines");
    }
    out
}

fn steps(out: &mut String, story: &Story) {
    out.push_str(
        "<h2>All steps</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"number\">step</th>\
         <th>what</th><th>crate</th><th class=\"number\">seconds</th></tr>\n",
    );
    let mut part = "";
    for (at, step) in story.steps().iter().enumerate() {
        if step.part != part {
            part = &step.part;
            let _ = writeln!(out, "<tr><th colspan=\"4\">{}</th></tr>", text(part));
        }
        let mut said = String::new();
        for line in &step.said {
            let _ = writeln!(said, "{}", text(line));
        }
        for line in &step.wrong {
            let _ = writeln!(said, "<span class=\"off\">OFF: {}</span>", text(line));
        }
        let _ = writeln!(
            out,
            "<tr><td class=\"number\">{}</td><td><details><summary>{}</summary><pre>{said}</pre>\
             </details></td><td>{}</td><td class=\"number\">{:.2}</td></tr>",
            at + 1,
            text(&step.title),
            step.krate,
            step.took.as_secs_f64()
        );
    }
    out.push_str("</table></div>\n");
}

/// Text as HTML shows it.
fn text(raw: &str) -> String {
    raw.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{Story, page, text};
    use crate::e2e::story::Telling;

    #[test]
    fn what_was_said_cannot_become_markup() {
        assert_eq!(text("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        let mut story = Story::new(true);
        let mut told = Telling::new("all", "<script>alert(1)</script>");
        told.expect(false, "</pre><b>");
        story.tell(told);
        let page = page(&story, None);
        assert!(!page.contains("<script>") && !page.contains("</pre><b>"));
        assert!(page.contains("1 of 1 steps are off"));
    }
}
