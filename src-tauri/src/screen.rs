//! What is on the screen: one current payment, what is pinned, the last orders.
//!
//! Keeps no truth of its own beyond which payment is the current one; everything else is read anew from the records.
//! Deliberately absent: anything that survives a restart. A payment whose code may be shown comes back by itself.

use crate::setup::Setup;
use crate::view::{
    CounterView, Language, OrderLine, PaymentView, ShopView, Stage, show_line, show_payment, show_status,
};
use std::collections::BTreeSet;
use yidan_engine::{Engine, Error, OrderSearch};
use yidan_payment::{Payment, PaymentId, Status, StatusName};
use yidan_wire::Mode;

/// Which payment is current, and which ones an earlier run left in doubt.
#[derive(Debug, Default)]
pub struct Screen {
    current: Option<PaymentId>,
    in_doubt: Vec<PaymentId>,
}

/// The settings that only screens know.
pub const LANGUAGE: &str = "language";
/// See [`LANGUAGE`].
pub const SUBJECT: &str = "subject";
const USUAL_SUBJECT: &str = "商品";
/// More than the strip has room for.
const RECENT: i64 = 9;

impl Screen {
    /// The screen of a program that has just started.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn open(engine: &Engine) -> Result<Screen, Error> {
        let in_doubt = engine.list_live_at_counter()?.iter().map(|payment| payment.pay_id).collect();
        Ok(Screen { current: None, in_doubt })
    }

    /// Makes a payment the current one.
    pub fn put(&mut self, pay_id: PaymentId) {
        self.current = Some(pay_id);
    }

    /// Frees the screen for the next customer.
    pub fn clear(&mut self) {
        self.current = None;
    }

    /// The payment on the panel: the one that was put there, else the one whose code may be shown. That one stays.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn find_current(&mut self, engine: &Engine) -> Result<Option<Payment>, Error> {
        if let Some(pay_id) = self.current {
            return engine.database().load_payment(pay_id).map(Some);
        }
        let running = engine.list_live_at_counter()?.into_iter().find(is_running);
        self.current = running.as_ref().map(|payment| payment.pay_id);
        Ok(running)
    }

    /// The whole counter as it is now.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn show(&mut self, engine: &Engine, setup: &Setup) -> Result<CounterView, Error> {
        let current = self.find_current(engine)?;
        let current_id = current.as_ref().map(|payment| payment.pay_id);
        Ok(CounterView {
            stage: Stage::Ready,
            demo: setup.mode == Mode::Demo,
            keyring: false,
            shop: show_shop(setup),
            language: find_language(engine)?,
            subject: find_subject(engine)?,
            current: current.map(|payment| show_payment(engine, &payment)).transpose()?,
            pinned: list_pinned(engine, current_id)?,
            recent: list_recent(engine)?,
            status: show_status(engine)?,
            clone_warning: engine.report_state()?.history_differs,
            recovering: self.count_unheard(engine, current_id)?,
            open_cases: engine.database().list_open_cases()?.len(),
        })
    }

    /// Payments of an earlier run that nobody has answered about yet.
    fn count_unheard(&self, engine: &Engine, current: Option<PaymentId>) -> Result<usize, Error> {
        let mut unheard = 0;
        for pay_id in self.in_doubt.iter().filter(|pay_id| Some(**pay_id) != current) {
            let is_heard = engine.contact(*pay_id).answered_at.is_some();
            if !is_heard && engine.database().load_payment(*pay_id)?.status.is_live() {
                unheard += 1;
            }
        }
        Ok(unheard)
    }
}

/// Whether its code is shown, may be shown, or was just scanned.
#[must_use]
pub fn is_running(payment: &Payment) -> bool {
    match payment.status {
        Status::Init | Status::Precreated | Status::Paying => true,
        Status::Closing | Status::Success(_) | Status::Closed(_) | Status::Fail(_) | Status::Suspense => false,
    }
}

/// Which till this is.
#[must_use]
pub fn show_shop(setup: &Setup) -> ShopView {
    ShopView {
        store_name: setup.store_name.clone(),
        store_id: setup.store_id.clone(),
        terminal_id: setup.terminal_id.clone(),
    }
}

/// What the screens speak.
///
/// # Errors
/// [`Error::Storage`].
pub fn find_language(engine: &Engine) -> Result<Language, Error> {
    let word = engine.database().find_setting(LANGUAGE)?;
    Ok(if word.as_deref() == Some(Language::En.as_str()) { Language::En } else { Language::Zh })
}

/// The shop's usual goods.
///
/// # Errors
/// [`Error::Storage`].
pub fn find_subject(engine: &Engine) -> Result<String, Error> {
    Ok(engine.database().find_setting(SUBJECT)?.unwrap_or_else(|| USUAL_SUBJECT.to_owned()))
}

/// What lives or waits for a person, beside the current payment.
fn list_pinned(engine: &Engine, current: Option<PaymentId>) -> Result<Vec<PaymentView>, Error> {
    let live = engine.list_live_at_counter()?.into_iter().map(|payment| payment.pay_id);
    let at_risk = engine.database().list_open_cases()?.into_iter().map(|case| case.pay_id);
    let pinned: BTreeSet<PaymentId> = at_risk.chain(live).filter(|pay_id| Some(*pay_id) != current).collect();
    let newest_first = pinned.into_iter().rev();
    newest_first.map(|pay_id| show_payment(engine, &engine.database().load_payment(pay_id)?)).collect()
}

fn list_recent(engine: &Engine) -> Result<Vec<OrderLine>, Error> {
    let today = OrderSearch {
        business_day: Some(engine.business_day()),
        statuses: StatusName::ALL.to_vec(),
        limit: RECENT,
        ..OrderSearch::default()
    };
    let found = engine.database().search_orders(&today)?;
    found.into_iter().map(|(order, pay_id)| show_line(engine, order, pay_id)).collect()
}
