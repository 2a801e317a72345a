//! What happens in shops, told as stories: one file a story. Each ends with one charge per sale and equal books at the
//! counter, the sandbox and headquarters.

mod approval;
mod backup;
mod before_opening;
mod case_decided;
mod closed_before_scan;
mod crash_points;
mod crashed;
mod double_click;
mod ends_at_the_password;
mod field_refunds;
mod first_money_wins;
mod foreign_headquarters;
mod forged_evidence;
mod given_back;
mod headquarters_answers;
mod headquarters_down;
mod keys_changed;
mod local_api;
mod lost_answer;
mod morning_bill;
mod new_code;
mod notices;
mod paid_while_closing;
mod payment_code;
mod reconcile;
mod refund_forgotten;
mod refund_once;
mod refund_refused;
mod refund_storm;
mod refund_unknown;
mod refunded_elsewhere;
mod resolve;
mod restored_database;
mod resume;
mod sandbox_restart;
mod scanned_then_left;
mod two_tills;
mod wrong_amount;
mod wrong_clock;

/// What every story needs.
mod prelude {
    pub use harness::*;
    pub use yidan_engine::{CodeCollected, Collected, Decision, NewOrder, Origin};
    pub use yidan_payment::{CaseKind, Death, Fen, Payment, RefundOrigin, RefundStatus, RequestId, Status, StoppedBy};

    /// A new draft: its first digit was just typed.
    pub fn new_click() -> RequestId {
        RequestId::new(uuid::Uuid::now_v7())
    }

    /// A second program with the merchant's keys, such as another till's.
    pub async fn another_client(shop: &Shop) -> yidan_alipay::Client {
        let clock = shop.clock.clone();
        let folder = shop.counter.folder();
        let secrets = yidan_engine::open_keys(&folder.keys(), &yidan_engine::Lock::Demo).expect("the keys");
        let setup =
            shop.counter.asks(|engine| async move { yidan::setup::Setup::find(engine.database()).expect("a setup") });
        let settings = setup.await.expect("set up").alipay(&secrets).expect("settings");
        yidan_alipay::Client::new(settings, move || clock.now()).expect("a client")
    }

    /// A payment that was scanned and paid.
    pub async fn paid(shop: &Shop, amount: &str) -> Payment {
        let payment = shop.counter.collects(yuan(amount)).await;
        shop.buyer.scans_and_pays(&payment);
        shop.turn(seconds(4)).await;
        shop.counter.payment(&payment).await
    }

    /// Where an order stands, as it is stored.
    pub async fn order_status(shop: &Shop, payment: &Payment) -> String {
        let payment = shop.counter.payment(payment).await;
        yidan_payment::order_status(&payment).as_str().to_owned()
    }

    /// A payment's status as a word.
    pub fn name(payment: &Payment) -> &'static str {
        payment.status.name().as_str()
    }

    /// As a person copies a folder.
    pub fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("readable") {
            let entry = entry.expect("readable");
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
}
