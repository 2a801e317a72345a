//! A counter: the real engine on its own thread, as the program runs it, with a clock to turn.

use crate::ShopClock;
use std::path::Path;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;
use yidan::setup::{Folder, Setup};
use yidan::world::SystemIds;
use yidan_alipay::AuthCode;
use yidan_engine::{
    CaseRow, CodeCollected, Collected, Contact, Counter, Database, Engine, Error, GatewayClock, Hq, HqClient, Limits,
    Lock, NewOrder, OrderRow, Origin, Parts, check_address, open_keys, serve,
};
use yidan_payment::{CaseKind, Event, Fen, Payment, PaymentId, RequestId};

/// A till and its cashier.
pub struct Till {
    folder: Folder,
    clock: ShopClock,
    running: Option<Running>,
}

struct Running {
    counter: Counter,
    thread: JoinHandle<()>,
    /// Dropped: the power is gone.
    power: tokio::sync::oneshot::Sender<()>,
}

impl Till {
    pub(crate) fn new(folder: &Path, clock: &ShopClock) -> Till {
        Till { folder: Folder(folder.to_owned()), clock: clock.clone(), running: None }
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Switches the till on; what was in doubt is asked for at once.
    pub async fn starts(&mut self) {
        let (ready, started) = tokio::sync::oneshot::channel();
        let (power, no_power) = tokio::sync::oneshot::channel::<()>();
        let (folder, clock) = (self.folder.clone(), self.clock.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let engine = assemble(&folder, &clock);
            let (counter, inbox) = Counter::new(&engine);
            drop(ready.send(counter));
            runtime.block_on(async {
                tokio::select! {
                    () = serve(engine, inbox) => {}
                    _ = no_power => {}
                }
            });
        });
        let counter = started.await.expect("the engine starts");
        self.running = Some(Running { counter, thread, power });
        self.rests().await;
    }

    /// Is switched off in the middle of whatever it does: nothing is finished, nothing is said goodbye to.
    pub fn dies(&mut self) {
        let running = self.running.take().expect("the till runs");
        drop(running.power);
        running.thread.join().expect("the engine does not panic");
    }

    /// Dies and starts again.
    pub async fn restarts(&mut self) {
        self.dies();
        self.starts().await;
    }

    /// The handle that shells hold.
    #[must_use]
    pub fn handle(&self) -> Counter {
        self.running.as_ref().expect("the till runs").counter.clone()
    }

    /// Types an amount and presses the button once.
    pub async fn collects(&self, amount: Fen) -> Payment {
        self.clicks(RequestId::new(uuid::Uuid::now_v7()), amount).await
    }

    /// Presses the button for a draft; a draft keeps its id however often it is pressed.
    pub async fn clicks(&self, request_id: RequestId, amount: Fen) -> Payment {
        match self.collects_order(draft(request_id, amount)).await.expect("it can be collected") {
            Collected::Payment(payment) => *payment,
            Collected::SameAmountClosing(payment) => panic!("asked whether it is the same customer: {payment:?}"),
        }
    }

