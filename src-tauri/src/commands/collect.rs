//! Collecting, and what the cashier may want of a running payment.

use super::{Shared, ask, read};
use crate::screen::{Screen, is_running};
use crate::till::lock;
use crate::view::{CollectResult, CommandError, ErrorKind, PaymentView, show_payment};
use std::rc::Rc;
use std::sync::Mutex;
use yidan_alipay::AuthCode;
use yidan_engine::{CodeCollected, Collected, Engine, Error, NewOrder, Origin};
use yidan_payment::{Fen, Payment, PaymentId};
use zeroize::Zeroizing;

/// Collects what the cashier typed. `click` is minted once per draft: the same click never makes a second order.
#[tauri::command]
pub async fn collect(
    amount: String,
    subject: String,
    click: String,
    another_customer: bool,
    till: Shared<'_>,
) -> Result<CollectResult, CommandError> {
    let order = typed_order(&amount, subject, &click, another_customer)?;
    let screen = till.screen();
    ask(&till, move |engine| async move { carry_out(&engine, &screen, order).await }).await
}

/// Collects what the cashier typed with the code on the customer's phone, as the scanner read it. The code goes to the
/// engine and nowhere else.
#[tauri::command]
pub async fn collect_with_code(
    amount: String,
    subject: String,
    click: String,
    another_customer: bool,
    code: String,
    till: Shared<'_>,
) -> Result<CollectResult, CommandError> {
    let order = typed_order(&amount, subject, &click, another_customer)?;
    let code = AuthCode::parse(&Zeroizing::new(code)).map_err(|_| CommandError::plain(ErrorKind::BadCode))?;
    let screen = till.screen();
    ask(&till, move |engine| async move { charge(&engine, &screen, order, code).await }).await
}

fn typed_order(amount: &str, subject: String, click: &str, another_customer: bool) -> Result<NewOrder, CommandError> {
    Ok(NewOrder {
        request_id: read(click)?,
        amount: Fen::parse(amount).map_err(|_| CommandError::plain(ErrorKind::BadAmount))?,
        subject,
        operator_id: String::new(),
        origin: Origin::Counter { another_customer },
    })
}

/// Collects once more, after the payment has surely ended without money. Amount and subject are the order's.
#[tauri::command]
pub async fn collect_again(pay_id: String, click: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let (pay_id, request_id) = (read::<PaymentId>(&pay_id)?, read(&click)?);
    let screen = till.screen();
    let again = move |engine: Rc<Engine>| async move {
        let replaced = engine.database().load_order(engine.database().load_payment(pay_id)?.order_id)?;
        let order = NewOrder {
            request_id,
            amount: replaced.amount,
            subject: replaced.subject,
            operator_id: String::new(),
            origin: Origin::Again { replaces: replaced.order_id },
        };
        match carry_out(&engine, &screen, order).await? {
            CollectResult::Shown { payment } | CollectResult::SameAmountClosing { payment } => Ok(*payment),
        }
    };
    ask(&till, again).await
}

async fn carry_out(
    engine: &Rc<Engine>,
    screen: &Mutex<Screen>,
    mut order: NewOrder,
) -> Result<CollectResult, CommandError> {
    order.operator_id = find_seller(engine)?;
    leave_ended(engine, screen)?;
    match engine.collect(order).await? {
        Collected::Payment(payment) => put(engine, screen, &payment),
        Collected::SameAmountClosing(payment) => {
            Ok(CollectResult::SameAmountClosing { payment: Box::new(show(engine, &payment)?) })
        }
    }
}

