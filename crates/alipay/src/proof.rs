//! Checks a stored proof again, as headquarters does: nobody's word but Alipay's signature.
//!
//! The reading is the same code that read the answer, or the notice, in the first place.

use crate::{
    answer::AnswerError,
    close::read_close,
    merchant::Merchant,
    notice::{self, Notice, NoticeError},
    pay::read_pay,
    precreate::read_precreate,
    query::read_query,
    refund::{RefundQueryOutcome, read_refund_query},
    said::{Moments, Said},
    trust::Trust,
};
use yidan_payment::{Evidence, OutTradeNo, Proof, Source, UtcMs};

/// Why a proof proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// No signature, or not Alipay's over this text.
    #[error("the text is not signed by Alipay")]
    NotSigned(#[source] AnswerError),
    /// Signed, but it does not say what it should, or speaks of another number.
    #[error("the signed text says something else")]
    SaysOtherwise(#[source] AnswerError),
    /// A notice that is not one of ours.
    #[error("the notice is not one of ours")]
    NotOurs(#[source] NoticeError),
    /// A kind of statement that is not read here.
    #[error("statements from {} are not checked again", .0.as_str())]
    OtherSource(Source),
}

/// Checks that Alipay signed the text.
///
/// # Errors
/// [`ProofError::NotSigned`]; a missing signature is never enough here.
pub fn verify_proof(proof: &Proof, trust: &Trust) -> Result<(), ProofError> {
    if proof.source == Source::Notify {
        return notice::check_signature(&proof.text, trust).map(|_| ()).map_err(ProofError::NotOurs);
    }
    let unsigned = || AnswerError::Unsigned { code: String::new(), sub_code: String::new(), text: String::new() };
    let signature = proof.signature.as_deref().ok_or_else(|| ProofError::NotSigned(unsigned()))?;
    trust.check(&proof.text, signature, proof.cert_sn.as_deref()).map_err(ProofError::NotSigned)
}

/// Checks the signature and reads what the text says about a number. The total is in the evidence, for the caller to
/// compare. Of a notice, app_id and seller_id must be the merchant's.
///
/// A "no such trade" read this way carries no moments and so proves no death.
///
/// # Errors
/// See [`ProofError`].
pub fn read_proof(proof: &Proof, merchant: &Merchant, out_trade_no: &OutTradeNo) -> Result<Evidence, ProofError> {
    if proof.source == Source::Notify {
        let notice = Notice::read(proof.text.as_bytes(), merchant).map_err(ProofError::NotOurs)?;
        return read_notice(&notice, out_trade_no).map_err(ProofError::SaysOtherwise);
    }
    verify_proof(proof, &merchant.trust)?;
    let said = Said::read(&proof.text, true).map_err(ProofError::SaysOtherwise)?;
    let moments = Moments { asked_at: UtcMs(0), answered_at: None };
    match proof.source {
        Source::Precreate => read_precreate(&said, out_trade_no),
        Source::Query => read_query(&said, out_trade_no, moments),
        Source::Close => read_close(&said, out_trade_no),
        Source::Pay => read_pay(&said, out_trade_no),
        Source::RefundQuery => read_refunded(&said, out_trade_no),
        // Neither names the amount of the refund: only a refund query proves one.
        source @ (Source::Cancel | Source::Refund | Source::Notify) => return Err(ProofError::OtherSource(source)),
    }
    .map_err(ProofError::SaysOtherwise)
}

fn read_refunded(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    match read_refund_query(said, out_trade_no)? {
        RefundQueryOutcome::Refunded(fact) => Ok(Evidence::RefundedOurs(fact)),
        RefundQueryOutcome::NotRefunded { .. } => Err(AnswerError::Missing("refund_status")),
        RefundQueryOutcome::NoTrade(_) => Err(said.unclear()),
    }
}

fn read_notice(notice: &Notice, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    match notice.out_trade_no() {
        Some(number) if number == *out_trade_no => notice.evidence(),
        Some(_) | None => Err(AnswerError::OtherNumber),
    }
}
