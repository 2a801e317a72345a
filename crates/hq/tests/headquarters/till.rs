//! A terminal as headquarters sees it: a key, a journal, and Alipay's signed word.

use crate::house::{APP_ID, SELLER_ID, client};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use uuid::Uuid;
use yidan_alipay::{AlipayKey, AppKey};
use yidan_payment::{
    Account, Booked, Event, EventId, Fen, Hash, Method, OrderId, OrderStatus, OutTradeNo, PaymentId, Proof, Receipt,
    RequestId, SaleId, Source, StatusName, TradeNo, UtcMs,
};
use yidan_wire::signature::ENROLLING;
use yidan_wire::{
    Ack, Batch, Carry, Enrolled, Enrolment, EventKind, Heard, Mode, PaymentState, Push, ReceiptState, TerminalKey,
};

static ALIPAY: LazyLock<AppKey> = LazyLock::new(|| {
    AppKey::parse(include_str!("../../../../tests/fixtures/cases/keys/platform_private_pkcs8.pem")).unwrap()
});

pub struct Till {
    pub url: String,
    pub now: UtcMs,
    pub key: TerminalKey,
    pub terminal_id: String,
    pub epoch: u32,
    pub journal: Vec<Event>,
    client: reqwest::Client,
}

/// What headquarters refused, and with which words.
pub type Refused = (u16, Value);

impl Till {
    pub fn new(url: String, now: UtcMs) -> Till {
        let key = TerminalKey::generate(random());
        Till { url, now, key, terminal_id: ENROLLING.into(), epoch: 0, journal: Vec::new(), client: client() }
    }

    pub fn be(&mut self, enrolled: Enrolled) {
        self.terminal_id = enrolled.terminal_id;
        self.epoch = enrolled.epoch;
    }

    pub fn enrolment(code: &str, key: &TerminalKey) -> Enrolment {
        let alipay = AlipayKey::parse(&ALIPAY.public_text()).unwrap();
        Enrolment {
            code: code.into(),
            public_key: key.public_key_base64(),
            app_id: APP_ID.into(),
            alipay_key: alipay.fingerprint(),
            mode: Mode::Demo,
        }
    }

    pub async fn enrol(&self, code: &str) -> Result<Enrolled, Refused> {
        let enrolment = Till::enrolment(code, &self.key);
        self.post("/api/v1/enrol", ENROLLING, serde_json::to_vec(&enrolment).unwrap()).await
    }

    /// Another program on a copy of this one's database.
    pub fn clone_all(&self) -> Till {
        Till {
            url: self.url.clone(),
            key: TerminalKey::from_bytes(self.key.secret_bytes()),
            terminal_id: self.terminal_id.clone(),
            journal: self.journal.clone(),
            client: client(),
            ..*self
        }
    }

    /// A payment that exists and has no money yet.
    pub fn begin(&mut self, fen: i64) -> PaymentState {
        let number = format!("{}_{}", self.terminal_id, Uuid::now_v7().simple());
        let state = PaymentState {
            pay_id: PaymentId::new(Uuid::now_v7()),
            order_id: OrderId::new(Uuid::now_v7()),
            sale_id: SaleId::new(Uuid::now_v7()),
            order_no: format!("{:04}", self.journal.len() + 1),
            source: "counter".into(),
            external_ref: None,
            subject: "矿泉水".into(),
            business_day: "2026-11-30".into(),
            method: Method::Qr,
            account: Account(format!("{APP_ID}@127.0.0.1")),
            out_trade_no: OutTradeNo::new(number).unwrap(),
            amount_fen: Fen::try_from(fen).unwrap(),
            status: StatusName::Init,
            order_status: OrderStatus::Created,
            trade_no: None,
            stopped_by: None,
            reason: None,
            receipts: Vec::new(),
            refunds: Vec::new(),
            cases: Vec::new(),
            decisions: Vec::new(),
            proof: None,
            created_at: self.now,
            carry: carry(),
        };
        self.write(EventKind::Collecting, &state);
        state
    }

    /// A payment with money, as Alipay states it.
    pub fn sell(&mut self, fen: i64) -> PaymentState {
        let state = self.begin(fen);
        self.pay(&state)
    }

    pub fn pay(&mut self, state: &PaymentState) -> PaymentState {
        let trade_no = Till::trade_of(state);
        let paid = paid(state, &trade_no, state.amount_fen.as_fen());
        self.write(EventKind::Paid, &paid);
        paid
    }

    /// The trade of the buyer who pays.
    pub fn trade_of(state: &PaymentState) -> TradeNo {
        TradeNo::new(format!("2026{}", state.pay_id.uuid().simple())).unwrap()
    }

    /// Listens from a number on, as a database that remembers no name.
    pub async fn listen(&self, after: i64) -> Stream {
        self.listen_after(Heard { after, id: None }).await
    }

    pub async fn listen_after(&self, heard: Heard) -> Stream {
        let answer = self.tries_to_listen(heard).await;
        assert_eq!(answer.status(), 200);
        Stream { answer, text: String::new() }
    }

