//! A counter: the real engine in a program that is polled by hand, so that it can stop at any moment.

use crate::chance::Chance;
use crate::channel::Channel;
use crate::day_bill::DAY;
use crate::disk::{Disk, DiskCopy, Lie};
use crate::machine::{Machine, OnMachine};
use crate::reporting::Reporting;
use crate::vfs;
use crate::wire::Signer;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use std::cell::RefCell;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Wake, Waker};
use std::time::Duration;
use tokio::sync::broadcast;
use yidan_alipay::Bill;
use yidan_engine::{
    AuthCode, CodeCollected, Collected, Counter, Database, Decision, Engine, Error, GatewayClock, Limits, NewOrder,
    NewRefund, OpenError, Parts, Place, Signature, serve,
};
use yidan_payment::{Account, CaseId, Fen, Payment, PaymentId, RefundStatus, RequestId};
use yidan_wire::NotGranted;

/// What somebody at a counter does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Collects an order.
    Collect(NewOrder),
    /// Collects the bill of a customer who stands at another till.
    CollectElsewhere(NewOrder),
    /// Collects with the code on a phone.
    WithCode {
        /// What.
        order: NewOrder,
        /// The code.
        code: String,
    },
    /// Stops.
    Stop(PaymentId),
    /// Goes on with the same code.
    Resume(PaymentId),
    /// Asks for the same code again.
    Refresh(PaymentId),
    /// Asks for a later code.
    NewCode(PaymentId),
    /// Asks the gateway once more.
    Ask(PaymentId),
    /// Gives money back.
    GiveBack { pay_id: PaymentId, request_id: RequestId, amount: Fen },
    /// Tries a refused refund again.
    RetryRefund { request_id: RequestId },
    /// Hears a notice about a refund (`key` is the number at the gateway).
    AskRefund { pay_id: PaymentId, key: String, number: String },
    /// Hears a notice.
    Notice { body: String, tries: u32 },
    /// Reads and settles the day's bill.
    DayBill(Box<Bill>),
    /// Decides a case.
    Decide { case_id: CaseId, decision: Decision },
}

/// What came of it.
#[derive(Debug)]
pub enum Came {
    /// The payment as it is now.
    Payment(Box<Payment>),
    /// The same amount is still closing.
    SameAmount(Box<Payment>),
    /// The refund as it is now.
    Refund(RefundStatus),
    /// The bill is another till's, or of another amount there.
    Owned(Box<NotGranted>),
    /// The bill is known here with another amount.
    OtherAmount,
    /// It was done.
    Done,
    /// It was refused, or could not be done.
    Refused,
}

/// An act under way, and for which customer.
pub struct Acting {
    /// The customer.
    pub customer: usize,
    /// The act.
    pub act: Act,
    under_way: LocalBoxFuture<'static, Came>,
}

