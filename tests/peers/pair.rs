//! An SDK and our own client at one sandbox, which knows both in the same way. What one is told, the other must be told.

use crate::ours::{Known, now};
use crate::sandbox::Sandbox;
use crate::sdk::{Peer, Sdk};
use serde_json::{Map, Value, json};
use std::sync::{Arc, atomic::AtomicI64};
use yidan_alipay::{
    AlipayKey, AppKey, Certificates, Client, GatewayUrl, Mode, Notice, RefundOrder, RefundQuestion, Settings, Trust,
};
use yidan_payment::{Evidence, Fen, OutTradeNo, TradeNo};

/// A subject with everything that is hard to carry: Chinese, a blank, a plus and a bare percent sign.
pub const SUBJECT: &str = "豆浆+油条 100%";

/// Both, and what they talk to.
pub struct Pair {
    pub sandbox: Sandbox,
    pub sdk: Sdk,
    pub ours: Client,
    known: Known,
    /// How far our client's time is ahead of the system's, in ms.
    pub ahead: Arc<AtomicI64>,
}

impl Pair {
    pub async fn open(peer: &Peer) -> Pair {
        let sandbox = Sandbox::start().await;
        let sdk = Sdk::start(peer, &sandbox).await;
        let ahead = Arc::new(AtomicI64::new(0));
        let clock = Arc::clone(&ahead);
        let ours = Client::new(settings(&sandbox, peer.known), move || now(&clock)).unwrap();
        Pair { sandbox, sdk, ours, known: peer.known, ahead }
    }

    /// The SDK makes a code. Returns the answer.
    pub async fn precreate(&mut self, number: &str, amount: &str) -> Value {
        let content = json!({ "out_trade_no": number, "subject": SUBJECT, "total_amount": amount });
        let notify_url = self.sandbox.notify_url();
        self.sdk.call("alipay.trade.precreate", &content, Some(&notify_url)).await
    }

    /// The SDK makes a code and the buyer pays. Returns the trade's number.
    pub async fn sell(&mut self, number: &str, amount: &str) -> TradeNo {
        assert_eq!(self.precreate(number, amount).await["code"], "10000");
        self.sandbox.control("scan", &json!({ "out_trade_no": number, "buyer": "amy" })).await;
        self.sandbox.control("pay", &json!({ "out_trade_no": number, "buyer": "amy" })).await;
        let paid = self.query(number).await;
        assert_eq!(paid["trade_status"], "TRADE_SUCCESS", "{paid}");
        TradeNo::new(paid["trade_no"].as_str().unwrap()).unwrap()
    }

    /// The SDK asks for `alipay.trade.query`, `close` or `cancel`, which need no more than a number.
    pub async fn ask(&mut self, act: &str, number: &str) -> Value {
        self.sdk.call(&format!("alipay.trade.{act}"), &json!({ "out_trade_no": number }), None).await
    }

    /// What the SDK is told about a trade. Our client asks too, and must have understood the same.
    pub async fn query(&mut self, number: &str) -> Value {
        let answer = self.ask("query", number).await;
        let evidence = self.ours.query(&out_trade_no(number)).await.unwrap().evidence;
        let (status, total) = match &evidence {
            Evidence::NoTrade(_) => (None, None),
            Evidence::WaitBuyerPay(seen) => (Some("WAIT_BUYER_PAY"), Some(seen.total)),
            Evidence::Paid(paid) => (Some("TRADE_SUCCESS"), Some(paid.total)),
            Evidence::TradeClosed(seen) => (Some("TRADE_CLOSED"), Some(seen.total)),
            Evidence::TradeClosedPaid(paid) => (Some("TRADE_CLOSED"), Some(paid.total)),
            Evidence::QrIssued { .. }
            | Evidence::Refused(_)
            | Evidence::RefusedTradeExists(_)
            | Evidence::RefundedOurs(_)
            | Evidence::RefundedElsewhere(_)
            | Evidence::RefundMoved(_)
            | Evidence::RefundAccepted { .. }
            | Evidence::RefundRefused { .. }
            | Evidence::NotRefunded(_)
            | Evidence::CloseAccepted
            | Evidence::CloseRefused(_)
            | Evidence::CancelRefunded(_) => panic!("{evidence:?} is no answer to a query"),
        };
        assert_eq!(status, answer["trade_status"].as_str(), "{evidence:?} and {answer}");
        let told = answer["trade_status"].as_str().and(answer["total_amount"].as_str());
        assert_eq!(total, told.map(yuan), "{evidence:?} and {answer}");
        answer
    }

