//! What the screens show, in the words that the screens read.
//!
//! `ui/src/shared/bindings` is generated from these types: `make bindings` after a change. Nothing here decides; a new
//! status of a payment does not compile until its screen is named here.

mod case;
mod counter;
mod day;
mod order;
mod payment;
mod people;
mod pin;
mod reconcile;
mod refund;
mod refusal;
mod resolve;
mod self_test;
mod setup;
mod timeline;

pub use case::{CaseAct, CaseBar, CaseChoice, CaseDetail, CaseLine, DecisionDraft, list_cases, show_case};
pub use counter::{
    AlipayLamp, AlipayState, CounterView, CustomerScreen, CustomerView, HqLamp, HqState, Language, ShopView, Stage,
    StatusView, show_customer, show_hq, show_status,
};
pub use day::{DayTotals, HourTotals, show_day};
pub use order::{OrderDetail, OrderFilter, OrderLine, OrderQuery, OrderStatus, list_lines, show_detail, show_line};
pub use payment::{
    Allowed, CodeView, CollectResult, ContactState, ContactView, PaymentMethod, PaymentMoment, PaymentStatus,
    PaymentView, StageTimes, StoppedBy, show_payment,
};
pub use people::{PeopleChange, PeopleDraft, PeopleView, PersonView, Role, show_people};
pub use pin::Pin;
pub use reconcile::{
    AutomaticFetch, BillPage, BillReview, BridgeLine, DifferenceKind, DifferenceLine, DifferenceOutcome, PlannedAct,
    show_bill, show_plan, show_settlement,
};
pub use refund::{
    Approver, RefundBar, RefundDraft, RefundMaker, RefundOffer, RefundState, RefundTrouble, RefundView, RetryDraft,
    list_approvers, list_refunds, offer_refund, show_refund,
};
pub use refusal::{CommandError, ErrorKind};
pub use resolve::{ProofLine, ResolveView, SafeAct, VerdictKind, VerdictView, show_latest, show_resolved};
pub use self_test::{CheckLamp, CheckState, SelfTestView};
pub use setup::{
    CertificateDays, Finding, HqView, KeysDraft, KeysView, SettingsDraft, SettingsView, SetupDone, SetupDraft,
    Severity, cut_off_text, read_cut_off,
};
pub use timeline::{TimelineLine, TimelineMark, Who};