/// A counter's program while it runs.
pub struct Running {
    /// The engine. The world only reads from it.
    pub engine: Rc<Engine>,
    /// Payments that changed.
    pub changes: broadcast::Receiver<PaymentId>,
    /// How often it was polled.
    pub polls: u64,
    /// At which poll it is killed instead.
    pub killed_at_poll: u64,
    program: LocalBoxFuture<'static, ()>,
    acts: Vec<Acting>,
    flag: Arc<Flag>,
    waker: Waker,
    _counter: Counter,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// With what a counter's program is started.
#[derive(Clone)]
pub struct Setup {
    /// Which terminal it is.
    pub terminal: usize,
    /// Rises when the till is enrolled again.
    pub epoch: u32,
    /// Whose keys it has.
    pub account: Account,
    /// How long a code lives.
    pub code_min: u32,
    /// After how long of silence the clock stops a payment.
    pub idle: Duration,
    /// Whether headquarters tells it anything.
    pub hears: bool,
}

impl Setup {
    /// Whose key signs.
    #[must_use]
    pub fn signer(&self) -> Signer {
        Signer { terminal: self.terminal, epoch: self.epoch }
    }
}

/// What a terminal is called.
#[must_use]
pub fn name_of(terminal: usize) -> String {
    format!("T{terminal}")
}

/// Starts the program on a machine.
///
/// # Errors
/// If the database cannot be opened.
pub fn start(machine: &Rc<Machine>, setup: &Setup) -> Result<Running, OpenError> {
    machine.start();
    let database = open_database(machine.till)?;
    let clock = Rc::new(GatewayClock::new(Rc::new(OnMachine(Rc::clone(machine)))));
    let gateway = Channel { machine: Rc::clone(machine), clock: Rc::clone(&clock), account: setup.account.clone() };
    let parts = Parts {
        database,
        gateway: Box::new(gateway),
        clock,
        ids: Box::new(OnMachine(Rc::clone(machine))),
        hq: Some(Box::new(Reporting { machine: Rc::clone(machine), signer: setup.signer(), hears: setup.hears })),
        place: Place {
            store_id: "S1".into(),
            terminal_id: name_of(setup.terminal),
            epoch: setup.epoch,
            day_starts_at_min: 0,
        },
        limits: Limits { code_min: setup.code_min, idle: setup.idle, ..Limits::default() },
    };
    let wrong = |error: Error| {
        let (path, source) = (path_of(machine.till), Box::new(error));
        OpenError::Disk { doing: "start the engine on", path, source }
    };
    let appoint = |connection: &rusqlite::Connection| Ok(connection.execute(APPOINT, [])?);
    parts.database.read("appoint a manager", appoint).map_err(wrong)?;
    let engine = Engine::start(parts).map_err(wrong)?;
    let (counter, inbox) = Counter::new(&engine);
    let flag = Arc::new(Flag(AtomicBool::new(true)));
    Ok(Running {
        changes: engine.changes(),
        program: serve(Rc::clone(&engine), inbox).boxed_local(),
        engine,
        polls: 0,
        killed_at_poll: u64::MAX,
        acts: Vec::new(),
        waker: Waker::from(Arc::clone(&flag)),
        flag,
        _counter: counter,
    })
}

/// Where a till's database lies.
#[must_use]
pub fn path_of(till: usize) -> PathBuf {
    PathBuf::from(format!("/{till}/yidan.db"))
}

/// Opens a till's database as the program does.
///
/// # Errors
/// [`OpenError`].
pub fn open_database(till: usize) -> Result<Database, OpenError> {
    Database::open_on(vfs::NAME, &path_of(till))
}

/// A disk with a database in which nothing has happened yet. Making the files anew in one shop of four took a sixth of all
/// the time.
///
/// # Panics
/// If the program cannot make its database.
pub fn set_up_disk() -> &'static DiskCopy {
    const NOBODYS: usize = 1_000_000;
    static COPY: OnceLock<DiskCopy> = OnceLock::new();
    COPY.get_or_init(|| {
        let disk = Rc::new(RefCell::new(Disk::new(Chance::new(0), Lie::None)));
        vfs::insert(NOBODYS as u64, &disk);
        drop(open_database(NOBODYS).expect("an empty disk that works"));
        vfs::remove(NOBODYS as u64);
        disk.borrow().copy()
    })
}

impl Running {
    /// Begins an act.
    pub fn act(&mut self, customer: usize, act: Act) {
        let under_way = perform(Rc::clone(&self.engine), act.clone());
        self.acts.push(Acting { customer, act, under_way });
        self.flag.0.store(true, Ordering::Relaxed);
    }

    /// Whether something happened that the program waits for.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.flag.0.load(Ordering::Relaxed)
    }

    /// Lets the program go on as far as it can, once. Returns the acts that have ended.
    ///
    /// # Errors
    /// If the program ended, which it never does by itself.
    pub fn poll(&mut self) -> Result<Vec<(usize, Act, Came)>, String> {
        self.flag.0.store(false, Ordering::Relaxed);
        self.polls += 1;
        let mut context = Context::from_waker(&self.waker);
        if Pin::new(&mut self.program).poll(&mut context).is_ready() {
            return Err("the counter's program ended by itself".into());
        }
        let mut ended = Vec::new();
        let mut at = 0;
        while at < self.acts.len() {
            match self.acts[at].under_way.as_mut().poll(&mut context) {
                std::task::Poll::Ready(came) => {
                    let Acting { customer, act, .. } = self.acts.remove(at);
                    ended.push((customer, act, came));
                }
                std::task::Poll::Pending => at += 1,
            }
        }
        Ok(ended)
    }
}

