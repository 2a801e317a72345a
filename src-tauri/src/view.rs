//! What the screens show, in the words that the screens read.
//!
//! `ui/src/shared/bindings` is generated from these types: `make bindings` after a change. Nothing here decides; a new
//! status of a payment does not compile until its screen is named here.

mod counter;
mod day;
mod order;
mod payment;
mod refusal;
mod self_test;
mod setup;
mod timeline;

pub use counter::{
    AlipayLamp, AlipayState, CounterView, CustomerScreen, CustomerView, HqLamp, HqState, Language, ShopView, Stage,
    StatusView, show_customer, show_hq, show_status,
};
pub use day::{CaseLine, DayTotals, HourTotals, list_cases, show_day};
pub use order::{OrderDetail, OrderFilter, OrderLine, OrderQuery, list_lines, show_detail, show_line};
pub use payment::{
    Allowed, CodeView, CollectResult, ContactState, ContactView, PaymentMoment, PaymentStatus, PaymentView, StageTimes,
    StoppedBy, show_payment,
};
pub use refusal::{CommandError, ErrorKind};
pub use self_test::{CheckLamp, CheckState, SelfTestView};
pub use setup::{
    CertificateDays, Finding, HqView, KeysDraft, KeysView, SettingsDraft, SettingsView, SetupDone, SetupDraft,
    Severity, cut_off_text, read_cut_off,
};
pub use timeline::{TimelineLine, TimelineMark, Who};
