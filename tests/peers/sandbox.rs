//! The sandbox program, and the shop's address that gets its notices.

use serde_json::{Value, json};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Nothing here takes longer unless it hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running sandbox. It ends with this value.
pub struct Sandbox {
    _program: Child,
    _folder: TempDir,
    ready: Value,
    merchant: Value,
    http: reqwest::Client,
    notify_port: u16,
    notices: mpsc::UnboundedReceiver<String>,
}

/// The folder of the repository.
pub fn top() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A program of this workspace, built with the same profile as this test.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join(name);
    assert!(path.exists(), "{} is not built: cargo build --workspace --bins", path.display());
    path
}

impl Sandbox {
    pub async fn start() -> Sandbox {
        let folder = TempDir::new().unwrap();
        let mut program = Command::new(program("yidan-sandbox"))
            .args(["--listen", "127.0.0.1:0", "--notify-scale", "1000", "--data"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(program.stdout.take().unwrap());
        timeout(PATIENCE, out.read_line(&mut line)).await.unwrap().unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let http = reqwest::Client::new();
        let merchant = http.get(format!("{}/merchant", ready["control_url"].as_str().unwrap())).send().await.unwrap();
        let merchant = merchant.json().await.unwrap();
        let (notify_port, notices) = receive_notices().await;
        Sandbox { _program: program, _folder: folder, ready, merchant, http, notify_port, notices }
    }

    /// Everything a client must be told.
    pub fn settings(&self) -> Value {
        let mut settings = self.merchant.clone();
        settings["gateway_url"] = self.ready["gateway_url"].clone();
        settings["packages"] = json!(top().join("target/peers"));
        settings
    }

    pub fn notify_url(&self) -> String {
        format!("http://127.0.0.1:{}/pay/alipay/notify", self.notify_port)
    }

    /// Plays the buyer, or makes trouble.
    pub async fn control(&self, act: &str, body: &Value) -> Value {
        let url = format!("{}/{act}", self.ready["control_url"].as_str().unwrap());
        let answer = self.http.post(url).json(body).send().await.unwrap();
        assert!(answer.status().is_success(), "{act} {body}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    /// The body of the next notice about a number.
    pub async fn next_notice(&mut self, number: &str) -> String {
        let wanted = format!("out_trade_no={number}");
        loop {
            let body = timeout(PATIENCE, self.notices.recv()).await.expect("a notice").unwrap();
            if body.split('&').any(|pair| pair == wanted) {
                return body;
            }
        }
    }

    /// A file that a link of Alipay's leads to.
    pub async fn download(&self, url: &str) -> Vec<u8> {
        let answer = self.http.get(url).send().await.unwrap();
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        answer.bytes().await.unwrap().to_vec()
    }
}

/// A shop's server, reduced to what a notice needs: it says `success` and keeps the body.
pub async fn receive_notices() -> (u16, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (keep, kept) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if keep.send(receive(stream).await).is_err() {
                return;
            }
        }
    });
    (port, kept)
}

async fn receive(stream: TcpStream) -> String {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        match line.trim_end().to_ascii_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap(),
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nsuccess";
    stream.write_all(answer).await.unwrap();
    String::from_utf8(body).unwrap()
}