async fn charge(
    engine: &Rc<Engine>,
    screen: &Mutex<Screen>,
    mut order: NewOrder,
    code: AuthCode,
) -> Result<CollectResult, CommandError> {
    order.operator_id = find_seller(engine)?;
    leave_ended(engine, screen)?;
    match engine.collect_with_code(order, code).await? {
        CodeCollected::Payment(payment) => put(engine, screen, &payment),
        CodeCollected::SwitchFrom(payment) if is_running(&payment) => Err(CommandError::plain(ErrorKind::StopFirst)),
        CodeCollected::SwitchFrom(payment) => {
            Ok(CollectResult::SameAmountClosing { payment: Box::new(show(engine, &payment)?) })
        }
    }
}

fn find_seller(engine: &Engine) -> Result<String, Error> {
    Ok(engine.database().find_operator()?.map_or_else(|| "01".into(), |operator| operator.operator_id))
}

fn put(engine: &Engine, screen: &Mutex<Screen>, payment: &Payment) -> Result<CollectResult, CommandError> {
    lock(screen).put(payment.pay_id);
    Ok(CollectResult::Shown { payment: Box::new(show(engine, payment)?) })
}

/// A payment that has ended makes room as soon as the next one begins, not only when its code is known.
fn leave_ended(engine: &Engine, screen: &Mutex<Screen>) -> Result<(), Error> {
    let mut screen = lock(screen);
    if screen.find_current(engine)?.is_none_or(|current| !is_running(&current)) {
        screen.clear();
    }
    Ok(())
}

/// Stops: the code is hidden, and the payment waits for proof that no money can come.
#[tauri::command]
pub async fn stop(pay_id: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let pay_id = read(&pay_id)?;
    ask(&till, move |engine| async move { show(&engine, &engine.stop(pay_id)?) }).await
}

/// Goes on with the same code after a stop. The screen has one current payment: another one must end first.
#[tauri::command]
pub async fn resume(pay_id: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let pay_id = read::<PaymentId>(&pay_id)?;
    let screen = till.screen();
    let resumed = move |engine: Rc<Engine>| async move {
        if engine.list_live_at_counter()?.iter().any(|other| other.pay_id != pay_id && is_running(other)) {
            return Err(CommandError::plain(ErrorKind::Busy));
        }
        let payment = engine.resume(pay_id)?;
        lock(&screen).put(pay_id);
        show(&engine, &payment)
    };
    ask(&till, resumed).await
}

/// Asks for the same code again.
#[tauri::command]
pub async fn refresh(pay_id: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let pay_id = read(&pay_id)?;
    ask(&till, move |engine| async move { show(&engine, &engine.refresh(pay_id).await?) }).await
}

/// Asks for a later code on the same number, once the old one has ended.
#[tauri::command]
pub async fn new_code(pay_id: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let pay_id = read(&pay_id)?;
    ask(&till, move |engine| async move { show(&engine, &engine.new_code(pay_id).await?) }).await
}

/// Asks the gateway once more, now, with the same number.
#[tauri::command]
pub async fn ask_now(pay_id: String, till: Shared<'_>) -> Result<PaymentView, CommandError> {
    let pay_id = read(&pay_id)?;
    ask(&till, move |engine| async move { show(&engine, &engine.advance(pay_id).await?) }).await
}

/// Frees the panel for the next customer. A code that may still be shown is stopped first: the screen has one current
/// payment, and the next customer must not be shown this one's.
#[tauri::command]
pub async fn dismiss(pay_id: String, till: Shared<'_>) -> Result<(), CommandError> {
    let pay_id = read::<PaymentId>(&pay_id)?;
    let screen = till.screen();
    let dismissed = move |engine: Rc<Engine>| async move {
        let is_current = lock(&screen).find_current(&engine)?.is_some_and(|current| current.pay_id == pay_id);
        if !is_current {
            return Ok(());
        }
        if is_running(&engine.database().load_payment(pay_id)?) {
            engine.stop(pay_id)?;
        }
        lock(&screen).clear();
        Ok(())
    };
    ask(&till, dismissed).await
}

fn show(engine: &Engine, payment: &Payment) -> Result<PaymentView, CommandError> {
    Ok(show_payment(engine, payment)?)
}
