//! The journal on its way to headquarters: a batch, and what headquarters says to it.

use serde::{Deserialize, Serialize};
use yidan_payment::{Event, Hash};

/// The most events in one batch.
pub const MAX_EVENTS: usize = 1000;

/// Body of `POST /api/v1/events`: a contiguous piece of one terminal's journal. May be empty: then it only tells the head.
///
/// Who sends it follows from the key that signed the request, never from the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The last line the terminal has written, so that headquarters knows what it lacks.
    pub head_seq: i64,
    /// At most [`MAX_EVENTS`], in order.
    pub events: Vec<Event>,
}

/// Answer 200: everything up to `acked_seq` is durable at headquarters, without a gap.
///
/// Below what was acknowledged before, headquarters was restored: the terminal sends again from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// The highest contiguous line.
    pub acked_seq: i64,
    /// The hash of that line; [`Hash::ZERO`] at 0.
    pub head_hash: Hash,
}

/// Answer 409: the terminal's history is not the one headquarters knows (a restored or cloned database).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The first line that differs.
    pub seq: i64,
    /// What headquarters has at its head.
    pub acked_seq: i64,
    /// The hash there.
    pub head_hash: Hash,
    /// A sentence for the log.
    pub detail: String,
}
