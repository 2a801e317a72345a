//! Carries every order to its end: collect, advance, report.
//!
//! Sans-IO where it decides: clock, names, gateway and headquarters are handed in; SQLite is used synchronously on the
//! engine's one thread. Begin with `advance.rs`, the one loop that moves payments.

mod advance;
mod approval;
mod ask;
mod backup;
mod buyer_code;
mod claim;
mod clock;
mod collect;
mod contact;
mod database;
mod day;
mod decide;
mod engine;
mod error;
mod event_stream;
mod flight;
mod gateway;
mod handle;
mod hq;
mod ids;
mod keyfile;
mod morning;
mod notice;
mod operators;
mod past;
mod push;
mod reconcile;
mod record;
mod refund;
mod report;
mod resolve;
mod schedule;
mod wish;

pub use approval::{Act, Approval, RefundRules, Signature};
pub use backup::{BACKUPS, Backup, BackupError, KEPT_DAYS, Restoring, back_up, back_up_daily};
pub use buyer_code::{CODE_MINUTES, CodeCollected};
pub use clock::{Clock, GatewayClock};
pub use collect::{Collected, NewOrder, Origin};
pub use contact::Contact;
pub use database::{
    BillDayRow, CaseRow, Database, DayBooks, EvidenceRow, FindingRow, Head, Hit, HourBooks, OrderRow, OrderSearch,
    PriorDay,
};
pub use day::business_day;
pub use decide::Decision;
pub use engine::{Engine, Limits, Parts};
pub use error::{Error, OpenError};
pub use gateway::{Answer, BillFetched, Gateway, NotOurNotice, SignedNotice};
pub use handle::{Counter, Inbox, Stopped, serve};
pub use hq::{AddressError, Hq, HqClient, HqError, Pushes, check_address, enrol};
pub use ids::{Ids, Place};
pub use keyfile::{KeyfileError, Lock, Secrets, find_lock_name, is_keyring_usable, open_keys, save_keys};
pub use morning::{Failed, PlannedFetch};
pub use notice::Noticed;
pub use operators::{LOCK_OUT, MOST_WRONG_PINS, Operator, PinError, PinState, Role};
pub use reconcile::{Action, BillPlan, BillTrouble, BridgeDay, Difference, Settlement, read_bill};
pub use refund::{NewRefund, Refunded};
pub use report::{Epochs, ReportState, mark_restored, save_setup};
pub use resolve::{Hint, Resolved, SafeAction, Said, Verdict, What, Who};
// What the seam speaks of, so that a second channel or a simulated one needs no other crate.
pub use yidan_alipay::{AuthCode, PayOrder, RefundOrder, RefundQuestion};
