//! Words an answer the way Alipay does: compact JSON, slashes escaped, code first, the signature after the object.

use serde_json::Value;

use crate::charset::Charset;
use crate::request::Rejection;

/// The business part of an answer, members in the order they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub code: &'static str,
    pub msg: &'static str,
    pub sub: Option<(String, String)>,
    pub members: Vec<(&'static str, Value)>,
}

impl Answer {
    pub fn success() -> Self {
        Self { code: "10000", msg: "Success", sub: None, members: Vec::new() }
    }

    /// 40004 with Alipay's sub code, spelled in full (`ACQ.…`).
    pub fn refused(sub_code: &str, sub_msg: &str) -> Self {
        Self::failed("40004", "Business Failed", sub_code, sub_msg)
    }

    pub fn failed(code: &'static str, msg: &'static str, sub_code: &str, sub_msg: &str) -> Self {
        Self { code, msg, sub: Some((sub_code.to_owned(), sub_msg.to_owned())), members: Vec::new() }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.members.push((name, value.into()));
        self
    }

    /// Adds a member only if there is a value.
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Replaces a member that is there already; otherwise does nothing.
    pub fn replace(&mut self, name: &str, value: impl Into<Value>) {
        if let Some(member) = self.members.iter_mut().find(|(known, _)| *known == name) {
            member.1 = value.into();
        }
    }

    /// The object whose exact bytes are signed.
    pub fn object(&self, charset: Charset) -> Vec<u8> {
        let mut parts = vec![member("code", &self.code.into()), member("msg", &self.msg.into())];
        if let Some((sub_code, sub_msg)) = &self.sub {
            parts.push(member("sub_code", &sub_code.as_str().into()));
            parts.push(member("sub_msg", &sub_msg.as_str().into()));
        }
        parts.extend(self.members.iter().map(|(name, value)| member(name, value)));
        charset.encode_json(&format!("{{{}}}", parts.join(",")))
    }
}

impl From<&Rejection> for Answer {
    fn from(rejection: &Rejection) -> Self {
        Self::failed(rejection.code, rejection.msg, rejection.sub_code, &rejection.sub_msg)
    }
}

/// `alipay.trade.query` is answered under `alipay_trade_query_response`.
pub fn root_of(method: &str) -> String {
    format!("{}_response", method.replace('.', "_"))
}

/// Puts object, certificate number and signature into one body, in the only order every SDK understands.
pub fn body(root: &str, object: &[u8], cert_sn: Option<&str>, sign: Option<&str>) -> Vec<u8> {
    let mut body = format!("{{\"{root}\":").into_bytes();
    body.extend_from_slice(object);
    if let Some(cert_sn) = cert_sn {
        body.extend_from_slice(format!(",\"alipay_cert_sn\":\"{cert_sn}\"").as_bytes());
    }
    if let Some(sign) = sign {
        body.extend_from_slice(format!(",\"sign\":\"{sign}\"").as_bytes());
    }
    body.push(b'}');
    body
}

/// A slash can only stand inside a JSON string, so escaping the whole text is right.
fn member(name: &str, value: &Value) -> String {
    format!("\"{name}\":{}", value.to_string().replace('/', "\\/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_compact_ordered_and_escapes_slashes() {
        let answer = Answer::success().with("qr_code", "https://qr.alipay.com/bax1");
        let object = answer.object(Charset::Utf8);
        assert_eq!(
            String::from_utf8(object.clone()).unwrap(),
            r#"{"code":"10000","msg":"Success","qr_code":"https:\/\/qr.alipay.com\/bax1"}"#
        );
        let whole = body("a_response", &object, Some("sn"), Some("x="));
        assert!(whole.ends_with(br#"},"alipay_cert_sn":"sn","sign":"x="}"#));
    }
}
