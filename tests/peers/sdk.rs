//! One SDK in its own process, asked by lines of JSON.

use crate::ours::Known;
use crate::sandbox::{PATIENCE, Sandbox, top};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// Which SDK, and how it and Alipay know one another.
pub struct Peer {
    pub interpreter: &'static str,
    pub script: &'static str,
    pub known: Known,
}

/// A running SDK. It ends with this value.
pub struct Sdk {
    _program: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Sdk {
    pub async fn start(peer: &Peer, sandbox: &Sandbox) -> Sdk {
        assert!(top().join("target/peers/ready").exists(), "the SDKs are not installed: make target/peers/ready");
        let Peer { interpreter, script, known } = *peer;
        let interpreter = if interpreter.contains('/') { top().join(interpreter) } else { interpreter.into() };
        let mut settings = sandbox.settings();
        settings["known_by"] = json!(match known {
            Known::ByKeys => "keys",
            Known::ByCertificates => "certificates",
        });
        let mut program = Command::new(&interpreter)
            .arg(top().join("tests/peers").join(script))
            .env("PEER", settings.to_string())
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

    /// The answer to a call: its members, or `{"refused": why}` if the SDK does not believe it.
    pub async fn call(&mut self, method: &str, content: &Value, notify_url: Option<&str>) -> Value {
        let mut request = json!({ "method": method, "content": content });
        if let Some(url) = notify_url {
            request["notify_url"] = json!(url);
        }
        self.send(&request).await
    }

    /// Whether the SDK believes a notice.
    pub async fn verify(&mut self, fields: &Value) -> Value {
        self.send(&json!({ "verify": fields })).await
    }

    async fn send(&mut self, request: &Value) -> Value {
        self.requests.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        timeout(PATIENCE, self.answers.read_line(&mut line)).await.expect("an answer").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{request}: {error}: {line:?}"))
    }
}
