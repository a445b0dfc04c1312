//! Says for every turn whether the gates of a consolidation should have been open, from the story's
//! own books: what they did say is held against it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::agent::Asleep;

/// The figures of the format, written down once more on purpose.
const HOURS: u64 = 24;
const SESSIONS: usize = 5;
const THROTTLE_MINUTES: u64 = 10;

#[derive(Debug, Default)]
pub(super) struct GateKeeper {
    /// When each session said its last.
    sessions: BTreeMap<String, SystemTime>,
    /// When each session last looked for sessions.
    looked: BTreeMap<String, SystemTime>,
    last: Option<SystemTime>,
    /// Sessions in which a dream failed or was stopped.
    held: Vec<String>,
    pub(super) asked: usize,
    pub(super) dreams: usize,
    pub(super) wrong: Vec<String>,
    /// How often each gate was the one that was closed.
    pub(super) closed: BTreeMap<String, usize>,
}

impl GateKeeper {
    /// A session said something, outside of [`turn_ended`](GateKeeper::turn_ended) too.
    pub(super) fn spoke(&mut self, id: &str, at: SystemTime) {
        self.sessions.insert(id.to_owned(), at);
    }

    /// A consolidation counted that was not behind the gates.
    pub(super) fn consolidated(&mut self, at: SystemTime) {
        self.last = Some(at);
    }

    pub(super) fn turn_ended(&mut self, id: &str, at: SystemTime, said: Option<&Asleep>) {
        self.spoke(id, at);
        let Some(said) = said else {
            return;
        };
        if matches!(said, Asleep::Closed(closed) if closed.to_string().starts_with("off")) {
            return;
        }
        self.asked += 1;
        if let Asleep::Closed(closed) = said {
            let why = closed.to_string();
            let why = why.split(':').next().unwrap_or_default().to_owned();
            *self.closed.entry(why).or_default() += 1;
        }
        let due = self.is_due(id, at);
        match said {
            Asleep::Dreamt(end) => {
                self.dreams += 1;
                if end.counts() {
                    self.last = Some(at);
                } else {
                    self.held.push(id.to_owned());
                }
                if !due {
                    self.wrong.push(format!("{id} dreamt, and it was not due"));
                }
            }
            Asleep::Closed(closed) if due => {
                self.wrong.push(format!("{id} did not dream: {closed}"));
            }
            Asleep::Closed(_) => {}
        }
    }

    fn is_due(&mut self, id: &str, at: SystemTime) -> bool {
        let since = |then: SystemTime| at.duration_since(then).unwrap_or_default();
        if self.held.iter().any(|held| held == id) {
            return false;
        }
        if self
            .last
            .is_some_and(|last| since(last) < Duration::from_secs(3_600 * HOURS))
        {
            return false;
        }
        let throttle = Duration::from_secs(60 * THROTTLE_MINUTES);
        if self
            .looked
            .get(id)
            .is_some_and(|then| since(*then) < throttle)
        {
            return false;
        }
        self.looked.insert(id.to_owned(), at);
        let touched = self
            .sessions
            .iter()
            .filter(|(other, spoke)| *other != id && self.last.is_none_or(|last| **spoke > last));
        touched.count() >= SESSIONS
    }
}
