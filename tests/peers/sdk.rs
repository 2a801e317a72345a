//! One SDK in its own process, asked by lines of JSON.

use crate::sandbox::{PATIENCE, Sandbox, top};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// A running SDK. It ends with this value.
pub struct Sdk {
    _program: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Sdk {
    pub async fn start(interpreter: &str, script: &str, sandbox: &Sandbox) -> Sdk {
        assert!(top().join("target/peers/ready").exists(), "the SDKs are not installed: make target/peers/ready");
        let interpreter = if interpreter.contains('/') { top().join(interpreter) } else { interpreter.into() };
        let mut program = Command::new(&interpreter)
            .arg(top().join("tests/peers").join(script))
            .env("PEER", sandbox.settings().to_string())
            // They write the computer's time into `timestamp`, as if every computer stood in China.
            .env("TZ", "Asia/Shanghai")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", interpreter.display()));
        let requests = program.stdin.take().unwrap();
        let answers = BufReader::new(program.stdout.take().unwrap());
        Sdk { _program: program, requests, answers }
    }

    pub async fn precreate(&mut self, number: &str, subject: &str, amount: &str, notify_url: &str) -> Value {
        self.send(&json!({
            "do": "precreate",
            "out_trade_no": number,
            "subject": subject,
            "total_amount": amount,
            "notify_url": notify_url,
        }))
        .await
    }

    /// `query` or `close`.
    pub async fn ask(&mut self, act: &str, number: &str) -> Value {
        self.send(&json!({ "do": act, "out_trade_no": number })).await
    }

    /// Whether the SDK believes a notice.
    pub async fn verify(&mut self, fields: &Value) -> Value {
        self.send(&json!({ "do": "verify", "fields": fields })).await
    }

    async fn send(&mut self, request: &Value) -> Value {
        self.requests.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        timeout(PATIENCE, self.answers.read_line(&mut line)).await.expect("an answer").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{request}: {error}: {line:?}"))
    }
}
