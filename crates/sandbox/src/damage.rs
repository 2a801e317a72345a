//! What faults do to a call: keep it from being carried out, or spoil its answer on the way.

use std::time::Duration;

use axum::body::Body;
use axum::http::Response;

use crate::answer::{Answer, body, root_of};
use crate::calls::{CANCEL, REFUND};
use crate::charset::Charset;
use crate::fault::FaultKind;
use crate::gateway::{deliver, page, sealed};
use crate::money::yuan;
use crate::platform::Platform;
use crate::request::Call;
use crate::serve::{Cut, NoDate};

/// The answer of a call that is *not* carried out. `None`: the fault lets the call have its effect.
pub fn instead(kind: FaultKind, method: &str) -> Option<Answer> {
    match kind {
        FaultKind::RetryFlagY if method == CANCEL => Some(Answer::success().with("retry_flag", "Y")),
        FaultKind::FundChangeN if method == REFUND => Some(Answer::success().with("fund_change", "N")),
        FaultKind::SystemErrorBefore | FaultKind::RetryFlagY | FaultKind::FundChangeN => Some(system_error(method)),
        FaultKind::Unavailable20000 | FaultKind::DropBefore => Some(service_unavailable()),
        FaultKind::Limited40005 => {
            Some(Answer::failed("40005", "Call Limited", "isv.app-call-limited", "应用调用次数超限"))
        }
        FaultKind::LoseAnswer
        | FaultKind::Delay(_)
        | FaultKind::SystemErrorAfter
        | FaultKind::BadSignature
        | FaultKind::TamperedBody
        | FaultKind::EmptyOk
        | FaultKind::GbkHtml
        | FaultKind::Unsigned
        | FaultKind::WrongAmount(_)
        | FaultKind::NoDateHeader => None,
    }
}

/// Sends the answer through the fault.
pub async fn on_the_way(platform: &Platform, call: &Call, answer: Answer, kind: FaultKind) -> Response<Body> {
    match kind {
        FaultKind::LoseAnswer | FaultKind::DropBefore => marked(Response::default(), Cut),
        FaultKind::Delay(ms) => {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            deliver(platform, call, &answer)
        }
        FaultKind::Unavailable20000
        | FaultKind::SystemErrorBefore
        | FaultKind::Limited40005
        | FaultKind::RetryFlagY
        | FaultKind::FundChangeN => deliver(platform, call, &answer),
        FaultKind::SystemErrorAfter => deliver(platform, call, &system_error(&call.method)),
        FaultKind::BadSignature => badly_signed(platform, call, &answer),
        FaultKind::TamperedBody => tampered(platform, call, &answer),
        FaultKind::EmptyOk => page(Charset::Gbk, Vec::new()),
        FaultKind::GbkHtml => error_page(),
        FaultKind::Unsigned => unsigned(call, &answer),
        FaultKind::WrongAmount(fen) => deliver(platform, call, &with_total(answer, fen)),
        FaultKind::NoDateHeader => marked(deliver(platform, call, &answer), NoDate),
    }
}

/// 20000: nobody knows whether anything was done.
pub fn service_unavailable() -> Answer {
    Answer::failed("20000", "Service Currently Unavailable", "isp.unknow-error", "系统繁忙")
}

/// `cancel` spells it `AQC`, and so do we.
fn system_error(method: &str) -> Answer {
    let sub_code = if method == CANCEL { "AQC.SYSTEM_ERROR" } else { "ACQ.SYSTEM_ERROR" };
    Answer::refused(sub_code, "系统异常")
}

fn with_total(mut answer: Answer, fen: i64) -> Answer {
    answer.replace("total_amount", yuan(fen));
    answer
}

fn badly_signed(platform: &Platform, call: &Call, answer: &Answer) -> Response<Body> {
    sealed(platform, call, &answer.object(call.charset), b"another text")
}

fn tampered(platform: &Platform, call: &Call, answer: &Answer) -> Response<Body> {
    sealed(platform, call, &lie(answer).object(call.charset), &answer.object(call.charset))
}

/// What a thief on the line would want the cashier to read.
fn lie(answer: &Answer) -> Answer {
    let mut lie = answer.clone();
    lie.code = "10000";
    lie.msg = "Success";
    lie.sub = None;
    lie.replace("trade_status", "TRADE_SUCCESS");
    lie.with("tampered", "true")
}

fn unsigned(call: &Call, answer: &Answer) -> Response<Body> {
    let object = answer.object(call.charset);
    page(call.charset, body(&root_of(&call.method), &object, None, None))
}

fn error_page() -> Response<Body> {
    let html = "<html><head><title>支付宝</title></head><body>系统繁忙，请稍后再试</body></html>";
    page(Charset::Gbk, Charset::Gbk.encode_text(html))
}

fn marked<M: Clone + Send + Sync + 'static>(mut response: Response<Body>, mark: M) -> Response<Body> {
    response.extensions_mut().insert(mark);
    response
}
