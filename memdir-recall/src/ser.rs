//! How some values serialise: paths as text, shared memories as themselves, times of any age.

use std::path::Path;
use std::sync::Arc;

use serde::Serializer;

use crate::MemoryFile;

/// A path that is not UTF-8 is serialised with replacement, not refused.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

pub(crate) fn shared<S: Serializer>(
    memories: &[Arc<MemoryFile>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(memories.iter().map(AsRef::as_ref))
}

/// Times, also those before 1970, which serde's own form of them refuses. Later ones have that
/// very form.
pub(crate) mod time {
    use std::time::{Duration, SystemTime};

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Seconds since 1970, rounded down, and the nanoseconds behind them.
    #[derive(Serialize, Deserialize)]
    #[serde(rename = "SystemTime")]
    struct Moment {
        secs_since_epoch: i64,
        nanos_since_epoch: u32,
    }

    pub(crate) fn serialize<S: Serializer>(time: &SystemTime, s: S) -> Result<S::Ok, S::Error> {
        let seconds = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
        let moment = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => Moment {
                secs_since_epoch: seconds(since),
                nanos_since_epoch: since.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let nanos = before.subsec_nanos();
                Moment {
                    secs_since_epoch: -seconds(before) - i64::from(nanos > 0),
                    nanos_since_epoch: if nanos > 0 { 1_000_000_000 - nanos } else { 0 },
                }
            }
        };
        moment.serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<SystemTime, D::Error> {
        let moment = Moment::deserialize(d)?;
        let whole = Duration::from_secs(moment.secs_since_epoch.unsigned_abs());
        let second = if moment.secs_since_epoch < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(whole)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(whole)
        };
        let nanos = Duration::from_nanos(u64::from(moment.nanos_since_epoch));
        second
            .and_then(|second| second.checked_add(nanos))
            .ok_or_else(|| D::Error::custom("expected a time that the system can hold"))
    }
}
