//! Our own client against the sandbox, which shares no line with it: every call, with keys and with certificates.

use crate::sandbox::receive_notices;
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;
use tokio::{sync::mpsc::UnboundedReceiver, time::timeout};
use yidan_alipay::{
    AlipayKey, AppKey, AuthCode, BillAnswer, BillDay, BillKind, Certificates, Client, GatewayUrl, Mode, Notice,
    PayOrder, RefundOrder, RefundOutcome, RefundQueryOutcome, RefundQuestion, Settings, Trust, read_proof,
};
use yidan_payment::{Evidence, Fen, GatewayError, OutTradeNo, PaidTrade, PrecreateOrder, TradeNo, UtcMs};
use yidan_sandbox::{CodeOutcome, Config, Fault, FaultKind, Keys, Sandbox};

const NUMBER: &str = "S01T02_20261130_000001";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// How the two sides know one another.
#[derive(Clone, Copy, PartialEq)]
pub enum Known {
    ByKeys,
    ByCertificates,
}

struct Counter {
    sandbox: Sandbox,
    client: Client,
    clock: Arc<AtomicI64>,
    notices: UnboundedReceiver<String>,
    _folder: TempDir,
}

impl Counter {
    async fn open(known: Known) -> Counter {
        let folder = TempDir::new().unwrap();
        let keys = Keys::load_or_make(&crate::sandbox::top().join("tests/fixtures/sandbox-keys")).unwrap();
        let mut config = Config::with_keys(folder.path(), keys).unwrap();
        let clock = Arc::new(AtomicI64::new(0));
        config.clock = Some(Arc::clone(&clock));
        config.notify_scale = 1000;
        let sandbox = yidan_sandbox::start(config).await.unwrap();
        let (port, notices) = receive_notices().await;
        let settings = settings(&sandbox, known, format!("http://127.0.0.1:{port}/pay/alipay/notify"));
        let turned = Arc::clone(&clock);
        let client = Client::new(settings, move || now(&turned)).unwrap();
        Counter { sandbox, client, clock, notices, _folder: folder }
    }

    async fn precreate(&self, subject: &str, amount: &str) -> Evidence {
        let order = PrecreateOrder {
            out_trade_no: number(),
            amount: yuan(amount),
            subject: subject.into(),
            time_expire: now(&self.clock).after(Duration::from_secs(300)),
            qr_minutes: 5,
            store_id: "S01".into(),
            terminal_id: "T02".into(),
            operator_id: "c1".into(),
            passback_params: Some("T02".into()),
        };
        let body = self.client.precreate_body(&order);
        self.client.precreate(&number(), &body).await.unwrap().evidence
    }

    async fn query(&self) -> Evidence {
        let told = self.client.query(&number()).await.unwrap();
        // Whatever was believed can be proved again from what is stored.
        match (&told.evidence, read_proof(&told.proof, &self.client.merchant(), &number()).unwrap()) {
            (Evidence::NoTrade(_), Evidence::NoTrade(_)) => {}
            (evidence, again) => assert_eq!(*evidence, again),
        }
        told.evidence
    }

    async fn sell(&self, subject: &str, amount: &str) -> PaidTrade {
        assert!(matches!(self.precreate(subject, amount).await, Evidence::QrIssued { .. }));
        self.sandbox.scan(NUMBER, "amy").unwrap();
        self.sandbox.pay(NUMBER, "amy").unwrap();
        let evidence = self.query().await;
        let Evidence::Paid(paid) = evidence else { panic!("{evidence:?}") };
        paid
    }

    async fn next_notice(&mut self) -> Notice {
        let body = timeout(crate::sandbox::PATIENCE, self.notices.recv()).await.expect("a notice").unwrap();
        Notice::read(body.as_bytes(), &self.client.merchant()).unwrap()
    }

    async fn pay(&self, outcome: CodeOutcome) -> Evidence {
        let order = PayOrder {
            out_trade_no: number(),
            amount: yuan("10"),
            subject: "豆浆".into(),
            auth_code: AuthCode::parse(&self.sandbox.buyer_code("amy", outcome)).unwrap(),
            timeout_minutes: 5,
            store_id: "S01".into(),
            terminal_id: "T02".into(),
            operator_id: String::new(),
            passback_params: None,
        };
        self.client.pay(&order).await.unwrap().evidence
    }