    /// Waits for a notice about a number and has it checked by both. Returns its fields.
    pub async fn notice(&mut self, number: &str) -> Value {
        let body = self.sandbox.next_notice(number).await;
        let fields = fields(&body);
        assert!(self.is_believed(&body).await, "{fields}");
        // Only a precreate or pay that named the app's certificate is announced with Alipay's.
        assert_eq!(fields.get("alipay_cert_sn").is_some(), self.known == Known::ByCertificates, "{fields}");
        fields
    }

    /// Changes every signed field of a notice in turn, then leaves it out: neither believes it.
    ///
    /// `sign_type` is not signed, and what some take for it, others do not read at all.
    pub async fn try_to_forge(&mut self, genuine: &Value) {
        let genuine = genuine.as_object().unwrap();
        for name in genuine.keys().filter(|name| !["sign", "sign_type"].contains(&name.as_str())) {
            let mut changed = genuine.clone();
            changed[name] = json!(format!("{}1", genuine[name].as_str().unwrap()));
            assert!(!self.is_believed(&form(&changed)).await, "{name} was changed");
            let mut shorter = genuine.clone();
            shorter.remove(name);
            assert!(!self.is_believed(&form(&shorter)).await, "{name} was left out");
        }
        let other = "A".repeat(342) + "==";
        for sign in [other.as_str(), ""] {
            let mut changed = genuine.clone();
            changed["sign"] = json!(sign);
            assert!(!self.is_believed(&form(&changed)).await, "signed with {sign:?}");
        }
    }

    /// Whether a notice is genuine. The SDK and our own reader must be of one mind.
    async fn is_believed(&mut self, body: &str) -> bool {
        let sdk = self.sdk.verify(&fields(body)).await["genuine"] == true;
        let ours = Notice::read(body.as_bytes(), &self.ours.merchant());
        assert_eq!(sdk, ours.is_ok(), "{ours:?}: {body}");
        sdk
    }
}

/// What our client is told beside the SDK.
fn settings(sandbox: &Sandbox, known: Known) -> Settings {
    let told = sandbox.settings();
    let text = |name: &str| told[name].as_str().unwrap();
    let trust = match known {
        Known::ByKeys => Trust::Keys(AlipayKey::parse(text("alipay_public_key")).unwrap()),
        Known::ByCertificates => Trust::Certificates(
            Certificates::new(Some(text("app_cert")), text("alipay_cert"), text("alipay_root_cert")).unwrap(),
        ),
    };
    Settings {
        gateway: GatewayUrl::check(text("gateway_url"), Mode::Demo).unwrap(),
        app_id: text("app_id").into(),
        seller_id: Some(text("seller_id").into()),
        app_key: AppKey::parse(text("app_private_key")).unwrap(),
        trust,
        notify_url: Some(sandbox.notify_url()),
        connect_timeout: Settings::CONNECT,
        timeout: Settings::WHOLE,
    }
}

/// The fields of a form, decoded as a web framework does.
fn fields(body: &str) -> Value {
    let url = reqwest::Url::parse(&format!("http://form/?{body}")).unwrap();
    url.query_pairs().map(|(name, value)| (name.into_owned(), Value::from(value.into_owned()))).collect()
}

fn form(fields: &Map<String, Value>) -> String {
    let mut url = reqwest::Url::parse("http://form/").unwrap();
    url.query_pairs_mut().extend_pairs(fields.iter().map(|(name, value)| (name, value.as_str().unwrap())));
    url.query().unwrap().to_owned()
}

pub fn yuan(text: &str) -> Fen {
    Fen::parse(text).unwrap()
}

pub fn out_trade_no(number: &str) -> OutTradeNo {
    OutTradeNo::new(number).unwrap()
}

/// A refund as our client orders it, and the question about it.
pub fn refund(number: &str, trade_no: &TradeNo, out_request_no: &str, amount: &str) -> (RefundOrder, RefundQuestion) {
    let (trade_no, out_trade_no) = (trade_no.clone(), out_trade_no(number));
    let out_request_no = out_request_no.to_owned();
    let order = RefundOrder {
        trade_no: trade_no.clone(),
        out_trade_no: out_trade_no.clone(),
        out_request_no: out_request_no.clone(),
        amount: yuan(amount),
        reason: "退货".into(),
        operator_id: "c1".into(),
    };
    (order, RefundQuestion { trade_no, out_trade_no, out_request_no })
}
