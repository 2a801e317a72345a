//! The self-test before opening, as its page and the line at the bottom show it.

use super::{Finding, Severity};
use serde::Serialize;
use ts_rs::TS;

/// What the last look found, and whether another one is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct SelfTestView {
    pub running: bool,
    /// By this computer's clock.
    pub done_at_ms: Option<i64>,
    pub findings: Vec<Finding>,
}

/// The self-test in one lamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CheckLamp {
    pub state: CheckState,
    /// How many things want attention.
    pub n: usize,
}

/// See [`CheckLamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    Unknown,
    Running,
    Ok,
    Warn,
    Bad,
}

impl CheckLamp {
    /// Nothing was looked at yet.
    pub const UNKNOWN: CheckLamp = CheckLamp { state: CheckState::Unknown, n: 0 };
}

impl SelfTestView {
    /// The worst of what was found.
    #[must_use]
    pub fn lamp(&self) -> CheckLamp {
        let n = self.findings.iter().filter(|finding| finding.is_trouble()).count();
        let is_red = self.findings.iter().any(|finding| finding.severity == Severity::Bad);
        let state = match (self.running, self.done_at_ms) {
            (true, _) => CheckState::Running,
            (false, None) => CheckState::Unknown,
            (false, Some(_)) if is_red => CheckState::Bad,
            (false, Some(_)) if n > 0 => CheckState::Warn,
            (false, Some(_)) => CheckState::Ok,
        };
        CheckLamp { state, n }
    }
}