    /// Collects whatever is asked.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn collects_order(&self, order: NewOrder) -> Result<Collected, String> {
        self.asks(move |engine| async move { engine.collect(order).await.map_err(|error| error.to_string()) }).await
    }

    /// Stops a payment and lets everything that is due happen.
    pub async fn stops(&self, payment: &Payment) -> Payment {
        self.tries_to_stop(payment).await.expect("it can be stopped")
    }

    /// Stops a payment.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn tries_to_stop(&self, payment: &Payment) -> Result<Payment, String> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { said(engine.stop(pay_id)) }).await
    }

    /// Goes on with the same code.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn resumes(&self, payment: &Payment) -> Result<Payment, String> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { said(engine.resume(pay_id)) }).await
    }

    /// Asks for the same code again.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn refreshes(&self, payment: &Payment) -> Result<Payment, String> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { engine.refresh(pay_id).await.map_err(|error| error.to_string()) }).await
    }

    /// Asks for a later code on the same number.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn makes_a_new_code(&self, payment: &Payment) -> Result<Payment, String> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { engine.new_code(pay_id).await.map_err(|error| error.to_string()) }).await
    }

    /// Collects again what has surely ended without money: a new order of the same sale.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn collects_again(&self, payment: &Payment) -> Result<Payment, String> {
        let origin = Origin::Again { replaces: payment.order_id };
        let order = NewOrder { origin, ..draft(RequestId::new(uuid::Uuid::now_v7()), payment.amount) };
        match self.collects_order(order).await? {
            Collected::Payment(payment) | Collected::SameAmountClosing(payment) => Ok(*payment),
        }
    }

    /// Scans a buyer's code for an amount.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn scans(&self, request_id: RequestId, amount: Fen, code: &str) -> Result<CodeCollected, String> {
        let (order, code) = (draft(request_id, amount), AuthCode::parse(code).expect("a payment code"));
        self.asks(move |engine| async move {
            engine.collect_with_code(order, code).await.map_err(|error| error.to_string())
        })
        .await
    }

    /// A payment as it is written down now.
    pub async fn payment(&self, payment: &Payment) -> Payment {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { said(engine.database().load_payment(pay_id)) }).await.expect("a payment")
    }

    /// How the talk about a payment goes.
    pub async fn contact(&self, payment: &Payment) -> Contact {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { engine.contact(pay_id) }).await
    }

    /// Every order of all days.
    pub async fn orders(&self) -> Vec<(OrderRow, PaymentId)> {
        self.asks(|engine| async move { said(engine.database().list_orders(None, "", None, 100)) })
            .await
            .expect("the orders")
    }

    /// Kinds of the open cases.
    pub async fn cases(&self) -> Vec<CaseKind> {
        self.open_cases().await.into_iter().map(|case| case.kind).collect()
    }

    /// The open cases.
    pub async fn open_cases(&self) -> Vec<CaseRow> {
        self.asks(|engine| async move { said(engine.database().list_open_cases()) }).await.expect("the cases")
    }

    /// What was written about a payment, in order.
    pub async fn timeline(&self, payment: &Payment) -> Vec<Event> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move { said(engine.database().list_events_of(pay_id)) })
            .await
            .expect("a timeline")
    }

    /// Waits until nothing is under way or due; every step leaves balanced books.
    pub async fn rests(&self) {
        let unbalanced = self
            .asks(|engine| async move {
                engine.rest().await;
                said(engine.database().list_unbalanced())
            })
            .await;
        assert_eq!(unbalanced, Ok(Vec::new()), "received - refunded = recognised + suspense");
    }

    /// Has the engine do something.
    pub async fn asks<T, F, Fut>(&self, work: F) -> T
    where
        T: Send + 'static,
        F: FnOnce(Rc<Engine>) -> Fut + Send + 'static,
        Fut: Future<Output = T> + 'static,
    {
        self.handle().ask(work).await.expect("the till runs")
    }

    pub(crate) fn is_on(&self) -> bool {
        self.running.is_some()
    }
}

impl Drop for Till {
    fn drop(&mut self) {
        if self.running.is_some() && !std::thread::panicking() {
            self.dies();
        }
    }
}

/// A typed order.
#[must_use]
pub fn draft(request_id: RequestId, amount: Fen) -> NewOrder {
    NewOrder {
        request_id,
        amount,
        subject: "日用百货".into(),
        operator_id: "01".into(),
        origin: Origin::Counter { another_customer: false },
    }
}

fn said<T>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn assemble(folder: &Folder, clock: &ShopClock) -> Rc<Engine> {
    let database = Database::open(&folder.0).expect("the folder opens");
    let setup = Setup::find(&database).expect("readable").expect("set up");
    let secrets = open_keys(&folder.keys(), &Lock::Demo).expect("the keys open");
    let clock = Rc::new(GatewayClock::new(Rc::new(clock.of_pc())));
    let mut settings = setup.alipay(&secrets).expect("usable settings");
    // Real seconds, so few of them.
    settings.timeout = Duration::from_secs(2);
    let (now, date) = (Rc::clone(&clock), Rc::clone(&clock));
    let gateway = yidan_alipay::Client::new(settings, move || now.now())
        .expect("a client")
        .on_gateway_date(Box::new(move |told| date.learn(told)));
    Engine::start(Parts {
        database,
        gateway: Box::new(gateway),
        hq: headquarters(&setup, &secrets, &clock),
        clock,
        ids: Box::new(SystemIds),
        place: setup.place(),
        limits: Limits { code_min: setup.code_min, ..Limits::default() },
    })
    .expect("the engine starts")
}

fn headquarters(setup: &Setup, secrets: &yidan_engine::Secrets, clock: &Rc<GatewayClock>) -> Option<Box<dyn Hq>> {
    let url = check_address(setup.hq_url.as_ref()?).expect("an address");
    let key = yidan::compose::read_terminal_key(secrets.terminal_key.as_ref()?).expect("a key");
    let client = HqClient::new(url, setup.hq_terminal_id.clone()?, key, Rc::clone(clock)).expect("a client");
    Some(Box::new(client))
}
