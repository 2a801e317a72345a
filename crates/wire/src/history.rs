//! What headquarters gives back to a terminal whose records were lost or restored.

use serde::{Deserialize, Serialize};
use yidan_payment::Event;

/// Body of `POST /api/v1/history`: the terminal wants its own lines after this one, of all epochs before its present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The enrolment whose journal the terminal still has; 0: nothing at all.
    pub epoch: u32,
    /// The last line of it that is surely the same on both sides.
    pub seq: i64,
}

/// Answer 200: the next lines, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// The lines.
    pub lines: Vec<PastLine>,
    /// Whether there are more after them.
    pub more: bool,
}

/// A line that the terminal wrote once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastLine {
    /// Under which enrolment.
    pub epoch: u32,
    /// The line.
    pub event: Event,
}
