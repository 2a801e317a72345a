//! What a terminal and headquarters say to each other.
//!
//! Both sides compile this crate, so they cannot disagree about a name. Money is fen, time is UTC ms.

mod claim;
mod enrol;
mod history;
mod payload;
mod push;
mod report;
pub mod signature;

pub use claim::{Claim, Granted, NotGranted, OwnersPayment, WhyNot};
pub use enrol::{Enrolled, Enrolment, Mode};
pub use history::{Past, PastLine, Since};
pub use payload::{Carry, CaseState, DecisionState, EventKind, PaymentState, ReceiptState};
pub use push::{Heard, Instructed, Instruction, InstructionOutcome, Push, PushId, PushKind, Resolution, Told};
pub use report::{Ack, Batch, Conflict, MAX_EVENTS};
pub use signature::{SignatureError, TerminalKey, Verified};
