//! A payment as a screen shows it.

use qrcode::{Color, EcLevel, QrCode};
use serde::Serialize;
use std::time::Duration;
use ts_rs::TS;
use yidan_engine::{CaseRow, Engine, Error};
use yidan_payment::{Method, Payment, PaymentId, Refusal, Status, StatusName, UtcMs};
use yidan_wire::EventKind;

/// One payment, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PaymentView {
    pub pay_id: String,
    pub order_no: String,
    pub amount: String,
    pub subject: String,
    pub method: PaymentMethod,
    pub moment: PaymentMoment,
    pub status: PaymentStatus,
    pub code: Option<CodeView>,
    pub seconds_left: Option<i64>,
    pub seconds_total: Option<i64>,
    pub contact: ContactView,
    pub stages: StageTimes,
    pub trade_seen: bool,
    pub reason: Option<String>,
    pub stopped_by: Option<StoppedBy>,
    pub can: Allowed,
    pub case_kind: Option<String>,
    pub received: Option<String>,
    pub created_at_ms: i64,
    pub stopped_at_ms: Option<i64>,
    pub now_ms: i64,
    pub version: i64,
    /// When this counter booked the money; not shown.
    #[serde(skip)]
    #[ts(skip)]
    pub booked_at: Option<UtcMs>,
}

/// The cashier's moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub enum PaymentMoment {
    Asking,
    ShowCode,
    Scanned,
    RanOut,
    Paid,
    Closing,
    Closed,
    Refused,
    AskAPerson,
}

/// Where a payment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentStatus {
    Init,
    Precreated,
    Paying,
    Closing,
    Success,
    Closed,
    Fail,
    Suspense,
}

/// How the customer pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentMethod {
    /// The customer scans our code.
    Qr,
    /// We scanned the customer's.
    BuyerCode,
}

/// Who stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StoppedBy {
    Person,
    Clock,
    Sale,
}

/// The modules of a QR code, `1` is dark, without the quiet zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CodeView {
    pub rows: Vec<String>,
}

/// How the talk with the gateway goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ContactView {
    pub state: ContactState,
    pub since_ms: i64,
    pub last_answer_at_ms: Option<i64>,
}

/// See [`ContactView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ContactState {
    Ok,
    Contacting,
    Unanswered,
}

/// When the three stages were reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct StageTimes {
    pub code_at_ms: Option<i64>,
    pub scanned_at_ms: Option<i64>,
    pub paid_at_ms: Option<i64>,
}

/// What the engine would do now if it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct Allowed {
    pub refresh: bool,
    pub new_code: bool,
    pub stop: bool,
    pub resume: bool,
    pub collect_again: bool,
}

/// What came of a click on the button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind")]
pub enum CollectResult {
    Shown { payment: Box<PaymentView> },
    SameAmountClosing { payment: Box<PaymentView> },
}

/// After so long without an answer the screen says that it is asking.
const CONTACTING: Duration = Duration::from_secs(1);
/// After so long it says what is known and what is safe.
const UNANSWERED: Duration = Duration::from_secs(5);

/// Shows a payment as it is now.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_payment(engine: &Engine, payment: &Payment) -> Result<PaymentView, Error> {
    let order = engine.database().load_order(payment.order_id)?;
    let case = engine.database().find_open_case_of(payment.pay_id)?;
    let now = engine.now();
    let moment = moment_of(payment, case.as_ref(), now);
    let (stages, stopped_at_ms) = find_times(engine, payment)?;
    let (seconds_left, seconds_total) = countdown(payment, moment, now);
    let is_replaced = engine.database().find_replacement(payment.order_id)?.is_some();
    let received = payment.books().ok().map(|books| books.received).filter(|received| !received.is_zero());
    Ok(PaymentView {
        pay_id: payment.pay_id.to_string(),
        order_no: order.order_no,
        amount: payment.amount.to_string(),
        subject: order.subject,
        method: payment.method.into(),
        moment,
        status: payment.status.name().into(),
        code: payment
            .qr_code
            .as_ref()
            .filter(|_| moment == PaymentMoment::ShowCode)
            .and_then(|code| draw(code.as_str())),
        seconds_left,
        seconds_total,
        contact: show_contact(engine, payment, now),
        stages,
        trade_seen: payment.trade_seen,
        reason: refusal_of(&payment.status)
            .map(|refusal| refusal.text.clone())
            .or_else(|| engine.contact(payment.pay_id).refused),
        stopped_by: payment.stopped_by.map(StoppedBy::from),
        can: allowed(payment, is_replaced, now),
        case_kind: case.map(|case| case.kind.as_str().to_owned()),
        received: received.map(|received| received.to_string()),
        created_at_ms: payment.created_at.0,
        stopped_at_ms,
        now_ms: now.0,
        version: payment.version,
        booked_at: payment.booked_at,
    })
}