    async fn cancel(&self) -> Evidence {
        self.client.cancel(&number(), yuan("10")).await.unwrap().evidence
    }
}

fn settings(sandbox: &Sandbox, known: Known, notify_url: String) -> Settings {
    let trust = match known {
        Known::ByKeys => Trust::Keys(AlipayKey::parse(&sandbox.alipay_public_key_pem()).unwrap()),
        Known::ByCertificates => Trust::Certificates(
            Certificates::new(
                Some(&sandbox.app_cert_pem()),
                &sandbox.alipay_cert_pem(),
                &sandbox.alipay_root_cert_pem(),
            )
            .unwrap(),
        ),
    };
    Settings {
        gateway: GatewayUrl::check(&sandbox.gateway_url(), Mode::Demo).unwrap(),
        app_id: sandbox.app_id(),
        seller_id: Some(sandbox.seller_id()),
        app_key: AppKey::parse(&sandbox.app_private_key_pem()).unwrap(),
        trust,
        notify_url: Some(notify_url),
        connect_timeout: Settings::CONNECT,
        timeout: Settings::WHOLE,
    }
}

#[expect(clippy::disallowed_methods, reason = "the sandbox's time is the system's, turned")]
pub fn now(clock: &AtomicI64) -> UtcMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    UtcMs(i64::try_from(since.as_millis()).unwrap() + clock.load(Ordering::SeqCst))
}

fn number() -> OutTradeNo {
    OutTradeNo::new(NUMBER).unwrap()
}

fn yuan(text: &str) -> Fen {
    Fen::parse(text).unwrap()
}

/// Precreate, ask, scan, ask, pay, ask, the notice, a close that comes too late; and a trade that is closed.
async fn sale(known: Known) {
    let mut counter = Counter::open(known).await;
    counter.client.self_test(&OutTradeNo::new("NOSUCHNUMBER").unwrap()).await.unwrap();
    assert!(matches!(counter.precreate("豆浆+油条 100%", "12.34").await, Evidence::QrIssued { .. }));
    assert!(matches!(counter.query().await, Evidence::NoTrade(told) if told.answered_at.is_some()));
    counter.sandbox.scan(NUMBER, "amy").unwrap();
    assert!(matches!(counter.query().await, Evidence::WaitBuyerPay(seen) if seen.total == yuan("12.34")));
    counter.sandbox.pay(NUMBER, "amy").unwrap();
    let paid = counter.query().await;
    assert!(matches!(&paid, Evidence::Paid(paid) if paid.total == yuan("12.34") && paid.paid_at.is_some()));

    let notice = counter.next_notice().await;
    assert_eq!((notice.text("subject"), notice.passback_params().as_deref()), (Some("豆浆+油条 100%"), Some("T02")));
    assert_eq!((notice.evidence().unwrap(), notice.out_trade_no()), (paid, Some(number())));
    let late = counter.client.close(&number()).await.unwrap().evidence;
    assert!(matches!(late, Evidence::CloseRefused(_)));
    assert!(matches!(counter.precreate("豆浆+油条 100%", "12.34").await, Evidence::RefusedTradeExists(_)));
}

#[tokio::test]
async fn our_client_sells_by_keys() {
    sale(Known::ByKeys).await;
}

#[tokio::test]
async fn our_client_sells_by_certificates() {
    sale(Known::ByCertificates).await;
}

async fn closing(known: Known) {
    let counter = Counter::open(known).await;
    counter.precreate("豆浆", "10").await;
    let early = counter.client.close(&number()).await.unwrap().evidence;
    assert!(matches!(early, Evidence::CloseRefused(refusal) if refusal.sub_code == "ACQ.TRADE_NOT_EXIST"));
    counter.sandbox.scan(NUMBER, "amy").unwrap();
    assert_eq!(counter.client.close(&number()).await.unwrap().evidence, Evidence::CloseAccepted);
    assert!(matches!(counter.query().await, Evidence::TradeClosed(seen) if seen.total == yuan("10")));
}

#[tokio::test]
async fn our_client_closes_by_keys() {
    closing(Known::ByKeys).await;
}

#[tokio::test]
async fn our_client_closes_by_certificates() {
    closing(Known::ByCertificates).await;
}

