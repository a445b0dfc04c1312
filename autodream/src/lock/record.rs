//! What stands in the guard file: who holds the lock, since when, and what was before.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Process;

/// The size of a record in bytes. Always the same, so that one write replaces all of it.
pub(super) const RECORD_BYTES: usize = 512;

/// The longest name of a machine that is kept, in bytes: a record is 141 bytes without its names.
const MAX_HOST_BYTES: usize = 255;

/// The longest name of a run of a machine that is kept, in bytes: a UUID has 36.
const MAX_BOOT_BYTES: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) held: bool,
    pub(super) pid: u32,
    pub(super) started: Option<u64>,
    pub(super) host: String,
    pub(super) boot: String,
    pub(super) since: SystemTime,
    pub(super) previous: Option<SystemTime>,
}

impl Record {
    pub(super) fn held(process: &Process, now: SystemTime, previous: Option<SystemTime>) -> Record {
        Record {
            held: true,
            pid: process.pid,
            started: process.started,
            host: one_line(&process.host, MAX_HOST_BYTES),
            boot: one_line(&process.boot, MAX_BOOT_BYTES),
            since: now,
            previous,
        }
    }

    /// Whether the holder was on another machine, where nobody can look. Containers have names of
    /// their own, but share the run of their machine, and with it the locks of the system.
    pub(super) fn is_elsewhere(&self, process: &Process) -> bool {
        let differ = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && a != b;
        let same_run = !self.boot.is_empty() && self.boot == process.boot;
        differ(&self.host, &process.host) && !same_run
    }

    /// Lines of a word and a value, filled up with spaces.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let state = if self.held { "held" } else { "free" };
        let started = self
            .started
            .map_or_else(|| "none".to_owned(), |started| started.to_string());
        let previous = self.previous.map_or_else(|| "none".to_owned(), encode);
        let mut text = format!(
            "state {state}\npid {}\nstarted {started}\nsince {}\nprevious {previous}\nhost {}\nboot {}\n",
            self.pid,
            encode(self.since),
            self.host,
            self.boot,
        )
        .into_bytes();
        text.resize(RECORD_BYTES, b' ');
        text
    }

    /// `None` for anything else than a whole record.
    pub(super) fn parse(bytes: &[u8]) -> Option<Record> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let held = match field("state")? {
            "held" => true,
            "free" => false,
            _ => return None,
        };
        let pid = field("pid")?.parse().ok()?;
        let started = optional(field("started")?, |text| text.parse().ok())?;
        let since = decode(field("since")?)?;
        let previous = optional(field("previous")?, decode)?;
        let host = field("host")?.to_owned();
        // Records that were written before there was such a line are read all the same.
        let boot = field("boot").unwrap_or_default().to_owned();
        Some(Record {
            held,
            pid,
            started,
            host,
            boot,
            since,
            previous,
        })
    }
}

/// The beginning of a text, without what would end its line.
fn one_line(text: &str, most: usize) -> String {
    text.chars()
        .filter(|c| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}'))
        .scan(0, |length, c| {
            *length += c.len_utf8();
            (*length <= most).then_some(c)
        })
        .collect()
}

fn optional<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match text {
        "none" => Some(None),
        text => read(text).map(Some),
    }
}

/// Seconds and nanoseconds since 1970, with a sign in front for what is earlier.
fn encode(time: SystemTime) -> String {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => format!("{}.{:09}", after.as_secs(), after.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            format!("-{}.{:09}", before.as_secs(), before.subsec_nanos())
        }
    }
}

fn decode(text: &str) -> Option<SystemTime> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (seconds, nanos) = text.split_once('.')?;
    let nanos: u32 = nanos.parse().ok().filter(|_| nanos.len() == 9)?;
    let length = Duration::new(seconds.parse().ok()?, nanos);
    if negative {
        UNIX_EPOCH.checked_sub(length)
    } else {
        UNIX_EPOCH.checked_add(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let times = [
            UNIX_EPOCH,
            UNIX_EPOCH + Duration::new(1_780_000_000, 7),
            UNIX_EPOCH - Duration::new(5, 999_999_999),
        ];
        for since in times {
            for previous in [None, Some(since)] {
                let process = Process::new(42, |_| true)
                    .host("a b\n\u{7}c".repeat(99))
                    .boot("0\n".repeat(99))
                    .started(9);
                let record = Record::held(&process, since, previous);
                let bytes = record.to_bytes();
                assert_eq!(bytes.len(), RECORD_BYTES);
                assert_eq!(Record::parse(&bytes), Some(record));
            }
        }
    }

    #[test]
    fn names_are_kept_up_to_their_lengths_on_one_line() {
        let held = |host: &str, boot: &str| {
            let process = Process::new(42, |_| true).host(host).boot(boot);
            let record = Record::held(&process, UNIX_EPOCH, None);
            assert_eq!(record.to_bytes().len(), RECORD_BYTES);
            (record.host, record.boot)
        };
        let (host, boot) = held(&"h".repeat(255), &"b".repeat(64));
        assert_eq!((host.len(), boot.len()), (255, 64));
        let (host, boot) = held(&"h".repeat(256), &"b".repeat(65));
        assert_eq!((host.len(), boot.len()), (255, 64));
        // In bytes, and never half a character.
        let (host, boot) = held(&"é".repeat(200), &"é".repeat(33));
        assert_eq!((host.len(), boot.len()), (254, 64));
        let (host, boot) = held("a\u{2028}b\u{2029}c\nd", "\u{85}\u{7f}e");
        assert_eq!((&*host, &*boot), ("abcd", "e"));
    }

    #[test]
    fn a_time_without_all_of_its_digits_is_none() {
        assert_eq!(
            decode("5.000000007"),
            Some(UNIX_EPOCH + Duration::new(5, 7))
        );
        for text in ["5.7", "5.0000000070", "5", "-.000000007", "5.00000000x", ""] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    #[test]
    fn half_a_record_is_none() {
        let record = Record::held(&Process::new(42, |_| true).host("#"), UNIX_EPOCH, None);
        let bytes = record.to_bytes();
        let end = bytes.iter().rposition(|b| *b == b'#').unwrap_or(0);
        for length in 0..end {
            assert_eq!(Record::parse(&bytes[..length]), None, "{length}");
        }
        assert_eq!(Record::parse(b"\xff\xfe"), None);
    }
}
