//! A request, signed and ready to send.
//!
//! As Alipay's Node SDK does it: the common parameters and `sign` in the query string, `biz_content` in the form body. So
//! `charset` stands in the URL, by which the gateway decodes the body. An empty value is neither signed nor sent.

use crate::{beijing::beijing_text, call::Call, settings::Settings, signature::string_to_sign, trust::Trust};
use reqwest::Url;
use yidan_payment::UtcMs;

pub(crate) const CONTENT_TYPE: &str = "application/x-www-form-urlencoded;charset=utf-8";

/// What goes over the wire.
pub(crate) struct Request {
    /// The address with the signed query.
    pub url: Url,
    /// The form body.
    pub body: String,
}

/// Signs one call. `now` is by the clock corrected to the gateway's.
pub(crate) fn sign_request(settings: &Settings, call: Call, biz_content: &str, now: UtcMs) -> Request {
    let timestamp = beijing_text(now);
    let notify_url = settings.notify_url.as_deref().filter(|_| call.carries_notify_url()).unwrap_or_default();
    let (app_cert_sn, root_cert_sn) = certificate_numbers(&settings.trust);
    let query = [
        ("alipay_root_cert_sn", root_cert_sn.as_str()),
        ("app_cert_sn", app_cert_sn.as_str()),
        ("app_id", settings.app_id.as_str()),
        ("charset", "utf-8"),
        ("format", "JSON"),
        ("method", call.method()),
        ("notify_url", notify_url),
        ("sign_type", "RSA2"),
        ("timestamp", timestamp.as_str()),
        ("version", "1.0"),
    ];
    let signed = string_to_sign(query.into_iter().chain([("biz_content", biz_content)]));
    let sign = settings.app_key.sign(signed.as_bytes());
    let mut url = settings.gateway.url().clone();
    url.query_pairs_mut()
        .extend_pairs(query.into_iter().filter(|(_, value)| !value.is_empty()))
        .append_pair("sign", &sign);
    let body = form_urlencoded::Serializer::new(String::new()).append_pair("biz_content", biz_content).finish();
    Request { url, body }
}

/// What certificate mode adds: the numbers of the app's certificate and of Alipay's roots. Empty in key mode.
fn certificate_numbers(trust: &Trust) -> (String, String) {
    match trust {
        Trust::Keys(_) => (String::new(), String::new()),
        Trust::Certificates(certificates) => {
            let app = certificates.app().map(|app| app.sn().to_owned()).unwrap_or_default();
            (app, certificates.root_sn())
        }
    }
}
