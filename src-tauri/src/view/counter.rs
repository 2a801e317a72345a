//! The whole counter as its two windows show it.

use super::{CheckLamp, ContactState, OrderLine, PaymentMoment, PaymentView, payment::whole_seconds};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use ts_rs::TS;
use yidan_engine::{Engine, Error, ReportState};
use yidan_payment::UtcMs;

/// Everything the main window shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CounterView {
    pub stage: Stage,
    pub demo: bool,
    /// Whether the system's keyring can seal the keys. Without it a passphrase does.
    pub keyring: bool,
    pub shop: ShopView,
    pub language: Language,
    /// The shop's usual goods, if the cashier types none.
    pub subject: String,
    pub current: Option<PaymentView>,
    pub pinned: Vec<PaymentView>,
    pub recent: Vec<OrderLine>,
    pub status: StatusView,
    pub clone_warning: bool,
    /// Payments of an earlier run that nobody has answered about in this one.
    pub recovering: usize,
    pub open_cases: usize,
}

/// How far the program has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub enum Stage {
    FirstRun,
    Unlock,
    Ready,
}

/// Which till this is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct ShopView {
    pub store_name: String,
    pub store_id: String,
    pub terminal_id: String,
}

/// What the screens speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    Zh,
    En,
}

impl Language {
    /// The word in which it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Zh => "zh",
            Language::En => "en",
        }
    }
}

/// The line at the bottom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct StatusView {
    pub alipay: AlipayLamp,
    pub hq: HqLamp,
    /// How far the computer's clock is ahead of the gateway's.
    pub clock_offset_ms: Option<i64>,
    /// Certificate mode: the days left of the certificate that ends first.
    pub certificate_days: Option<i64>,
    /// The self-test before opening.
    pub check: CheckLamp,
    pub operator: Option<String>,
    pub now_ms: i64,
}

/// How the last talk with the gateway went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct AlipayLamp {
    pub state: AlipayState,
    pub ms: Option<i64>,
}

/// See [`AlipayLamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum AlipayState {
    Ok,
    Slow,
    Down,
    Unknown,
}

/// How reporting to headquarters goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct HqLamp {
    pub state: HqState,
    pub waiting: i64,
}

/// See [`HqLamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum HqState {
    Off,
    Ok,
    Waiting,
    Refused,
}

/// Everything the customer's display shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CustomerView {
    pub screen: CustomerScreen,
    pub store_name: String,
    pub language: Language,
    pub demo: bool,
    pub order_no: Option<String>,
    pub amount: Option<String>,
    pub code: Option<super::CodeView>,
    pub seconds_left: Option<i64>,
    pub seconds_total: Option<i64>,
    pub now_ms: i64,
}

/// The customer's moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub enum CustomerScreen {
    Idle,
    Paying,
    Scanned,
    Waiting,
    Paid,
}

/// An answer that took longer is called slow.
const SLOW: Duration = Duration::from_secs(2);
/// So long the customer sees that the money arrived.
const THANKS: Duration = Duration::from_secs(5);

/// Shows how the talk with Alipay and headquarters goes. The certificates and the self-test are the till's to add.
///
/// # Errors
/// [`Error::Storage`].
pub fn show_status(engine: &Engine) -> Result<StatusView, Error> {
    let report = engine.report_state()?;
    Ok(StatusView {
        alipay: show_alipay(engine),
        hq: HqLamp { state: show_hq(&report), waiting: report.waiting },
        clock_offset_ms: engine.clock().local_offset_ms(),
        certificate_days: None,
        check: CheckLamp::UNKNOWN,
        operator: engine.database().find_operator()?.map(|operator| operator.name),
        now_ms: engine.now().0,
    })
}

fn show_alipay(engine: &Engine) -> AlipayLamp {
    let contact = engine.last_contact();
    let took = contact.took.filter(|_| contact.unanswered == 0);
    let state = match took {
        Some(took) if took > SLOW => AlipayState::Slow,
        Some(_) => AlipayState::Ok,
        None if contact.unanswered > 0 => AlipayState::Down,
        None => AlipayState::Unknown,
    };
    AlipayLamp { state, ms: took.and_then(|took| i64::try_from(took.as_millis()).ok()) }
}

/// The lamp of headquarters.
#[must_use]
pub fn show_hq(report: &ReportState) -> HqState {
    if !report.is_on {
        HqState::Off
    } else if report.history_differs || report.refused.is_some() {
        HqState::Refused
    } else if report.waiting > 0 {
        HqState::Waiting
    } else {
        HqState::Ok
    }
}

/// What the customer may see of the counter: nothing of the customer before, no code that cannot be paid.
#[must_use]
pub fn show_customer(counter: &CounterView) -> CustomerView {
    let now = UtcMs(counter.status.now_ms);
    let idle = CustomerView {
        screen: CustomerScreen::Idle,
        store_name: counter.shop.store_name.clone(),
        language: counter.language,
        demo: counter.demo,
        order_no: None,
        amount: None,
        code: None,
        seconds_left: None,
        seconds_total: None,
        now_ms: now.0,
    };
    let Some(payment) = &counter.current else { return idle };
    let screen = screen_for(payment, now);
    if screen == CustomerScreen::Idle {
        return idle;
    }
    let (seconds_left, seconds_total) = match screen {
        CustomerScreen::Paid => (thanks_left(payment, now), Some(whole_seconds(THANKS))),
        CustomerScreen::Paying | CustomerScreen::Scanned => (payment.seconds_left, payment.seconds_total),
        CustomerScreen::Idle | CustomerScreen::Waiting => (None, None),
    };
    CustomerView {
        screen,
        order_no: Some(payment.order_no.clone()),
        amount: Some(payment.amount.clone()),
        code: payment.code.clone().filter(|_| screen == CustomerScreen::Paying),
        seconds_left,
        seconds_total,
        ..idle
    }
}

fn screen_for(payment: &PaymentView, now: UtcMs) -> CustomerScreen {
    let is_silent = payment.contact.state == ContactState::Unanswered;
    match payment.moment {
        PaymentMoment::ShowCode if !is_silent => CustomerScreen::Paying,
        PaymentMoment::Scanned if !is_silent => CustomerScreen::Scanned,
        PaymentMoment::Paid if thanks_left(payment, now).is_some() => CustomerScreen::Paid,
        PaymentMoment::Paid | PaymentMoment::Closed | PaymentMoment::Refused => CustomerScreen::Idle,
        // Nobody has scanned: this customer is asked for nothing any more.
        PaymentMoment::Closing if !payment.trade_seen => CustomerScreen::Idle,
        PaymentMoment::Asking
        | PaymentMoment::ShowCode
        | PaymentMoment::Scanned
        | PaymentMoment::RanOut
        | PaymentMoment::Closing
        | PaymentMoment::AskAPerson => CustomerScreen::Waiting,
    }
}

/// Counted from the moment at which this counter knew, which may be later than the gateway's.
fn thanks_left(payment: &PaymentView, now: UtcMs) -> Option<i64> {
    let left = payment.booked_at?.after(THANKS).since(now);
    (!left.is_zero()).then(|| whole_seconds(left))
}