fn refund(trade_no: &TradeNo, out_request_no: &str, amount: &str) -> (RefundOrder, RefundQuestion) {
    let (trade_no, out_request_no) = (trade_no.clone(), out_request_no.to_owned());
    let order = RefundOrder {
        trade_no: trade_no.clone(),
        out_trade_no: number(),
        out_request_no: out_request_no.clone(),
        amount: yuan(amount),
        reason: "退货".into(),
        operator_id: "c1".into(),
    };
    (order, RefundQuestion { trade_no, out_trade_no: number(), out_request_no })
}

/// A part, the same again, the same number with another amount, too much, the rest; each asked for; the notices.
async fn refunds(known: Known) {
    let mut counter = Counter::open(known).await;
    let trade_no = counter.sell("豆浆", "10").await.trade_no;
    counter.next_notice().await;
    let (first, question) = refund(&trade_no, "S01R1", "3");
    let client = &counter.client;
    let unknown = client.refund_query(&question).await.unwrap().outcome;
    assert_eq!(unknown, RefundQueryOutcome::NotRefunded { stated: None });
    assert!(matches!(client.refund(&first).await.unwrap().outcome, RefundOutcome::Moved(_)));
    assert_eq!(client.refund(&first).await.unwrap().outcome, RefundOutcome::NothingMoved);
    let (other_amount, _) = refund(&trade_no, "S01R1", "4");
    assert!(matches!(client.refund(&other_amount).await.unwrap().outcome, RefundOutcome::Refused(_)));
    let (too_much, _) = refund(&trade_no, "S01R2", "7.01");
    assert!(matches!(client.refund(&too_much).await.unwrap().outcome, RefundOutcome::Refused(_)));
    let told = client.refund_query(&question).await.unwrap();
    let RefundQueryOutcome::Refunded(fact) = told.outcome else { panic!("{:?}", told.outcome) };
    assert_eq!((fact.amount, fact.out_request_no.as_deref()), (yuan("3"), Some("S01R1")));
    assert_eq!(read_proof(&told.proof, &client.merchant(), &number()).unwrap(), Evidence::RefundedOurs(fact));
    let (rest, _) = refund(&trade_no, "S01R3", "7");
    assert!(matches!(client.refund(&rest).await.unwrap().outcome, RefundOutcome::Moved(_)));
    assert!(matches!(counter.query().await, Evidence::TradeClosedPaid(paid) if paid.total == yuan("10")));

    let (part, whole) = (counter.next_notice().await, counter.next_notice().await);
    let mut all = [part, whole].map(|notice| notice.refund().unwrap().refunded_in_all.unwrap());
    all.sort();
    assert_eq!(all, [yuan("3"), yuan("10")]);
}

#[tokio::test]
async fn our_client_refunds_by_keys() {
    refunds(Known::ByKeys).await;
}

#[tokio::test]
async fn our_client_refunds_by_certificates() {
    refunds(Known::ByCertificates).await;
}

async fn buyers_codes(known: Known) {
    let counter = Counter::open(known).await;
    assert!(matches!(counter.cancel().await, Evidence::CloseRefused(_)), "nothing to undo");
    assert!(matches!(counter.pay(CodeOutcome::HasNoMoney).await, Evidence::Refused(_)));
    let counter = Counter::open(known).await;
    assert!(matches!(counter.pay(CodeOutcome::AsksPassword).await, Evidence::WaitBuyerPay(_)));
    assert_eq!(counter.cancel().await, Evidence::CloseAccepted);
    assert!(matches!(counter.query().await, Evidence::TradeClosed(_)));
    let counter = Counter::open(known).await;
    assert!(matches!(counter.pay(CodeOutcome::Pays).await, Evidence::Paid(paid) if paid.total == yuan("10")));
    assert!(matches!(counter.cancel().await, Evidence::CancelRefunded(paid) if paid.total == yuan("10")));
    assert!(matches!(counter.query().await, Evidence::TradeClosedPaid(_)));
}

#[tokio::test]
async fn our_client_takes_buyers_codes_by_keys() {
    buyers_codes(Known::ByKeys).await;
}

#[tokio::test]
async fn our_client_takes_buyers_codes_by_certificates() {
    buyers_codes(Known::ByCertificates).await;
}

