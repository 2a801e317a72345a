//! Alipay's lists of definite refusals (40004 `ACQ.…`) for the calls that start a payment.
//!
//! What is not listed is unknown, never a no: a payment must not be given up because of a word nobody knows.

use yidan_payment::{Evidence, OutTradeNo};

use crate::{answer::AnswerError, said::Said};

/// A trade of this number exists.
const A_TRADE_EXISTS: &[&str] =
    &["TRADE_HAS_SUCCESS", "TRADE_HAS_CLOSE", "CONTEXT_INCONSISTENT", "TRADE_BUYER_NOT_MATCH"];

/// Nothing was made (precreate and pay).
const NOTHING_WAS_MADE: &[&str] = &[
    "INVALID_PARAMETER",
    "ACCESS_FORBIDDEN",
    "EXIST_FORBIDDEN_WORD",
    "PARTNER_ERROR",
    "TOTAL_FEE_EXCEED",
    "BUYER_SELLER_EQUAL",
    "BUYER_ENABLE_STATUS_FORBID",
    "BUYER_NOT_EXIST",
    "BUYER_PAYMENT_AMOUNT_DAY_LIMIT_ERROR",
    "BUYER_PAYMENT_AMOUNT_MONTH_LIMIT_ERROR",
    "BEYOND_PAY_RESTRICTION",
    "SELLER_BEEN_BLOCKED",
    "SELLER_NOT_EXIST",
    "ERROR_BUYER_CERTIFY_LEVEL_LIMIT",
    "INVALID_STORE_ID",
    "INVALID_RECEIVE_ACCOUNT",
    "APPLY_PC_MERCHANT_CODE_ERROR",
    "TRADE_SETTLE_ERROR",
    "DEFAULT_SETTLE_RULE_NOT_EXIST",
    "SUB_GOODS_SIZE_MAX_COUNT",
    "NOW_TIME_AFTER_EXPIRE_TIME_ERROR",
    "MERCHANT_STATUS_NOT_NORMAL",
    "RISK_MERCHANT_IP_NOT_EXIST",
];

/// The buyer's code or account cannot pay (pay alone).
const THE_BUYER_CANNOT_PAY: &[&str] = &[
    "PAYMENT_AUTH_CODE_INVALID",
    "SOUNDWAVE_PARSER_FAIL",
    "BUYER_BALANCE_NOT_ENOUGH",
    "BUYER_BANKCARD_BALANCE_NOT_ENOUGH",
    "ERROR_BALANCE_PAYMENT_DISABLE",
    "PULL_MOBILE_CASHIER_FAIL",
    "MOBILE_PAYMENT_SWITCH_OFF",
    "PAYMENT_FAIL",
    "PAYMENT_REQUEST_HAS_RISK",
    "NO_PAYMENT_INSTRUMENTS_AVAILABLE",
    "USER_FACE_PAYMENT_SWITCH_OFF",
    "ILLEGAL_SIGN_VALIDTY_PERIOD",
];

/// Families of such reasons.
const FAMILIES: &[&str] = &["BEYOND_PER_RECEIPT_", "SECONDARY_MERCHANT_", "MERCHANT_PERM_RECEIPT_"];

/// A signed 40004 of a call that starts a payment.
pub(crate) fn read_refusal(said: &Said, out_trade_no: &OutTradeNo) -> Result<Evidence, AnswerError> {
    said.check_echo(out_trade_no)?;
    match said.reason().as_str() {
        reason if A_TRADE_EXISTS.contains(&reason) => Ok(Evidence::RefusedTradeExists(said.refusal())),
        reason if is_definite(reason) => Ok(Evidence::Refused(said.refusal())),
        _ => Err(said.unclear()),
    }
}

fn is_definite(reason: &str) -> bool {
    NOTHING_WAS_MADE.contains(&reason)
        || THE_BUYER_CANNOT_PAY.contains(&reason)
        || FAMILIES.iter().any(|family| reason.starts_with(family))
}
