//! `/gateway.do`: reads a request, carries it out, answers signed. Where a fault is waiting, it strikes.
//!
//! The effect is durable before the first byte of the answer exists.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, Response, header};

use crate::answer::{Answer, body, root_of};
use crate::calls;
use crate::charset::Charset;
use crate::config::GatewayErrors;
use crate::damage;
use crate::platform::Platform;
use crate::request::{Call, Expected, Parameters, Rejection};
use crate::signature::SignType;

/// Answers one gateway call, however it was placed: GET or POST, query string or form.
pub async fn answer(State(platform): State<Arc<Platform>>, RawQuery(query): RawQuery, form: Bytes) -> Response<Body> {
    let parameters = Parameters::read(query.unwrap_or_default().as_bytes(), &form);
    let settings = platform.settings();
    let expected = Expected {
        app_id: &platform.merchant.app_id,
        app_key: &platform.app_public_key,
        app_cert_sn: &platform.certificates.app_sn,
        root_cert_sn: &platform.certificates.root_sn,
        methods: calls::METHODS,
        now: platform.clock.now(),
        check_timestamp: settings.check_timestamp,
    };
    match parameters.check(&expected) {
        Ok(call) => carry_out(&platform, &call).await,
        Err(rejection) => reject(&platform, &parameters, &rejection, settings.gateway_errors),
    }
}

async fn carry_out(platform: &Platform, call: &Call) -> Response<Body> {
    let number = call.biz.text("out_trade_no").or_else(|| call.biz.text("trade_no"));
    if let Some(number) = &number {
        platform.count_call(number, &call.method);
    }
    let fault = platform.faults.take(&call.method);
    tracing::info!(method = call.method, out_trade_no = number, ?fault, "call");
    let answer = match fault.and_then(|kind| damage::instead(kind, &call.method)) {
        Some(answer) => answer,
        None => effect(platform, call),
    };
    match fault {
        Some(kind) => damage::on_the_way(platform, call, answer, kind).await,
        None => deliver(platform, call, &answer),
    }
}

fn effect(platform: &Platform, call: &Call) -> Answer {
    platform.turn(|turn| calls::carry_out(turn, call)).unwrap_or_else(|cause| {
        tracing::error!(%cause, method = call.method, "the ledger cannot be used");
        damage::service_unavailable()
    })
}

/// What Alipay answers below its gateway, as when a base URL is set wrongly: 200 with nothing in it.
pub async fn nothing() -> Response<Body> {
    page(Charset::Gbk, Vec::new())
}

/// The undamaged answer.
pub fn deliver(platform: &Platform, call: &Call, answer: &Answer) -> Response<Body> {
    let object = answer.object(call.charset);
    sealed(platform, call, &object, &object)
}

/// An answer whose signature belongs to `signed`, which is `object` unless somebody tampered.
pub fn sealed(platform: &Platform, call: &Call, object: &[u8], signed: &[u8]) -> Response<Body> {
    let signer = platform.signer(call.is_cert_mode);
    let sign = signer.sign(call.sign_type, signed);
    page(call.charset, body(&root_of(&call.method), object, signer.cert_sn.as_deref(), Some(&sign)))
}

fn reject(
    platform: &Platform,
    parameters: &Parameters,
    rejection: &Rejection,
    wording: GatewayErrors,
) -> Response<Body> {
    tracing::info!(sub_code = rejection.sub_code, "rejected");
    let charset = parameters.charset().unwrap_or(Charset::Utf8);
    let object = Answer::from(rejection).object(charset);
    let whole = match (wording, parameters.ascii("method")) {
        (GatewayErrors::SignedResponse, Some(method)) => {
            let sign_type = parameters.ascii("sign_type").and_then(SignType::read);
            let signer = platform.signer(parameters.is_cert_mode());
            let sign = signer.sign(sign_type.unwrap_or(SignType::Rsa2), &object);
            body(&root_of(method), &object, signer.cert_sn.as_deref(), Some(&sign))
        }
        (GatewayErrors::SignedResponse, None) | (GatewayErrors::Unsigned, _) => {
            body("error_response", &object, None, None)
        }
    };
    page(charset, whole)
}

/// Alipay sends its JSON as `text/html`, always with HTTP 200 and a `trace_id`.
pub fn page(charset: Charset, whole: Vec<u8>) -> Response<Body> {
    let content_type = match charset {
        Charset::Utf8 => "text/html;charset=utf-8",
        Charset::Gbk => "text/html;charset=GBK",
    };
    let trace_id = HeaderValue::from_str(&format!("{:032x}", rand::random::<u128>()))
        .expect("hex digits are a valid header value");
    let mut response = Response::new(Body::from(whole));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert("trace_id", trace_id);
    response
}