/// The one place where a status becomes a moment of the cashier.
pub(super) fn moment_of(payment: &Payment, case: Option<&CaseRow>, now: UtcMs) -> PaymentMoment {
    match payment.status {
        Status::Init => PaymentMoment::Asking,
        Status::Precreated if payment.is_code_over(now) => PaymentMoment::RanOut,
        Status::Precreated => PaymentMoment::ShowCode,
        Status::Paying => PaymentMoment::Scanned,
        Status::Closing => PaymentMoment::Closing,
        // Money that fits, and yet somebody must decide about it: stopped before, or paid twice.
        Status::Success(_) if case.is_some() => PaymentMoment::AskAPerson,
        Status::Success(_) => PaymentMoment::Paid,
        Status::Closed(_) => PaymentMoment::Closed,
        Status::Fail(_) => PaymentMoment::Refused,
        Status::Suspense => PaymentMoment::AskAPerson,
    }
}

/// A running code counts down to its end; a stopped one to the moment when it is surely dead.
fn countdown(payment: &Payment, moment: PaymentMoment, now: UtcMs) -> (Option<i64>, Option<i64>) {
    let end = match moment {
        PaymentMoment::ShowCode | PaymentMoment::Scanned | PaymentMoment::RanOut => payment.code_expires_at,
        PaymentMoment::Closing if !payment.trade_seen => payment.dead_after,
        PaymentMoment::Closing
        | PaymentMoment::Asking
        | PaymentMoment::Paid
        | PaymentMoment::Closed
        | PaymentMoment::Refused
        | PaymentMoment::AskAPerson => None,
    };
    let (Some(end), Some(begin)) = (end, payment.precreated_at) else { return (None, None) };
    (Some(whole_seconds(end.since(now))), Some(whole_seconds(end.since(begin)).max(1)))
}

/// Rounded up: a code with half a second left still lives.
pub(super) fn whole_seconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis().div_ceil(1000)).unwrap_or(i64::MAX)
}

fn show_contact(engine: &Engine, payment: &Payment, now: UtcMs) -> ContactView {
    let contact = engine.contact(payment.pay_id);
    let waits = contact.asking_since.map(|since| engine.clock().elapsed().saturating_sub(since)).unwrap_or_default();
    let heard = contact.answered_at.unwrap_or(payment.created_at);
    let is_silent = contact.unanswered > 0 || waits >= UNANSWERED;
    let state = if !payment.status.is_live() {
        ContactState::Ok
    } else if is_silent && now.since(heard) >= UNANSWERED {
        ContactState::Unanswered
    } else if contact.unanswered > 0 || waits >= CONTACTING {
        ContactState::Contacting
    } else {
        ContactState::Ok
    };
    let since = if waits.is_zero() { heard } else { now.before(waits) };
    ContactView { state, since_ms: since.0, last_answer_at_ms: contact.answered_at.map(|at| at.0) }
}

