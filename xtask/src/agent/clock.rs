//! The time of the story, for the port of a crate that asks for a clock: what a real host fills
//! with `SystemTime::now`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// In seconds since 1970.
static NOW: AtomicU64 = AtomicU64::new(0);

/// Sets the time.
pub(super) fn set(now: SystemTime) {
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    NOW.store(since.map_or(0, |since| since.as_secs()), Ordering::Relaxed);
}

pub(super) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW.load(Ordering::Relaxed))
}
