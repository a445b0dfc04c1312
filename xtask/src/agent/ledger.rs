//! What an agent sent and what it cost: one row for each request.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Purpose {
    Turn,
    Recall,
    Notes,
    Summary,
    Dream,
}

impl Purpose {
    pub(crate) const ALL: [Purpose; 5] = [
        Purpose::Turn,
        Purpose::Recall,
        Purpose::Notes,
        Purpose::Summary,
        Purpose::Dream,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Purpose::Turn => "turns",
            Purpose::Recall => "recall",
            Purpose::Notes => "notes",
            Purpose::Summary => "summaries",
            Purpose::Dream => "dreams",
        }
    }
}

/// One request that was answered. In tokens.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) session: String,
    pub(crate) turn: usize,
    pub(crate) purpose: Purpose,
    pub(crate) fresh: u64,
    pub(crate) read: u64,
    pub(crate) written: u64,
    pub(crate) output: u64,
}

impl Row {
    pub(crate) fn input(&self) -> u64 {
        self.fresh + self.read + self.written
    }
}

/// A compaction, as the report shows it.
#[derive(Clone, Debug)]
pub(crate) struct Compacted {
    pub(crate) session: String,
    pub(crate) turn: usize,
    pub(crate) way: String,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// All rows of a story.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) rows: Vec<Row>,
    pub(crate) compactions: Vec<Compacted>,
}

impl Ledger {
    /// Notes an answer's usage.
    pub(crate) fn add(&mut self, session: &str, turn: usize, purpose: Purpose, usage: &Value) {
        let of = |key: &str| usage[key].as_u64().unwrap_or(0);
        self.rows.push(Row {
            session: session.to_owned(),
            turn,
            purpose,
            fresh: of("input_tokens"),
            read: of("cache_read_input_tokens"),
            written: of("cache_creation_input_tokens"),
            output: of("output_tokens"),
        });
    }

    pub(crate) fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.purpose == purpose)
    }

    /// How much of the input of these requests came from the cache, in percent.
    pub(crate) fn share(&self, purpose: Purpose) -> Option<u64> {
        let (read, all) = self.of(purpose).fold((0, 0), |(read, all), row| {
            (read + row.read, all + row.input())
        });
        (all > 0).then(|| read * 100 / all)
    }

    /// For each session, in the order in which they began, how much of the input of each of its
    /// turns came from the cache, in percent.
    pub(crate) fn turns(&self) -> Vec<(&str, Vec<u64>)> {
        let mut sessions: Vec<(&str, Vec<u64>)> = Vec::new();
        // By place of the session and number of the turn: what was read, and all of it.
        let mut turns: BTreeMap<(usize, usize), (u64, u64)> = BTreeMap::new();
        for row in self.of(Purpose::Turn) {
            let known = sessions.iter().position(|(id, _)| *id == row.session);
            let session = known.unwrap_or_else(|| {
                sessions.push((&row.session, Vec::new()));
                sessions.len() - 1
            });
            let (read, all) = turns.entry((session, row.turn)).or_default();
            *read += row.read;
            *all += row.input();
        }
        for ((session, _), (read, all)) in turns {
            sessions[session].1.push(read * 100 / all.max(1));
        }
        sessions
    }

    pub(crate) fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "session": row.session, "turn": row.turn, "purpose": row.purpose.as_str(),
                "input": row.input(), "cache_read": row.read, "cache_write": row.written,
                "output": row.output,
            })
        });
        let compactions = self.compactions.iter().map(|done| {
            json!({
                "session": done.session, "turn": done.turn, "way": done.way,
                "before": done.before, "after": done.after,
            })
        });
        json!({
            "requests": rows.collect::<Vec<_>>(),
            "compactions": compactions.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_of_a_turn_count_together() {
        let mut ledger = Ledger::default();
        let usage = |fresh: u64, read: u64| json!({ "input_tokens": fresh, "cache_read_input_tokens": read });
        ledger.add("b", 1, Purpose::Turn, &usage(100, 0));
        ledger.add("a", 1, Purpose::Turn, &usage(10, 90));
        ledger.add("b", 1, Purpose::Turn, &usage(0, 100));
        ledger.add("b", 1, Purpose::Notes, &usage(500, 0));
        ledger.add("b", 2, Purpose::Turn, &usage(1, 99));
        assert_eq!(ledger.turns(), [("b", vec![50, 99]), ("a", vec![90])]);
    }
}