fn perform(engine: Rc<Engine>, act: Act) -> LocalBoxFuture<'static, Came> {
    async move {
        let payment = match act {
            Act::Collect(order) | Act::CollectElsewhere(order) => return collect(&engine, order).await,
            Act::WithCode { order, code } => return collect_with_code(&engine, order, &code).await,
            Act::Stop(pay_id) => engine.stop(pay_id).map_err(Rc::new),
            Act::Resume(pay_id) => engine.resume(pay_id).map_err(Rc::new),
            Act::Refresh(pay_id) => engine.refresh(pay_id).await,
            Act::NewCode(pay_id) => engine.new_code(pay_id).await,
            Act::Ask(pay_id) => engine.ask_now(pay_id).await,
            Act::AskRefund { pay_id, number, .. } => engine.ask_refund(pay_id, &number).await,
            Act::Notice { body, .. } => {
                return engine.hear_notice(body.as_bytes()).await.map_or(Came::Refused, |_| Came::Done);
            }
            Act::GiveBack { pay_id, request_id, amount } => {
                return give_back(&engine, pay_id, request_id, amount).await.unwrap_or(Came::Refused);
            }
            Act::DayBill(bill) => return read_bill(&engine, &bill).await.unwrap_or(Came::Refused),
            Act::RetryRefund { request_id } => return retry(&engine, request_id).await.unwrap_or(Came::Refused),
            Act::Decide { case_id, decision } => {
                let Ok(approval) = engine.authorise(yidan_engine::Act::Decide(case_id), MANAGER) else {
                    return Came::Refused;
                };
                let decided = engine.decide(case_id, decision, approval).await;
                return decided.map_or(Came::Refused, |_| Came::Done);
            }
        };
        payment.map_or(Came::Refused, |payment| Came::Payment(Box::new(payment)))
    }
    .boxed_local()
}

/// Done, once nothing of the bill is without an answer.
async fn read_bill(engine: &Rc<Engine>, bill: &Bill) -> Option<Came> {
    engine.import_bill(bill).ok()?;
    let settled = engine.settle_bill(DAY).await.ok()?;
    settled.unanswered.is_empty().then_some(Came::Done)
}

async fn collect(engine: &Rc<Engine>, order: NewOrder) -> Came {
    match engine.collect(order).await {
        Ok(Collected::Payment(payment)) => Came::Payment(payment),
        Ok(Collected::SameAmountClosing(payment)) => Came::SameAmount(payment),
        Err(error) => why_not(&error),
    }
}

async fn collect_with_code(engine: &Rc<Engine>, order: NewOrder, code: &str) -> Came {
    let Ok(code) = AuthCode::parse(code) else { return Came::Refused };
    match engine.collect_with_code(order, code).await {
        Ok(CodeCollected::Payment(payment) | CodeCollected::SwitchFrom(payment)) => Came::Payment(payment),
        Err(error) => why_not(&error),
    }
}

fn why_not(error: &Error) -> Came {
    if let Error::BillOwned(why) = error {
        return Came::Owned(why.clone());
    }
    if let Error::BillChanged { .. } = error { Came::OtherAmount } else { Came::Refused }
}

const MANAGER: Signature<'_> = Signature { asked_by: "", approved_by: "m1", pin: "2468" };

/// A PIN that is quickly checked: the real hash is slow on purpose, and thousands of refunds would take hours.
const APPOINT: &str = "insert or ignore into operators (operator_id, name, role, pin_hash, wrong_pins, created_at_ms)
    values ('m1', 'manager', 'MANAGER',
    '$argon2id$v=19$m=8,t=1,p=1$c2ltdWxhdGlvbi1zYWx0IQ$VkfXxGQm1MnY19pGCmivmuMwXon3sceYrFIlnl3WMyQ', 0, 0)";

async fn give_back(engine: &Rc<Engine>, pay_id: PaymentId, request_id: RequestId, amount: Fen) -> Option<Came> {
    let approval = engine.authorise(yidan_engine::Act::Refund { pay_id, amount }, MANAGER).ok()?;
    let wanted = NewRefund {
        request_id,
        pay_id,
        trade_no: None,
        amount,
        reason: "goods came back".into(),
        seen_refunded: Some(Fen::ZERO),
        approval,
    };
    let refunded = engine.refund(wanted).await.ok()?;
    Some(Came::Refund(refunded.refund.status))
}

async fn retry(engine: &Rc<Engine>, request_id: RequestId) -> Option<Came> {
    let known = engine.find_refund(request_id).ok()??;
    let act = yidan_engine::Act::Refund { pay_id: known.payment.pay_id, amount: known.refund.amount };
    let approval = engine.authorise(act, MANAGER).ok()?;
    let refunded = engine.retry_refund(request_id, approval).await.ok()?;
    Some(Came::Refund(refunded.refund.status))
}
