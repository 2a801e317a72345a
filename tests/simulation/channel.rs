//! The gateway as a counter's program reaches it: sends, waits, verifies, and says that nothing is known.

use crate::gateway::{Label, write_body};
use crate::machine::Machine;
use crate::notices::read_body;
use crate::phone_codes::WithCode;
use crate::seal;
use crate::wire::{Ask, Call, Reply, Said, What};
use futures_util::future::{Either, LocalBoxFuture, select};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use yidan_alipay::RefundHint;
use yidan_engine::{Answer, Gateway, GatewayClock, NotOurNotice, PayOrder, RefundOrder, RefundQuestion, SignedNotice};
use yidan_payment::{
    Account, Evidence, Fen, GatewayError, NoRefund, NoTrade, OutTradeNo, PrecreateOrder, Proof, Source, Statement,
    UtcMs,
};

/// Longer nobody waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The gateway as a counter's program reaches it.
pub struct Channel {
    /// The computer.
    pub machine: Rc<Machine>,
    /// Told the date of every answer.
    pub clock: Rc<GatewayClock>,
    /// Whose answers these are.
    pub account: Account,
}

impl Channel {
    async fn exchange(&self, number: &OutTradeNo, ask: Ask, source: Source) -> Result<Statement, GatewayError> {
        let asked_at = self.clock.now();
        let (reply, answer) = oneshot::channel();
        let call = Call { ask, account: self.account.0.clone(), number: number.to_string() };
        self.machine.send(What::Call { call, reply });
        let answered = match select(answer, self.machine.rest(PATIENCE)).await {
            Either::Left((Ok(reply), _)) => Some(reply),
            // It was lost on the way: nobody knows that before the time is over.
            Either::Left((Err(_), silence)) => {
                silence.await;
                None
            }
            Either::Right(((), _)) => None,
        };
        let Some(Reply { date, said }) = answered else { return Err(unanswered("no answer in time")) };
        if let Some(date) = date {
            self.clock.learn(date);
        }
        let (text, signature) = match said {
            Said::Signed { text, signature } => (text, signature),
            Said::Unavailable => return Err(unanswered("the gateway says that it does not know")),
            Said::Limited => return Err(GatewayError::Limited),
        };
        let Some(evidence) = seal::read(&text, Some(&signature), number.as_str()) else {
            return Err(unanswered("the signature does not hold"));
        };
        let proof = Proof { source, text, signature: Some(signature), cert_sn: None };
        Ok(Statement { evidence: with_moments(evidence, asked_at, date), proof, asked_at, answered_at: date })
    }
}

/// When "no such trade" was true, the caller knows best.
fn with_moments(evidence: Evidence, asked_at: UtcMs, answered_at: Option<UtcMs>) -> Evidence {
    if let Evidence::NoTrade(_) = evidence {
        return Evidence::NoTrade(NoTrade { asked_at, answered_at });
    }
    if let Evidence::NotRefunded(answer) = evidence {
        return Evidence::NotRefunded(NoRefund { asked_at, ..answer });
    }
    evidence
}

fn unanswered(why: &str) -> GatewayError {
    GatewayError::Unanswered(why.into())
}

impl Gateway for Channel {
    fn account(&self) -> Account {
        self.account.clone()
    }

    fn precreate_body(&self, order: &PrecreateOrder) -> String {
        write_body(order)
    }

    fn precreate<'a>(&'a self, out_trade_no: &'a OutTradeNo, body: &'a str) -> Answer<'a> {
        Box::pin(self.exchange(out_trade_no, Ask::Precreate(body.to_owned()), Source::Precreate))
    }

    fn query<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(self.exchange(out_trade_no, Ask::Query, Source::Query))
    }

    fn close<'a>(&'a self, out_trade_no: &'a OutTradeNo) -> Answer<'a> {
        Box::pin(self.exchange(out_trade_no, Ask::Close, Source::Close))
    }

    fn refund<'a>(&'a self, order: &'a RefundOrder) -> Answer<'a> {
        let (trade_no, number) = (order.trade_no.clone(), order.out_request_no.clone());
        let ask = Ask::Refund { trade_no, number, amount: order.amount };
        Box::pin(self.exchange(&order.out_trade_no, ask, Source::Refund))
    }

    fn refund_query<'a>(&'a self, question: &'a RefundQuestion) -> Answer<'a> {
        let (trade_no, number) = (question.trade_no.clone(), question.out_request_no.clone());
        let ask = Ask::RefundQuery { trade_no, number };
        Box::pin(self.exchange(&question.out_trade_no, ask, Source::RefundQuery))
    }

    fn pay<'a>(&'a self, order: &'a PayOrder) -> Answer<'a> {
        let life = Duration::from_secs(u64::from(order.timeout_minutes) * 60);
        let code = order.auth_code.secret().to_owned();
        let label = Label { terminal_id: order.terminal_id.clone(), subject: order.subject.clone() };
        let ask = Ask::Pay(WithCode { amount: order.amount, code, life, label });
        Box::pin(self.exchange(&order.out_trade_no, ask, Source::Pay))
    }

    fn cancel<'a>(&'a self, out_trade_no: &'a OutTradeNo, _amount: Fen) -> Answer<'a> {
        Box::pin(self.exchange(out_trade_no, Ask::Cancel, Source::Cancel))
    }

    fn read_notice<'a>(&'a self, body: &'a [u8]) -> LocalBoxFuture<'a, Result<SignedNotice, NotOurNotice>> {
        let read = std::str::from_utf8(body).ok().and_then(|body| read_body(body, &self.account.0));
        let notice = read.and_then(|said| {
            let (source, text, signature) = (Source::Notify, said.text.to_owned(), Some(said.signature.to_owned()));
            let proof = Proof { source, text, signature, cert_sn: None };
            let out_trade_no = OutTradeNo::new(said.number).ok()?;
            let refund =
                said.refund.map(|number| RefundHint { out_request_no: Some(number.into()), refunded_in_all: None });
            Some(SignedNotice { out_trade_no, evidence: Some(said.evidence), refund, proof })
        });
        Box::pin(std::future::ready(notice.ok_or_else(|| NotOurNotice("not signed, or not for us".into()))))
    }
}
