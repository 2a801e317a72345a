//! The seam to a payment channel. Every method may be called again: it is the number that makes it one payment.

use futures_util::future::LocalBoxFuture;
use yidan_alipay::{
    AnswerError, Bill, BillAnswer, BillDay, FetchError, Notice, NoticeError, PayOrder, RefundHint, RefundOrder,
    RefundOutcome, RefundQueryOutcome, RefundQuestion, RefundStatement,
};
use yidan_payment::{Account, Evidence, Fen, GatewayError, NoRefund, OutTradeNo, PrecreateOrder, Proof, Statement};

/// A notice that the channel sent by itself, its signature checked.
#[derive(Clone, Debug)]
pub struct SignedNotice {
    /// Whose number.
    pub out_trade_no: OutTradeNo,
    /// What it says, as far as this program understands it.
    pub evidence: Option<Evidence>,
    /// What it says about refunds, if one caused it.
    pub refund: Option<RefundHint>,
    /// The text and its signature.
    pub proof: Proof,
}

/// What came is no notice for us: nobody's word.
#[derive(Debug, thiserror::Error)]
#[error("this is no notice of ours")]
pub struct NotOurNotice(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A verified statement, or why there is none.
pub type Answer<'a> = LocalBoxFuture<'a, Result<Statement, GatewayError>>;

/// A day's bill, or why there is none.
pub type BillFetched<'a> = LocalBoxFuture<'a, Result<BillAnswer<Bill>, FetchError>>;

/// What the engine needs of a payment channel. Only verified statements come back as `Ok`.
pub trait Gateway {
    /// Whose answers these are.
    fn account(&self) -> Account;
    /// The exact text to send for an order. Pure: it is written down before it is sent.
    fn precreate_body(&self, order: &PrecreateOrder) -> String;
    /// Registers an order and asks for a code. The same text may be sent again.
    fn precreate<'a>(&'a self, out_trade_no: &'a OutTradeNo, body: &'a str) -> Answer<'a>;
    /// Asks for the trade.
    fn query<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a>;
    /// Asks to close the trade. Never moves money.
    fn close<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a>;
    /// Gives money back. The same number and amount may be sent again: it is refunded once. Tells `RefundMoved`,
    /// `RefundAccepted` or `RefundRefused`.
    fn refund<'a>(&'a self, order: &'a RefundOrder) -> Answer<'a>;
    /// Asks whether a refund moved money. Tells `RefundedOurs`, whoever made it, or `NotRefunded`.
    fn refund_query<'a>(&'a self, question: &'a RefundQuestion) -> Answer<'a>;
    /// Collects with a buyer's code. The one call that must never be sent twice.
    fn pay<'a>(&'a self, order: &'a PayOrder) -> Answer<'a>;
    /// Undoes a payment-code trade whose result is unknown: closes it, or refunds all of it if it was paid. Never used for
    /// a QR code, since it moves money: there `close` is enough.
    fn cancel<'a>(&'a self, out_trade_no: &'a OutTradeNo, amount: Fen) -> Answer<'a>;
    /// Checks and reads the body of a notice. Asks nothing, except for a certificate that is not known yet.
    fn read_notice<'a>(&'a self, body: &'a [u8]) -> LocalBoxFuture<'a, Result<SignedNotice, NotOurNotice>>;
    /// Fetches the bill of a day. A channel without bills has none ready.
    fn fetch_bill(&self, _day: BillDay) -> BillFetched<'_> {
        Box::pin(std::future::ready(Ok(BillAnswer::NotReady(None))))
    }
    /// Whether the channel has bills at all.
    fn gives_bills(&self) -> bool {
        false
    }
    /// The merchant's number with the channel, which its bills carry.
    fn seller_id(&self) -> Option<String> {
        None
    }
}

impl Gateway for yidan_alipay::Client {
    fn account(&self) -> Account {
        yidan_alipay::Client::account(self)
    }

    fn precreate_body(&self, order: &PrecreateOrder) -> String {
        yidan_alipay::Client::precreate_body(self, order)
    }

