//! Reads a gateway request as it came over the wire and decides whether it may be carried out.
//!
//! Query string and form body are merged. The signature is checked over the raw bytes of the values, before they are
//! decoded into text, so the JSON inside `biz_content` may be written in any way. Nothing is carried out here.

use rsa::PublicKey;

use crate::biz::Biz;
use crate::charset::Charset;
use crate::clock::{Millis, read_beijing};
use crate::signature::{SignType, is_signed_by, text_to_sign};

/// How far `timestamp` may be off when that is checked at all. Alipay publishes no figure.
const TIMESTAMP_TOLERANCE_MS: Millis = 600_000;

/// The parameters of one request, names decoded, values as raw bytes.
#[derive(Debug)]
pub struct Parameters {
    pairs: Vec<(String, Vec<u8>)>,
}

/// A request that passed every check.
#[derive(Debug)]
pub struct Call {
    pub method: String,
    pub charset: Charset,
    pub sign_type: SignType,
    /// Whether the call carries certificate numbers and wants one back.
    pub is_cert_mode: bool,
    pub notify_url: Option<String>,
    pub biz: Biz,
}

/// A refusal by the gateway itself, before any business rule was asked.
#[derive(Debug, PartialEq, Eq)]
pub struct Rejection {
    pub code: &'static str,
    pub msg: &'static str,
    pub sub_code: &'static str,
    pub sub_msg: String,
}

/// What a request is checked against.
pub struct Expected<'a> {
    pub app_id: &'a str,
    pub app_key: &'a PublicKey,
    pub app_cert_sn: &'a str,
    pub root_cert_sn: &'a str,
    pub methods: &'a [&'a str],
    pub now: Millis,
    pub check_timestamp: bool,
}

impl Parameters {
    pub fn read(query: &[u8], body: &[u8]) -> Self {
        let pairs = [query, body]
            .into_iter()
            .flat_map(|part| part.split(|byte| *byte == b'&'))
            .filter(|pair| !pair.is_empty())
            .map(read_pair)
            .collect();
        Self { pairs }
    }

    /// The value of a parameter that must be plain ASCII anyway; empty counts as absent.
    pub fn ascii(&self, name: &str) -> Option<&str> {
        self.raw(name).and_then(|raw| std::str::from_utf8(raw).ok())
    }

    pub fn charset(&self) -> Option<Charset> {
        Charset::read(self.ascii("charset").unwrap_or("utf-8"))
    }

    pub fn is_cert_mode(&self) -> bool {
        self.ascii("app_cert_sn").is_some()
    }

    /// Checks everything the gateway checks, in its order.
    pub fn check(&self, expected: &Expected<'_>) -> Result<Call, Rejection> {
        self.require_all()?;
        self.refuse_doubles()?;
        let charset = self.charset().ok_or_else(|| invalid("isv.invalid-charset", "字符集错误"))?;
        let sign_type = self
            .ascii("sign_type")
            .and_then(SignType::read)
            .ok_or_else(|| invalid("isv.invalid-signature-type", "无效的签名类型"))?;
        self.check_names(expected)?;
        self.check_certificates(expected)?;
        self.check_timestamp(expected)?;
        self.check_signature(expected.app_key, sign_type, charset)?;
        Ok(Call {
            method: self.text("method", charset),
            charset,
            sign_type,
            is_cert_mode: self.is_cert_mode(),
            notify_url: self.raw("notify_url").map(|raw| charset.decode(raw)),
            biz: self.read_biz(charset)?,
        })
    }

