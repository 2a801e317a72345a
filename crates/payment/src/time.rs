//! Moments. Nothing in this crate asks what time it is: moments are handed in.

use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// A moment: milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtcMs(pub i64);

impl UtcMs {
    /// The moment `wait` later.
    #[must_use]
    pub fn after(self, wait: Duration) -> UtcMs {
        UtcMs(self.0.saturating_add(as_ms(wait)))
    }

    /// The moment `wait` earlier.
    #[must_use]
    pub fn before(self, wait: Duration) -> UtcMs {
        UtcMs(self.0.saturating_sub(as_ms(wait)))
    }

    /// How long it is from `earlier` to this moment; nothing if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: UtcMs) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for UtcMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn as_ms(wait: Duration) -> i64 {
    i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)
}
