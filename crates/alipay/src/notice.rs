//! A notice that Alipay sends by itself: checked, read, told apart.
//!
//! The counter and headquarters read notices with the same code. Must always hold: a notice exists only after its
//! signature was checked and its app_id and seller_id were found to be ours. Whose number and which amount it speaks of
//! is for the reader to compare. The same trade sends several different notices: paid, partly refunded, refunded in full.

use crate::{answer::AnswerError, form::Form, merchant::Merchant, said::Said, trust::Trust};
use std::{collections::BTreeMap, fmt};
use yidan_payment::{Evidence, Fen, OutTradeNo, Proof, Source, TradeNo, UtcMs};

/// The only answer after which Alipay stops repeating a notice: these seven bytes, nothing around them.
pub const NOTICE_KEPT: &str = "success";
/// The answer to what cannot be checked.
pub const NOTICE_REFUSED: &str = "fail";

/// A notice of ours.
#[derive(Clone)]
pub struct Notice {
    said: Said,
    proof: Proof,
}

/// What a notice says about refunds. Only a reason to ask: `refunded_in_all` is cumulative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundHint {
    /// `out_biz_no`: the number of the refund that caused the notice.
    pub out_request_no: Option<String>,
    /// `refund_fee`: everything that went back on this trade so far.
    pub refunded_in_all: Option<Fen>,
}

/// Why something is not a notice of ours.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// Not a form, a field twice, or not in the charset it names.
    #[error("this is not the form of a notice")]
    NotAForm,
    /// No signature, or not Alipay's.
    #[error("the notice is not signed by Alipay")]
    NotSigned(#[source] AnswerError),
    /// Meant for another app.
    #[error("the notice is for app {found}, not for {ours}")]
    OtherApp {
        /// What it carries.
        found: String,
        /// Ours.
        ours: String,
    },
    /// Meant for another merchant.
    #[error("the notice is for seller {found}, not for {ours}")]
    OtherSeller {
        /// What it carries.
        found: String,
        /// Ours.
        ours: String,
    },
}

impl Notice {
    /// Checks and reads the body of a notice.
    ///
    /// # Errors
    /// See [`NoticeError`]. The sender of such a thing never gets [`NOTICE_KEPT`].
    pub fn read(body: &[u8], merchant: &Merchant) -> Result<Notice, NoticeError> {
        let body = std::str::from_utf8(body).map_err(|_| NoticeError::NotAForm)?;
        let (fields, proof) = check_signature(body, &merchant.trust)?;
        let said = Said::notice(fields);
        let found = |name: &str| said.text(name).unwrap_or_default().to_owned();
        if found("app_id") != merchant.app_id {
            return Err(NoticeError::OtherApp { found: found("app_id"), ours: merchant.app_id.clone() });
        }
        if let Some(ours) = merchant.seller_id.as_ref().filter(|ours| **ours != found("seller_id")) {
            return Err(NoticeError::OtherSeller { found: found("seller_id"), ours: ours.clone() });
        }
        Ok(Notice { said, proof })
    }

    /// The same for every repetition of one notice.
    #[must_use]
    pub fn notify_id(&self) -> Option<&str> {
        self.said.text("notify_id")
    }

    /// Our number. `None`: not one of ours, whatever it is.
    #[must_use]
    pub fn out_trade_no(&self) -> Option<OutTradeNo> {
        OutTradeNo::new(self.said.text("out_trade_no")?).ok()
    }

    /// Alipay's number.
    #[must_use]
    pub fn trade_no(&self) -> Option<TradeNo> {
        self.said.trade_no().ok()
    }

    /// What the trade's status means. *Paid* is evidence by itself; everything else is a reason to ask.
    ///
    /// # Errors
    /// A status this program does not know, or fields that are missing.
    pub fn evidence(&self) -> Result<Evidence, AnswerError> {
        self.said.trade()
    }

    /// What the notice says about refunds; `None` if it is not about one.
    #[must_use]
    pub fn refund(&self) -> Option<RefundHint> {
        let is_refund =
            ["gmt_refund", "refund_fee", "out_biz_no"].into_iter().any(|name| self.said.text(name).is_some());
        is_refund.then(|| RefundHint {
            out_request_no: self.said.text("out_biz_no").map(str::to_owned),
            refunded_in_all: self.said.amount("refund_fee").ok().flatten(),
        })
    }

    /// What precreate sent along, decoded.
    #[must_use]
    pub fn passback_params(&self) -> Option<String> {
        let sent = self.said.text("passback_params")?;
        percent_encoding::percent_decode_str(sent).decode_utf8().ok().map(String::from)
    }

    /// When Alipay sent it.
    #[must_use]
    pub fn sent_at(&self) -> Option<UtcMs> {
        crate::read_beijing(self.said.text("notify_time")?)
    }

    /// Any other field, decoded. May name the buyer: mask it before it is shown.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.said.text(name)
    }

    /// The text and signature, to be stored and checked again.
    #[must_use]
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

/// Names the notice, and nobody in it.
impl fmt::Debug for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = ["notify_id", "out_trade_no", "trade_no", "trade_status"].map(|name| (name, self.said.text(name)));
        f.debug_map().entries(fields).finish()
    }
}

/// Checks the signature of a notice's form, and reads its fields.
///
/// Every field that came is signed except `sign` and `sign_type` (which requests do sign). Empty fields and
/// `alipay_cert_sn` are signed or not depending on who wrote the sender's checker; neither is ever read as a fact.
pub(crate) fn check_signature(body: &str, trust: &Trust) -> Result<(BTreeMap<String, String>, Proof), NoticeError> {
    let form = Form::parse(body).ok_or(NoticeError::NotAForm)?;
    let fields = form.texts().ok_or(NoticeError::NotAForm)?;
    let named = |name: &str| fields.get(name).filter(|text| !text.is_empty()).cloned();
    let unsigned = || AnswerError::Unsigned { code: String::new(), sub_code: String::new(), text: String::new() };
    let signature = named("sign").ok_or_else(|| NoticeError::NotSigned(unsigned()))?;
    let cert_sn = named("alipay_cert_sn");
    let key = trust.key_of(cert_sn.as_deref()).map_err(NoticeError::NotSigned)?;
    let is_signed = [(false, false), (true, false), (false, true), (true, true)].into_iter().any(|(empty, sn)| {
        let left_out = |name: &[u8], value: &[u8]| (empty && value.is_empty()) || (sn && name == b"alipay_cert_sn");
        key.verify(&form.signed_bytes(left_out), &signature)
    });
    if !is_signed {
        return Err(NoticeError::NotSigned(AnswerError::BadSignature));
    }
    let proof = Proof { source: Source::Notify, text: body.to_owned(), signature: Some(signature), cert_sn };
    Ok((fields, proof))
}