async fn bills(known: Known) {
    let counter = Counter::open(known).await;
    let paid = counter.sell("豆浆,\"热\"\n大杯", "10").await;
    let (order, _) = refund(&paid.trade_no, "S01R1", "3");
    counter.client.refund(&order).await.unwrap();
    let day = BillDay::of(now(&counter.clock));
    assert_eq!(counter.client.fetch_bill(day).await.unwrap(), BillAnswer::NotReady(None));
    let two_days = i64::try_from(2 * DAY.as_millis()).unwrap();
    counter.sandbox.turn_clock(two_days);
    counter.clock.store(two_days, Ordering::SeqCst);

    let answer = counter.client.fetch_bill(day).await.unwrap();

    let BillAnswer::Ready(bill) = answer else { panic!("{answer:?}") };
    let rows: Vec<_> = bill.lines.iter().map(|line| (line.kind.clone(), line.order_fen)).collect();
    assert_eq!(rows, [(BillKind::Trade, 1000), (BillKind::Refund, -300)]);
    assert_eq!((&bill.lines[0].trade_no, bill.lines[0].out_trade_no.as_str()), (&paid.trade_no, NUMBER));
    assert_eq!(bill.lines[1].out_request_no.as_deref(), Some("S01R1"));
    let empty = counter.client.fetch_bill(BillDay::of(now(&counter.clock).before(DAY))).await.unwrap();
    let is_empty = match empty {
        BillAnswer::NoTrades | BillAnswer::NotReady(_) => true,
        BillAnswer::Ready(bill) => bill.lines.is_empty(),
        BillAnswer::Refused(_) => false,
    };
    assert!(is_empty);
}

#[tokio::test]
async fn our_client_reads_bills_by_keys() {
    bills(Known::ByKeys).await;
}

#[tokio::test]
async fn our_client_reads_bills_by_certificates() {
    bills(Known::ByCertificates).await;
}

#[tokio::test]
async fn alipay_renews_its_certificate_in_the_middle_of_the_day() {
    let mut counter = Counter::open(Known::ByCertificates).await;
    counter.precreate("豆浆", "10").await;
    let sn = counter.sandbox.rotate_certificate();
    counter.sandbox.scan(NUMBER, "amy").unwrap();
    assert!(matches!(counter.query().await, Evidence::WaitBuyerPay(_)));
    counter.sandbox.pay(NUMBER, "amy").unwrap();
    let told = counter.client.query(&number()).await.unwrap();
    assert_eq!(told.proof.cert_sn.as_deref(), Some(sn.as_str()));
    assert_eq!(counter.next_notice().await.proof().cert_sn.as_deref(), Some(sn.as_str()));
}

#[tokio::test]
async fn every_subject_arrives_as_it_was_sent() {
    for subject in
        ["奶茶", "🍎🍏", "a+b c", "100%", "it's \"x\"", "<b>&amp;</b>", "a\\b", "{}[]:,", "\u{202e}00.99", "/=&"]
    {
        let mut counter = Counter::open(Known::ByKeys).await;
        counter.sell(subject, "0.01").await;
        let notice = counter.next_notice().await;
        let shown = notice.text("subject").unwrap();
        assert!(!shown.contains(['/', '=', '&', '\u{202e}']), "{shown}");
        assert!(shown.chars().all(|c| subject.contains(c) || "／＝＆".contains(c)), "{subject} became {shown}");
    }
}

#[tokio::test]
async fn what_the_sandbox_breaks_is_unknown_and_over_at_the_next_call() {
    let counter = Counter::open(Known::ByKeys).await;
    counter.sell("豆浆", "10").await;
    for kind in [
        FaultKind::BadSignature,
        FaultKind::TamperedBody,
        FaultKind::EmptyOk,
        FaultKind::GbkHtml,
        FaultKind::Unsigned,
        FaultKind::LoseAnswer,
        FaultKind::DropBefore,
        FaultKind::Unavailable20000,
        FaultKind::SystemErrorBefore,
        FaultKind::SystemErrorAfter,
    ] {
        counter.sandbox.next_fault(Fault { method: Some("alipay.trade.query".into()), kind, times: 1 });
        let told = counter.client.query(&number()).await;
        assert!(matches!(told, Err(GatewayError::Unanswered(_))), "{kind:?}: {told:?}");
        assert!(matches!(counter.query().await, Evidence::Paid(_)), "{kind:?} is over");
    }
    counter.sandbox.next_fault(Fault { method: None, kind: FaultKind::Limited40005, times: 1 });
    assert!(matches!(counter.client.query(&number()).await, Err(GatewayError::Limited)));
}