    fn require_all(&self) -> Result<(), Rejection> {
        const REQUIRED: [(&str, &str, &str); 6] = [
            ("method", "isv.missing-method", "缺少方法名参数"),
            ("app_id", "isv.missing-app-id", "缺少AppId参数"),
            ("sign_type", "isv.missing-signature-type", "缺少签名类型参数"),
            ("sign", "isv.missing-signature", "缺少签名参数"),
            ("timestamp", "isv.missing-timestamp", "缺少时间戳参数"),
            ("version", "isv.missing-version", "缺少版本参数"),
        ];
        for (name, sub_code, sub_msg) in REQUIRED {
            if self.raw(name).is_none() {
                return Err(Rejection {
                    code: "40001",
                    msg: "Missing Required Arguments",
                    sub_code,
                    sub_msg: sub_msg.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// What Alipay does with a name that comes twice is unknown; refusing it keeps clients honest.
    fn refuse_doubles(&self) -> Result<(), Rejection> {
        let mut names: Vec<&str> = self.pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(invalid("isv.invalid-parameter", &format!("参数重复：{}", pair[0]))),
            None => Ok(()),
        }
    }

    fn check_names(&self, expected: &Expected<'_>) -> Result<(), Rejection> {
        if self.ascii("app_id") != Some(expected.app_id) {
            return Err(invalid("isv.invalid-app-id", "无效的AppID参数"));
        }
        if !self.ascii("format").unwrap_or("JSON").eq_ignore_ascii_case("json") {
            return Err(invalid("isv.invalid-format", "无效的数据格式"));
        }
        if self.ascii("version") != Some("1.0") {
            return Err(invalid("isv.invalid-version", "无效的版本参数"));
        }
        if !self.ascii("method").is_some_and(|method| expected.methods.contains(&method)) {
            return Err(invalid("isv.invalid-method", "不存在的方法名"));
        }
        Ok(())
    }

    fn check_certificates(&self, expected: &Expected<'_>) -> Result<(), Rejection> {
        if !self.is_cert_mode() {
            return Ok(());
        }
        if self.ascii("app_cert_sn") != Some(expected.app_cert_sn) {
            return Err(invalid("isv.invalid-app-cert-sn", "无效的应用公钥证书序列号"));
        }
        if self.ascii("alipay_root_cert_sn") != Some(expected.root_cert_sn) {
            return Err(invalid("isv.invalid-alipay-root-cert-sn", "无效的支付宝根证书序列号"));
        }
        Ok(())
    }

    fn check_timestamp(&self, expected: &Expected<'_>) -> Result<(), Rejection> {
        let refused = || invalid("isv.invalid-timestamp", "非法的时间戳参数");
        let stamp = self.ascii("timestamp").and_then(read_beijing).ok_or_else(refused)?;
        let off_by = stamp.abs_diff(expected.now);
        if expected.check_timestamp && off_by > TIMESTAMP_TOLERANCE_MS.unsigned_abs() {
            return Err(refused());
        }
        Ok(())
    }

    fn check_signature(&self, key: &PublicKey, sign_type: SignType, charset: Charset) -> Result<(), Rejection> {
        let pairs = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
        let text = text_to_sign(pairs, &["sign"]);
        let sign = self.ascii("sign").unwrap_or_default();
        if is_signed_by(key, sign_type, &text, sign) {
            return Ok(());
        }
        let built = escape_html(&charset.decode(&text));
        Err(invalid(
            "isv.invalid-signature",
            &format!("验签出错，建议检查签名字符串或签名私钥与应用公钥是否匹配，网关生成的验签字符串为：{built}"),
        ))
    }

    fn read_biz(&self, charset: Charset) -> Result<Biz, Rejection> {
        let text = self.raw("biz_content").map(|raw| charset.decode(raw));
        Biz::read(text.as_deref().unwrap_or("{}"))
            .ok_or_else(|| invalid("isv.invalid-parameter", "参数无效：biz_content 不是 JSON 对象"))
    }

    fn text(&self, name: &str, charset: Charset) -> String {
        charset.decode(self.raw(name).unwrap_or_default())
    }

    fn raw(&self, name: &str) -> Option<&[u8]> {
        self.pairs.iter().find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_slice())
    }
}

fn read_pair(pair: &[u8]) -> (String, Vec<u8>) {
    let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
    let (name, value) = pair.split_at(at);
    let name = String::from_utf8_lossy(&decode_form(name)).into_owned();
    (name, decode_form(value.strip_prefix(b"=").unwrap_or(value)))
}

fn decode_form(raw: &[u8]) -> Vec<u8> {
    let with_spaces: Vec<u8> = raw.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_encoding::percent_decode(&with_spaces).collect()
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

fn invalid(sub_code: &'static str, sub_msg: &str) -> Rejection {
    Rejection { code: "40002", msg: "Invalid Arguments", sub_code, sub_msg: sub_msg.to_owned() }
}
