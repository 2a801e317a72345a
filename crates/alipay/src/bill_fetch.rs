//! `alipay.data.dataservice.bill.downloadurl.query`, and the download behind it.
//!
//! A bill is made the next morning, about nine. Its address is good for 30 seconds, so it is used at once and never kept.

use crate::{
    answer::AnswerError,
    bill::{Bill, BillError},
    bill_day::BillDay,
    call::Call,
    client::{Client, Told},
    gateway_url::is_loopback,
    said::{Said, Verdict},
};
use reqwest::Url;
use serde_json::json;
use std::fmt;
use yidan_payment::{GatewayError, Refusal};

/// Where Alipay keeps bills.
const OFFICIAL_DOMAINS: &[&str] = &[".alipay.com", ".alipaydev.com"];

/// The zip of a million rows is smaller.
const LONGEST_ARCHIVE: usize = 128 << 20;

/// What the gateway has for a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BillAnswer<Ready> {
    /// There is a bill.
    Ready(Ready),
    /// The gateway says that nothing happened that day. Believe it only if our own books say the same.
    NoTrades,
    /// Not made yet, or never: the gateway says the same for both. Ask again until noon.
    NotReady(Option<Refusal>),
    /// The question is wrong, or the account may not ask it.
    Refused(Refusal),
}

/// A bill that could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The gateway did not tell.
    #[error("the gateway did not say where the bill is")]
    Gateway(#[source] GatewayError),
    /// The download failed, twice.
    #[error("the bill could not be downloaded")]
    Download(#[source] AnswerError),
    /// It came and is refused.
    #[error("the bill is refused")]
    Bill(#[source] BillError),
}

/// Where a bill can be fetched for 30 seconds. Its text is a secret: whoever knows it needs no key.
#[derive(Clone, PartialEq, Eq)]
pub struct BillUrl(Url);

impl BillUrl {
    /// Accepts only Alipay's hosts, and this computer's if the gateway is on it. http becomes https.
    pub(crate) fn check(text: &str, is_demo: bool) -> Option<BillUrl> {
        let mut url = Url::parse(text).ok()?;
        if is_demo {
            return is_loopback(&url).then_some(BillUrl(url));
        }
        let is_official = url.host_str().is_some_and(|host| OFFICIAL_DOMAINS.iter().any(|end| host.ends_with(end)));
        url.set_scheme("https").ok()?;
        (is_official && url.username().is_empty() && url.port().is_none()).then_some(BillUrl(url))
    }
}

impl fmt::Debug for BillUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BillUrl({}…)", self.0.host_str().unwrap_or_default())
    }
}

impl Client {
    /// Fetches the bill of a day. A day that is not over in Beijing is not asked about.
    ///
    /// # Errors
    /// See [`FetchError`]. A download that fails, as one does after 30 seconds, is tried once more at a new address.
    pub async fn fetch_bill(&self, day: BillDay) -> Result<BillAnswer<Bill>, FetchError> {
        if day >= BillDay::of(self.now()) {
            return Ok(BillAnswer::NotReady(None));
        }
        match self.try_bill(day).await {
            Err(FetchError::Download(_) | FetchError::Bill(BillError::NotABill)) => self.try_bill(day).await,
            done @ (Ok(_) | Err(FetchError::Gateway(_) | FetchError::Bill(_))) => done,
        }
    }

    async fn try_bill(&self, day: BillDay) -> Result<BillAnswer<Bill>, FetchError> {
        let url = match self.bill_url(day).await.map_err(FetchError::Gateway)? {
            BillAnswer::Ready(url) => url,
            BillAnswer::NoTrades => return Ok(BillAnswer::NoTrades),
            BillAnswer::NotReady(refusal) => return Ok(BillAnswer::NotReady(refusal)),
            BillAnswer::Refused(refusal) => return Ok(BillAnswer::Refused(refusal)),
        };
        let archive = self.download(&url.0, LONGEST_ARCHIVE).await.map_err(FetchError::Download)?;
        let bill = Bill::read_archive(&archive).map_err(FetchError::Bill)?;
        bill.check_day(day).map_err(FetchError::Bill)?;
        self.seller_id().map_or(Ok(()), |seller_id| bill.check_account(seller_id)).map_err(FetchError::Bill)?;
        Ok(BillAnswer::Ready(bill))
    }

    async fn bill_url(&self, day: BillDay) -> Result<BillAnswer<BillUrl>, GatewayError> {
        let body = json!({ "bill_type": "trade", "bill_date": day.to_string() }).to_string();
        let is_demo = self.is_demo();
        self.ask(Call::BillUrl, &body, |said, _| read_bill_answer(said, is_demo)).await.map(Told::into_what)
    }
}

