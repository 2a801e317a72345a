//! What the tests of this crate share: the fixtures, and a small real HTTP server that plays Alipay with a fixture key.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    thread,
};
use yidan_alipay::{AlipayKey, AppKey, GatewayUrl, Mode, Settings, Trust};

pub const APP_ID: &str = "2021000100000001";
pub const SELLER_ID: &str = "2088000000000001";
/// 2026-12-01 12:15:20 UTC
pub const DATE: &str = "Tue, 01 Dec 2026 12:15:20 GMT";
pub const DATE_MS: i64 = 1_796_127_320_000;

pub fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(file)
}

pub fn bytes(file: &str) -> Vec<u8> {
    std::fs::read(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub fn text(file: &str) -> String {
    String::from_utf8(bytes(file)).unwrap()
}

pub fn json(file: &str) -> serde_json::Value {
    serde_json::from_slice(&bytes(file)).unwrap()
}

pub fn app_key() -> AppKey {
    AppKey::parse(&text("cases/keys/app_private_pkcs8.pem")).unwrap()
}

pub fn alipay_key() -> AlipayKey {
    AlipayKey::parse(&text("cases/keys/platform_public.pem")).unwrap()
}

/// Signs as Alipay does.
pub fn platform_key() -> AppKey {
    AppKey::parse(&text("cases/keys/platform_private_pkcs8.pem")).unwrap()
}

pub fn settings(gateway: &str) -> Settings {
    Settings {
        gateway: GatewayUrl::check(gateway, Mode::Demo).unwrap(),
        app_id: APP_ID.into(),
        seller_id: Some(SELLER_ID.into()),
        app_key: app_key(),
        trust: Trust::Keys(alipay_key()),
        notify_url: Some("https://hq.example.com/pay/alipay/notify".into()),
        connect_timeout: Settings::CONNECT,
        timeout: Settings::WHOLE,
    }
}

/// A body as the real gateway writes it: compact, node first, then `sign`.
pub fn signed(member: &str, node: &str) -> Vec<u8> {
    let sign = platform_key().sign(node.as_bytes());
    format!(r#"{{"{member}":{node},"sign":"{sign}"}}"#).into_bytes()
}

/// A request as it came over the wire.
pub struct Seen {
    pub query: Vec<(String, String)>,
    pub body: Vec<(String, String)>,
    pub raw: String,
}

/// Answers each request with the next body; an empty list entry closes the connection without an answer.
pub struct Gateway {
    pub url: String,
    pub seen: Receiver<Seen>,
}

impl Gateway {
    pub fn answering(answers: Vec<Option<Vec<u8>>>) -> Gateway {
        Gateway::answering_at(|_| answers)
    }

    /// For answers that name an address of this server: they are made once it has one.
    pub fn answering_at(answers: impl FnOnce(&str) -> Vec<Option<Vec<u8>>>) -> Gateway {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/gateway.do", listener.local_addr().unwrap());
        let answers = answers(&url);
        let (tell, seen) = channel();
        thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                tell.send(read_request(&mut stream)).unwrap();
                if let Some(body) = answer {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nDate: {DATE}\r\nContent-Type: text/html;charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                        body.len()
                    );
                    stream.write_all(head.as_bytes()).unwrap();
                    stream.write_all(&body).unwrap();
                }
            }
        });
        Gateway { url, seen }
    }
}

fn read_request(stream: &mut TcpStream) -> Seen {
    let mut raw = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let length = stream.read(&mut chunk).unwrap();
        raw.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&raw).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let wanted =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= wanted.unwrap_or(0) {
            let query = head.split(' ').nth(1).unwrap().split_once('?').unwrap().1;
            return Seen { query: form(query), body: form(body), raw: text.clone() };
        }
    }
}

fn form(text: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}
