//! What happens in shops, told as stories: one file a story. Each ends with one charge per sale and equal books at the
//! counter, the sandbox and headquarters.

mod closed_before_scan;
mod crashed;
mod double_click;
mod forged_evidence;
mod headquarters_down;
mod keys_changed;
mod local_api;
mod lost_answer;
mod new_code;
mod paid_while_closing;
mod restored_database;
mod resume;
mod sandbox_restart;
mod scanned_then_left;
mod wrong_amount;
mod wrong_clock;

/// What every story needs.
mod prelude {
    pub use harness::*;
    pub use yidan_engine::{Collected, NewOrder, Origin};
    pub use yidan_payment::{CaseKind, Death, Fen, Payment, RequestId, Status};

    /// A new draft: its first digit was just typed.
    pub fn new_click() -> RequestId {
        RequestId::new(uuid::Uuid::now_v7())
    }

    /// A payment's status as a word.
    pub fn name(payment: &Payment) -> &'static str {
        payment.status.name().as_str()
    }
}