/// What an answer means. Only a checked signature counts. Alipay's older and newer names, and its own misspelling, are all
/// in use.
pub(crate) fn read_bill_answer(said: &Said, is_demo: bool) -> Result<BillAnswer<BillUrl>, AnswerError> {
    match (said.verdict(), said.signed) {
        (Verdict::Done, true) if said.text("bill_file_code") == Some("EMPTY_DATA_WITH_BILL_FILE") => {
            Ok(BillAnswer::NoTrades)
        }
        (Verdict::Done, true) => {
            let missing = AnswerError::Missing("bill_download_url");
            let url = said.text("bill_download_url").and_then(|text| BillUrl::check(text, is_demo));
            url.map(BillAnswer::Ready).ok_or(missing)
        }
        (Verdict::BusinessNo, true) => read_refusal(said),
        (Verdict::SetUpNo, true) => Ok(BillAnswer::Refused(said.refusal())),
        (Verdict::Done | Verdict::BusinessNo | Verdict::SetUpNo, false)
        | (Verdict::BuyerMustConfirm | Verdict::Limited | Verdict::Unknown, true | false) => Err(said.unclear()),
    }
}

fn read_refusal(said: &Said) -> Result<BillAnswer<BillUrl>, AnswerError> {
    match said.reason().as_str() {
        "NO_BILL_DATA" => Ok(BillAnswer::NoTrades),
        "BILL_NOT_EXIST" => Ok(BillAnswer::NotReady(Some(said.refusal()))),
        "SYSTEM_RATE_LIMIT" | "USER_RATE_LIMIT" => Err(AnswerError::Limited),
        "INVAILID_ARGUMENTS" | "INVALID_ARGUMENTS" | "BILL_DATE_BEFORE_REGISTRATION" | "TYPE_NOT_SUPPORTED" => {
            Ok(BillAnswer::Refused(said.refusal()))
        }
        _ => Err(said.unclear()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(node: &str, signed: bool) -> &'static str {
        match read_bill_answer(&Said::read(node, signed).unwrap(), false) {
            Ok(BillAnswer::Ready(_)) => "ready",
            Ok(BillAnswer::NoTrades) => "no trades",
            Ok(BillAnswer::NotReady(_)) => "not ready",
            Ok(BillAnswer::Refused(_)) => "refused",
            Err(AnswerError::Limited) => "limited",
            Err(_) => "unknown",
        }
    }

    #[test]
    fn every_answer_and_what_it_means() {
        let yes = |rest: &str| format!(r#"{{"code":"10000","msg":"Success"{rest}}}"#);
        let no = |sub: &str| format!(r#"{{"code":"40004","sub_code":"{sub}"}}"#);
        for (node, expected) in [
            (yes(r#","bill_download_url":"http:\/\/dwbillcenter.alipay.com\/a?token=b""#), "ready"),
            (yes(r#","bill_download_url":"https://evil.example/a""#), "unknown"),
            (yes(r#","bill_download_url":"x","bill_file_code":"EMPTY_DATA_WITH_BILL_FILE""#), "no trades"),
            (yes(""), "unknown"),
            (no("NO_BILL_DATA"), "no trades"),
            (no("isp.bill_not_exist"), "not ready"),
            (no("isv.bill-not-exist"), "not ready"),
            (no("BILL_NOT_EXIST"), "not ready"),
            (no("INVAILID_ARGUMENTS"), "refused"),
            (no("isv.invalid_arguments"), "refused"),
            (no("USER_RATE_LIMIT"), "limited"),
            (no("UNKNOWN_ERROR"), "unknown"),
            (no("NEVER_HEARD_OF"), "unknown"),
            (r#"{"code":"20000","sub_code":"isp.unknow-error"}"#.into(), "unknown"),
        ] {
            assert_eq!((outcome(&node, true), outcome(&node, false)), (expected, "unknown"), "{node}");
        }
    }

    #[test]
    fn a_bills_address_does_not_show() {
        let url = BillUrl::check("http://dwbillcenter.alipay.com/a?token=secret", false).unwrap();
        assert_eq!(url.0.scheme(), "https");
        assert!(!format!("{url:?}").contains("secret"));
        assert!(BillUrl::check("http://127.0.0.1:1/a", false).is_none());
        assert!(BillUrl::check("https://alipay.com.evil.example/a", false).is_none());
    }
}
