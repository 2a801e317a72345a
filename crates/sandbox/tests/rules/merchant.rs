//! A merchant of its own: signs with aws-lc-rs, cuts the signed text out by hand, verifies every answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use yidan_sandbox::{Config, Keys, Sandbox, start};

pub const PRECREATE: &str = "alipay.trade.precreate";
pub const QUERY: &str = "alipay.trade.query";
pub const CLOSE: &str = "alipay.trade.close";
pub const CANCEL: &str = "alipay.trade.cancel";

pub const MINUTE: i64 = 60_000;
pub const HOUR: i64 = 60 * MINUTE;

/// A sandbox and the merchant who uses it.
pub struct Shop {
    pub sandbox: Sandbox,
    pub offset: Arc<AtomicI64>,
    pub folder: TempDir,
    pub client: reqwest::Client,
}

/// One verified or unverified answer.
#[derive(Debug)]
pub struct Reply {
    pub body: Vec<u8>,
    pub root: String,
    pub is_signed: bool,
    pub is_genuine: bool,
    pub fields: Value,
    pub headers: reqwest::header::HeaderMap,
}

impl Reply {
    pub fn text(&self, name: &str) -> &str {
        self.fields[name].as_str().unwrap_or_default()
    }

    pub fn code(&self) -> &str {
        self.text("code")
    }

    pub fn sub_code(&self) -> &str {
        self.text("sub_code")
    }
}

impl Shop {
    pub async fn open() -> Self {
        Self::open_with(|_| {}).await
    }

    pub async fn open_with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let offset = Arc::new(AtomicI64::new(0));
        let mut config = Config::with_keys(folder.path(), shared_keys()).unwrap();
        config.clock = Some(Arc::clone(&offset));
        change(&mut config);
        Self {
            sandbox: start(config).await.unwrap(),
            offset,
            folder,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
        }
    }

    /// Stops the sandbox and starts it again on the same ledger and the same port.
    pub async fn restart(&mut self, change: impl FnOnce(&mut Config)) {
        let address = self.sandbox.address();
        self.sandbox.stop().await;
        let mut config = Config::with_keys(self.folder.path(), shared_keys()).unwrap();
        config.listen = address;
        config.clock = Some(Arc::clone(&self.offset));
        change(&mut config);
        self.sandbox = start(config).await.unwrap();
        // A client with no line to the sandbox that is gone.
        self.client = reqwest::Client::builder().no_proxy().build().unwrap();
    }

    pub fn turn_clock(&self, ms: i64) {
        self.offset.fetch_add(ms, Ordering::SeqCst);
    }

    /// Now, as the sandbox's clock shows it, in milliseconds.
    pub fn now(&self) -> i64 {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
        i64::try_from(since).unwrap() + self.offset.load(Ordering::SeqCst)
    }

    pub async fn call(&self, method: &str, biz: Value) -> Reply {
        self.try_call(method, biz).await.unwrap()
    }

    /// `Err`: no answer came.
    pub async fn try_call(&self, method: &str, biz: Value) -> Result<Reply, reqwest::Error> {
        self.send(&self.parameters(method, &biz.to_string())).await
    }

    /// The usual parameters, unsigned.
    pub fn parameters(&self, method: &str, biz: &str) -> Vec<(String, String)> {
        [
            ("app_id", self.sandbox.app_id()),
            ("method", method.to_owned()),
            ("format", "JSON".to_owned()),
            ("charset", "utf-8".to_owned()),
            ("sign_type", "RSA2".to_owned()),
            ("timestamp", beijing(self.now())),
            ("version", "1.0".to_owned()),
            ("notify_url", String::new()),
            ("biz_content", biz.to_owned()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }

    /// Signs and sends everything in the body.
    pub async fn send(&self, parameters: &[(String, String)]) -> Result<Reply, reqwest::Error> {
        let mut all = parameters.to_vec();
        all.push(("sign".to_owned(), self.sign(parameters)));
        let response = self.client.post(self.sandbox.gateway_url()).form(&all).send().await?;
        self.read(response).await
    }

    pub fn sign(&self, parameters: &[(String, String)]) -> String {
        let mut lines: Vec<String> = parameters
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        lines.sort();
        self.sign_bytes(lines.join("&").as_bytes())
    }

    pub fn sign_bytes(&self, text: &[u8]) -> String {
        let key = KeyPair::from_pkcs8(&der(&self.sandbox.app_private_key_pem())).unwrap();
        let mut sign = vec![0; key.public_modulus_len()];
        key.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), text, &mut sign).unwrap();
        STANDARD.encode(sign)
    }

    pub async fn read(&self, response: reqwest::Response) -> Result<Reply, reqwest::Error> {
        let headers = response.headers().clone();
        let body = response.bytes().await?.to_vec();
        Ok(self.judge(body, headers))
    }

    fn judge(&self, body: Vec<u8>, headers: reqwest::header::HeaderMap) -> Reply {
        let root = root_of(&body);
        let object = signed_object(&body).to_vec();
        let sign = sign_of(&body);
        let is_genuine = sign.as_deref().is_some_and(|sign| self.is_alipays(&object, sign));
        let text = if body.is_ascii() || std::str::from_utf8(&body).is_ok() {
            String::from_utf8_lossy(&object).into_owned()
        } else {
            encoding_rs::GBK.decode(&object).0.into_owned()
        };
        Reply {
            fields: serde_json::from_str(&text).unwrap_or(Value::Null),
            root,
            is_signed: sign.is_some(),
            is_genuine,
            body,
            headers,
        }
    }

    pub fn is_alipays(&self, text: &[u8], sign: &str) -> bool {
        let der = der(&self.sandbox.alipay_public_key_pem());
        let key = signature::UnparsedPublicKey::new(&signature::RSA_PKCS1_2048_8192_SHA256, der);
        STANDARD.decode(sign).is_ok_and(|raw| key.verify(text, &raw).is_ok())
    }

    pub async fn precreate(&self, number: &str) -> Reply {
        let biz = json!({"out_trade_no": number, "total_amount": "12.34", "subject": "奶茶"});
        self.call(PRECREATE, biz).await
    }

    pub async fn precreate_with_notify(&self, number: &str, url: &str) -> Reply {
        let biz = json!({"out_trade_no": number, "total_amount": "12.34", "subject": "奶茶 100%&+=",
            "passback_params": "terminal%3D7"});
        let mut parameters = self.parameters(PRECREATE, &biz.to_string());
        parameters.retain(|(name, _)| name != "notify_url");
        parameters.push(("notify_url".to_owned(), url.to_owned()));
        self.send(&parameters).await.unwrap()
    }

    pub async fn query(&self, number: &str) -> Reply {
        self.call(QUERY, json!({"out_trade_no": number})).await
    }

    pub async fn close(&self, number: &str) -> Reply {
        self.call(CLOSE, json!({"out_trade_no": number})).await
    }

    pub async fn cancel(&self, number: &str) -> Reply {
        self.call(CANCEL, json!({"out_trade_no": number})).await
    }

    /// A code, scanned and paid by Amy.
    pub async fn sell(&self, number: &str) {
        self.precreate(number).await;
        self.sandbox.scan(number, "amy").unwrap();
        self.sandbox.pay(number, "amy").unwrap();
    }

    pub async fn control(&self, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/{path}", self.sandbox.control_url());
        let response = self.client.post(url).json(&body).send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or(Value::Null))
    }

    pub async fn look(&self, path: &str) -> Value {
        let url = format!("{}/{path}", self.sandbox.control_url());
        self.client.get(url).send().await.unwrap().json().await.unwrap()
    }
}