/// From the journal: when each stage was reached, and when it was stopped.
fn find_times(engine: &Engine, payment: &Payment) -> Result<(StageTimes, Option<i64>), Error> {
    let times = engine.database().list_event_times_of(payment.pay_id)?;
    let first = |kind: EventKind| times.iter().find(|(found, _)| found == kind.as_str()).map(|(_, at)| at.0);
    let last = |kind: EventKind| times.iter().rfind(|(found, _)| found == kind.as_str()).map(|(_, at)| at.0);
    let paid_at = payment.receipts.iter().filter_map(|receipt| receipt.paid_at).max().or(payment.booked_at);
    let stages = StageTimes {
        code_at_ms: first(EventKind::CodeShown),
        scanned_at_ms: first(EventKind::Scanned),
        paid_at_ms: paid_at.map(|at| at.0),
    };
    Ok((stages, payment.stopped_by.and(last(EventKind::Stopping))))
}

fn allowed(payment: &Payment, is_replaced: bool, now: UtcMs) -> Allowed {
    let nothing = Allowed { refresh: false, new_code: false, stop: false, resume: false, collect_again: false };
    match payment.status {
        Status::Init | Status::Paying => Allowed { stop: true, ..nothing },
        Status::Precreated => {
            let is_over = payment.is_code_over(now);
            Allowed { refresh: !is_over, new_code: is_over, stop: true, ..nothing }
        }
        Status::Closing => Allowed { resume: payment.is_resumable(now), ..nothing },
        Status::Closed(_) | Status::Fail(_) => Allowed { collect_again: !is_replaced, ..nothing },
        Status::Success(_) | Status::Suspense => nothing,
    }
}

fn refusal_of(status: &Status) -> Option<&Refusal> {
    match status {
        Status::Fail(refusal) => Some(refusal),
        Status::Init
        | Status::Precreated
        | Status::Paying
        | Status::Closing
        | Status::Success(_)
        | Status::Closed(_)
        | Status::Suspense => None,
    }
}

/// Level M: a scratched or greasy screen is still read.
fn draw(text: &str) -> Option<CodeView> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M)
        .inspect_err(|error| tracing::error!(%error, "this code cannot be drawn"))
        .ok()?;
    let dark = |color: &Color| if *color == Color::Dark { '1' } else { '0' };
    let rows = code.to_colors().chunks(code.width()).map(|row| row.iter().map(dark).collect()).collect();
    Some(CodeView { rows })
}

impl From<Method> for PaymentMethod {
    fn from(method: Method) -> PaymentMethod {
        match method {
            Method::Qr => PaymentMethod::Qr,
            Method::BuyerCode => PaymentMethod::BuyerCode,
        }
    }
}

impl From<StatusName> for PaymentStatus {
    fn from(name: StatusName) -> PaymentStatus {
        match name {
            StatusName::Init => PaymentStatus::Init,
            StatusName::Precreated => PaymentStatus::Precreated,
            StatusName::Paying => PaymentStatus::Paying,
            StatusName::Closing => PaymentStatus::Closing,
            StatusName::Success => PaymentStatus::Success,
            StatusName::Closed => PaymentStatus::Closed,
            StatusName::Fail => PaymentStatus::Fail,
            StatusName::Suspense => PaymentStatus::Suspense,
        }
    }
}

impl From<yidan_payment::StoppedBy> for StoppedBy {
    fn from(by: yidan_payment::StoppedBy) -> StoppedBy {
        match by {
            yidan_payment::StoppedBy::Person => StoppedBy::Person,
            yidan_payment::StoppedBy::Clock => StoppedBy::Clock,
            yidan_payment::StoppedBy::Sale => StoppedBy::Sale,
        }
    }
}

impl PaymentView {
    /// Whether it changes by itself every second: something counts down, or an answer is awaited.
    #[must_use]
    pub fn is_ticking(&self) -> bool {
        match self.moment {
            PaymentMoment::Asking | PaymentMoment::ShowCode | PaymentMoment::Scanned | PaymentMoment::Closing => true,
            PaymentMoment::RanOut => self.contact.state != ContactState::Ok,
            PaymentMoment::Paid | PaymentMoment::Closed | PaymentMoment::Refused | PaymentMoment::AskAPerson => false,
        }
    }

    /// Its name, as the engine knows it.
    #[must_use]
    pub fn is_of(&self, pay_id: PaymentId) -> bool {
        self.pay_id == pay_id.to_string()
    }
}