    fn precreate<'a>(&'a self, out_trade_no: &'a OutTradeNo, body: &'a str) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::precreate(self, out_trade_no, body))
    }

    fn query<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::query(self, out_trade_no))
    }

    fn close<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::close(self, out_trade_no))
    }

    fn refund<'a>(&'a self, order: &'a RefundOrder) -> Answer<'a> {
        Box::pin(async move {
            let told = yidan_alipay::Client::refund(self, order).await?;
            let out_request_no = order.out_request_no.clone();
            let evidence = match told.outcome.clone() {
                RefundOutcome::Moved(fact) => Evidence::RefundMoved(fact),
                RefundOutcome::NothingMoved => Evidence::RefundAccepted { out_request_no },
                RefundOutcome::Refused(refusal) => Evidence::RefundRefused { out_request_no, refusal },
            };
            Ok(stated(told, evidence))
        })
    }

    fn refund_query<'a>(&'a self, question: &'a RefundQuestion) -> Answer<'a> {
        Box::pin(async move {
            let told = yidan_alipay::Client::refund_query(self, question).await?;
            let (out_request_no, asked_at) = (question.out_request_no.clone(), told.asked_at);
            let evidence = match told.outcome.clone() {
                RefundQueryOutcome::Refunded(fact) => Evidence::RefundedOurs(fact),
                RefundQueryOutcome::NotRefunded { stated: None } | RefundQueryOutcome::NoTrade(_) => {
                    Evidence::NotRefunded(NoRefund { out_request_no, asked_at })
                }
                RefundQueryOutcome::NotRefunded { stated: Some(_) } => {
                    return Err(GatewayError::Unanswered(Box::new(NeitherYesNorNo)));
                }
            };
            Ok(stated(told, evidence))
        })
    }

    fn pay<'a>(&'a self, order: &'a PayOrder) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::pay(self, order))
    }

    fn cancel<'a>(&'a self, out_trade_no: &'a OutTradeNo, amount: Fen) -> Answer<'a> {
        Box::pin(yidan_alipay::Client::cancel(self, out_trade_no, amount))
    }

    fn read_notice<'a>(&'a self, body: &'a [u8]) -> LocalBoxFuture<'a, Result<SignedNotice, NotOurNotice>> {
        Box::pin(async move {
            let notice = read_with_certificate(self, body).await.map_err(|error| NotOurNotice(Box::new(error)))?;
            let out_trade_no = notice.out_trade_no().ok_or_else(|| NotOurNotice("it has no number".into()))?;
            Ok(SignedNotice {
                out_trade_no,
                evidence: notice.evidence().ok(),
                refund: notice.refund(),
                proof: notice.proof().clone(),
            })
        })
    }

    fn fetch_bill(&self, day: BillDay) -> BillFetched<'_> {
        Box::pin(yidan_alipay::Client::fetch_bill(self, day))
    }

    fn gives_bills(&self) -> bool {
        true
    }

    fn seller_id(&self) -> Option<String> {
        self.merchant().seller_id
    }
}

/// A refund query that states an amount and not that it went back.
#[derive(Debug, thiserror::Error)]
#[error("the gateway names the refund's amount and does not say that it went back")]
struct NeitherYesNorNo;

fn stated<Outcome>(told: RefundStatement<Outcome>, evidence: Evidence) -> Statement {
    let RefundStatement { proof, asked_at, answered_at, .. } = told;
    Statement { evidence, proof, asked_at, answered_at }
}

/// Alipay renews its certificates: one that is not known yet is fetched, and then it must fit.
async fn read_with_certificate(client: &yidan_alipay::Client, body: &[u8]) -> Result<Notice, NoticeError> {
    let merchant = client.merchant();
    match Notice::read(body, &merchant) {
        Err(NoticeError::NotSigned(AnswerError::UnknownCertificate(sn))) => {
            if let Err(error) = client.learn_certificate(&sn).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "a certificate could not be fetched");
            }
            Notice::read(body, &client.merchant())
        }
        read => read,
    }
}
