//! The story as it is told: numbered steps, what each crate decided, one closing line.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::report::Figures;
use crate::tell;
use crate::text::wrap;

/// One step: what was done, what the crates said, and what turned out wrong.
pub(super) struct Step {
    pub(super) day: Option<u32>,
    /// What the step belongs to: a day with its title, or a chapter.
    pub(super) part: String,
    pub(super) krate: &'static str,
    pub(super) title: String,
    pub(super) said: Vec<String>,
    pub(super) wrong: Vec<String>,
    pub(super) took: Duration,
}

/// Collects the steps, and tells them as they come unless JSON is wanted.
pub(super) struct Story {
    steps: Vec<Step>,
    day: Option<u32>,
    part: String,
    last: Instant,
    json: bool,
}

/// A step that is being told; it is finished by [`Story::tell`].
pub(super) struct Telling {
    krate: &'static str,
    title: String,
    said: Vec<String>,
    wrong: Vec<String>,
}

impl Telling {
    pub(super) fn new(krate: &'static str, title: impl Into<String>) -> Telling {
        Telling {
            krate,
            title: title.into(),
            said: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// What a crate answered.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.said.push(text.into());
    }

    /// Something that has to hold; the text says what.
    pub(super) fn expect(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.wrong.push(what.into());
        }
    }

    /// The value, or the error as something that is off.
    pub(super) fn value<T, E: std::fmt::Display>(
        &mut self,
        what: &str,
        result: Result<T, E>,
    ) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.wrong.push(format!("{what}: {error}"));
                None
            }
        }
    }
}

impl Story {
    pub(super) fn new(json: bool) -> Story {
        Story {
            steps: Vec::new(),
            day: None,
            part: String::new(),
            last: Instant::now(),
            json,
        }
    }

    pub(super) fn day(&mut self, day: u32, date: &str, title: &str) {
        self.day = Some(day);
        self.part = format!("Day {day}, {date}: {title}");
        if !self.json {
            say!("\nDay {day}, {date}: {title}");
        }
    }

    /// What is told after the eight days.
    pub(super) fn chapter(&mut self, title: &str) {
        self.day = None;
        self.part = title.to_owned();
        if !self.json {
            say!("\nChapter: {title}");
        }
    }

    pub(super) fn tell(&mut self, told: Telling) {
        let Telling {
            krate,
            title,
            said,
            wrong,
        } = told;
        let step = Step {
            day: self.day,
            part: self.part.clone(),
            krate,
            title,
            said,
            wrong,
            took: self.last.elapsed(),
        };
        self.last = Instant::now();
        if !self.json {
            tell(&lines(self.steps.len() + 1, &step));
        }
        self.steps.push(step);
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps are not as they should be.
    pub(super) fn off(&self) -> usize {
        let off = self.steps.iter().filter(|step| !step.wrong.is_empty());
        off.count()
    }

    /// Tells the end, with a table of what two weeks cost if they were told; true if every step
    /// was as it should be.
    pub(super) fn close(&self, figures: Option<&Figures>) -> bool {
        let (off, all) = (self.off(), self.steps.len());
        if self.json {
            let mut value = self.as_json(off);
            value["figures"] = figures.map_or(Value::Null, Figures::to_json);
            say!("{value}");
            return off == 0 && all > 0;
        }
        if let Some(figures) = figures {
            tell(&figures.table(self));
        }
        if off == 0 {
            say!("\ne2e: {all} steps, every one as it should be");
        } else {
            say!("\ne2e: {off} of {all} steps are off");
        }
        off == 0 && all > 0
    }

    fn as_json(&self, off: usize) -> Value {
        let steps = self.steps.iter().enumerate().map(|(at, step)| {
            json!({
                "step": at + 1, "day": step.day, "part": step.part, "crate": step.krate,
                "title": step.title, "said": step.said, "ok": step.wrong.is_empty(),
                "wrong": step.wrong, "seconds": step.took.as_secs_f64(),
            })
        });
        json!({ "steps": steps.collect::<Vec<_>>(), "off": off, "ok": off == 0 })
    }
}

fn lines(number: usize, step: &Step) -> String {
    let mut out = String::new();
    let title = format!("{} ({})", step.title, step.krate);
    wrap(&format!("{number:>3}. "), &title, &mut out);
    for said in step.said.iter().flat_map(|said| said.lines()) {
        wrap("       ", said, &mut out);
    }
    for wrong in step.wrong.iter().flat_map(|wrong| wrong.lines()) {
        wrap("  OFF: ", wrong, &mut out);
    }
    out
}