/// Keys take a second to make, so all tests of this machine share one set.
pub fn shared_keys() -> Keys {
    Keys::load_or_make(&shared_keys_folder()).unwrap()
}

pub fn shared_keys_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("sandbox-keys")
}

pub fn beijing(ms: i64) -> String {
    let offset = jiff::tz::Offset::constant(8);
    let instant = jiff::Timestamp::from_millisecond(ms).unwrap();
    offset.to_datetime(instant).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The next request that reaches `listener` (a merchant's notify URL), answered with `answer`.
pub async fn receive(listener: &tokio::net::TcpListener, answer: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(receive_raw(listener, answer).await.as_bytes()).into_owned().collect()
}

/// As [`receive`], the form as it came.
pub async fn receive_raw(listener: &tokio::net::TcpListener, answer: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut seen = Vec::new();
    while !is_whole(&seen) {
        let mut room = [0; 4096];
        let count = stream.read(&mut room).await.unwrap();
        assert_ne!(count, 0, "the notice was cut");
        seen.extend_from_slice(&room[..count]);
    }
    let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}", answer.len());
    stream.write_all(reply.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let (_, body) = halves(&seen).unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

fn is_whole(seen: &[u8]) -> bool {
    halves(seen).is_some_and(|(head, body)| {
        let head = String::from_utf8_lossy(head).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        length.is_some_and(|length| body.len() >= length.trim().parse::<usize>().unwrap())
    })
}

fn halves(seen: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = seen.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some((&seen[..at], &seen[at + 4..]))
}

fn der(pem: &str) -> Vec<u8> {
    let bare: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    STANDARD.decode(bare).unwrap()
}

fn root_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.split('"').nth(1).unwrap_or_default().to_owned()
}

/// From the `{` after the root's name to its partner.
fn signed_object(body: &[u8]) -> &[u8] {
    let Some(start) = body.iter().skip(1).position(|byte| *byte == b'{') else {
        return &[];
    };
    let start = start + 1;
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, byte) in body.iter().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' if !in_text => depth += 1,
            b'}' if !in_text => depth -= 1,
            _ => {}
        }
        if depth == 0 && !in_text {
            return &body[start..=at];
        }
    }
    &[]
}

fn sign_of(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, tail) = text.rsplit_once(",\"sign\":\"")?;
    tail.strip_suffix("\"}").map(str::to_owned)
}