    pub async fn tries_to_listen(&self, heard: Heard) -> reqwest::Response {
        let id = heard.id.map(|id| format!("&id={id}")).unwrap_or_default();
        let path = format!("/api/v1/stream?after={}{id}", heard.after);
        let headers = self.key.sign("GET", &path, b"", &self.terminal_id, self.now);
        let request = self.client.get(format!("{}{path}", self.url));
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        request.send().await.unwrap()
    }

    pub fn write(&mut self, kind: EventKind, state: &PaymentState) {
        self.write_text(kind.as_str(), serde_json::to_string(state).unwrap());
    }

    pub fn write_text(&mut self, kind: &str, payload: String) {
        let (seq, prev) = self.journal.last().map_or((0, Hash::ZERO), |event| (event.seq, event.hash));
        let id = EventId::new(Uuid::now_v7());
        self.journal.push(Event::next(seq + 1, id, kind.into(), self.now, payload, prev));
    }

    pub async fn send_all(&self) -> Result<Ack, Refused> {
        self.send(&self.journal).await
    }

    pub async fn send(&self, events: &[Event]) -> Result<Ack, Refused> {
        let head_seq = self.journal.last().map_or(0, |event| event.seq);
        let batch = Batch { head_seq, events: events.to_vec() };
        self.post("/api/v1/events", &self.terminal_id, serde_json::to_vec(&batch).unwrap()).await
    }

    pub async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        keyid: &str,
        body: Vec<u8>,
    ) -> Result<T, Refused> {
        let headers = self.key.sign("POST", path, &body, keyid, self.now);
        let request = self.client.post(format!("{}{path}", self.url)).body(body);
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        if status == 200 {
            return Ok(answer.json().await.unwrap());
        }
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        Err((status, answer.json().await.unwrap()))
    }
}

/// What a terminal is told, as it comes.
pub struct Stream {
    answer: reqwest::Response,
    text: String,
}

impl Stream {
    /// The next thing told; `None` when headquarters ends the stream.
    pub async fn next(&mut self) -> Option<Push> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let push = event.lines().find_map(|line| line.strip_prefix("data: "));
                let push = push.map(|data| serde_json::from_str(data).unwrap());
                self.text = rest.to_owned();
                if push.is_some() {
                    return push;
                }
                continue;
            }
            let chunk = self.answer.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

/// A notice of a payment, signed by Alipay.
pub fn notice(out_trade_no: &str, trade_no: &str, fen: i64, more: &[(&str, &str)]) -> String {
    let amount = format!("{}.{:02}", fen / 100, fen % 100);
    let mut fields = BTreeMap::from([
        ("app_id", APP_ID),
        ("seller_id", SELLER_ID),
        ("notify_id", trade_no),
        ("notify_time", "2026-11-30 10:00:02"),
        ("out_trade_no", out_trade_no),
        ("trade_no", trade_no),
        ("trade_status", "TRADE_SUCCESS"),
        ("total_amount", &amount),
        ("receipt_amount", &amount),
        ("gmt_payment", "2026-11-30 10:00:01"),
    ]);
    fields.extend(more.iter().copied());
    let signed: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let sign = ALIPAY.sign(signed.join("&").as_bytes());
    fields.extend([("sign_type", "RSA2"), ("sign", &sign)]);
    let url = reqwest::Url::parse_with_params("http://x/", fields.iter()).unwrap();
    url.query().unwrap().to_owned()
}

/// The payment after money of a trade came, with Alipay's signed answer to a query.
pub fn paid(state: &PaymentState, trade_no: &TradeNo, fen: i64) -> PaymentState {
    let receipt = Receipt {
        trade_no: trade_no.clone(),
        total: Fen::try_from(fen).unwrap(),
        receipt: Fen::try_from(fen).unwrap(),
        paid_at: None,
        booked: Booked::Recognised,
        sale_id: None,
    };
    PaymentState {
        status: StatusName::Success,
        order_status: OrderStatus::Paid,
        trade_no: Some(trade_no.clone()),
        receipts: vec![ReceiptState { receipt, business_day: state.business_day.clone() }],
        proof: Some(alipay_says(&state.out_trade_no, trade_no, fen)),
        ..state.clone()
    }
}

/// Alipay's answer to a query, signed.
pub fn alipay_says(number: &OutTradeNo, trade_no: &TradeNo, fen: i64) -> Proof {
    let text = json!({
        "code": "10000", "msg": "Success", "out_trade_no": number, "trade_no": trade_no,
        "trade_status": "TRADE_SUCCESS", "total_amount": format!("{}.{:02}", fen / 100, fen % 100),
        "send_pay_date": "2026-11-30 10:00:00",
    })
    .to_string();
    let signature = Some(ALIPAY.sign(text.as_bytes()));
    Proof { source: Source::Query, text, signature, cert_sn: None }
}

fn carry() -> Carry {
    Carry {
        request_id: RequestId::new(Uuid::now_v7()),
        content_hash: Hash::ZERO,
        operator_id: "001".into(),
        day_seq: 1,
        replaces_order_id: None,
        trade_seen: false,
        request_body: None,
        body_expires_at: None,
        code_expires_at: None,
        close_sent_at: None,
        precreated_at: None,
        dead_after: None,
        watch_at: None,
        booked_at: None,
    }
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(Uuid::now_v7().as_bytes());
    bytes
}
