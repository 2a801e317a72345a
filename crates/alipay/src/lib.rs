//! Speaks Alipay and nothing else: sign, send, check, read.
//!
//! What is believed is decided here, once: a fact about money comes only out of a text whose signature was checked over
//! the exact bytes that came. What a fact does to a payment is decided elsewhere (`yidan-payment`). No clock, no disk, no
//! repeating of calls.

mod answer;
mod armor;
mod beijing;
mod bill;
mod bill_archive;
mod bill_day;
mod bill_fetch;
mod bill_totals;
mod call;
mod cancel;
mod certificate;
mod certificates;
mod client;
mod close;
mod extra;
mod form;
mod gateway_url;
mod key;
mod members;
mod merchant;
mod notice;
mod pay;
mod precreate;
mod proof;
mod query;
mod refund;
mod refusals;
mod request;
mod said;
mod self_test;
mod settings;
mod signature;
mod subject;
mod transport;
mod trust;

pub use answer::{Answer, AnswerError};
pub use beijing::{beijing_text, read_beijing};
pub use bill::{Bill, BillError, BillKind, BillLine};
pub use bill_day::{BillDay, BillDayError};
pub use bill_fetch::{BillAnswer, FetchError};
pub use bill_totals::{Sums, Totals};
pub use call::Call;
pub use certificate::{Certificate, CertificateError};
pub use certificates::{Certificates, DaysLeft};
pub use client::Client;
pub use extra::{ExtraContent, ExtraContentError};
pub use gateway_url::{GatewayUrl, GatewayUrlError, Mode};
pub use key::{AlipayKey, AppKey, KeyError};
pub use merchant::Merchant;
pub use notice::{NOTICE_KEPT, NOTICE_REFUSED, Notice, NoticeError, RefundHint};
pub use pay::{AuthCode, AuthCodeError, PayOrder};
pub use proof::{ProofError, read_proof, verify_proof};
pub use refund::{
    RefundOrder, RefundOutcome, RefundQueryOutcome, RefundQuestion, RefundStatement, RefundTrouble, refund_trouble,
};
pub use self_test::{SelfTestError, SelfTestStep, Trouble};
pub use settings::{Settings, SettingsError};
pub use signature::string_to_sign;
pub use trust::Trust;
