//! The ledger survives a restart of the library and a SIGKILL of the real program.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::merchant::{CLOSE, Shop, shared_keys_folder};

#[tokio::test]
async fn everything_is_still_there_after_a_restart_on_the_same_port() {
    let mut shop = Shop::open().await;
    shop.sell("T1").await;
    let code = shop.precreate("T2").await.text("qr_code").to_owned();
    let url = shop.sandbox.gateway_url();

    shop.restart(|_| {}).await;

    assert_eq!(shop.sandbox.gateway_url(), url);
    assert_eq!(shop.query("T1").await.text("trade_status"), "TRADE_SUCCESS");
    assert_eq!(shop.sandbox.charges("T1"), 1);
    assert_eq!(shop.sandbox.scan(&code, "amy").unwrap().out_trade_no, "T2");
    assert_ne!(shop.precreate("T3").await.text("qr_code"), code);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_codes() {
    let mut codes = Vec::new();
    for _ in 0..2 {
        let shop = Shop::open_with(|config| config.seed = Some(7)).await;
        codes.push(shop.precreate("T1").await.text("qr_code").to_owned());
    }
    assert_eq!(codes[0], codes[1]);
}

#[tokio::test]
async fn a_stopped_sandbox_frees_its_port_and_its_books_can_be_read() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    shop.sandbox.stop().await;

    assert!(std::net::TcpListener::bind(shop.sandbox.address()).is_ok());
    assert_eq!(shop.sandbox.charges("T1"), 1);
}

struct Program {
    child: Child,
    ready: Value,
}

impl Program {
    fn start(folder: &std::path::Path, listen: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_yidan-sandbox"))
            .args(["--listen", listen, "--close-before-scan", "latch", "--notify-scale", "100"])
            .arg("--data")
            .arg(folder)
            .arg("--ready-file")
            .arg(folder.join("ready.json"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let written = std::fs::read_to_string(folder.join("ready.json")).unwrap();
        assert_eq!(written, line);
        Self { child, ready: serde_json::from_str(&line).unwrap() }
    }

    fn gateway(&self) -> String {
        self.ready["gateway_url"].as_str().unwrap().to_owned()
    }

    fn listen(&self) -> String {
        self.gateway().trim_start_matches("http://").trim_end_matches("/gateway.do").to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// A folder with the shared keys, so that the shop's signer fits the program.
fn folder_with_keys() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for owner in ["app", "alipay", "root", "issuer"] {
        let file = format!("{owner}_private_key.pem");
        std::fs::copy(shared_keys_folder().join(&file), folder.path().join(&file)).unwrap();
    }
    folder
}

#[tokio::test]
async fn a_sigkill_between_effect_and_answer_keeps_the_effect() {
    // The library sandbox of this shop only lends its signer; the calls go to the program.
    let shop = Shop::open().await;
    let folder = folder_with_keys();
    let mut program = Program::start(folder.path(), "127.0.0.1:0");
    let control = program.ready["control_url"].as_str().unwrap().to_owned();
    let post = async |path: &str, body: Value| {
        let sent = shop.client.post(format!("{control}/{path}")).json(&body).send().await.unwrap();
        assert!(sent.status().is_success(), "{path}");
    };
    call(
        &shop,
        &program.gateway(),
        "alipay.trade.precreate",
        json!({"out_trade_no": "K1", "total_amount": "1.00", "subject": "x"}),
    )
    .await
    .unwrap();
    post("scan", json!({"out_trade_no": "K1", "buyer": "amy"})).await;
    post("fault", json!({"method": CLOSE, "kind": {"delay": 60_000}})).await;

    let listen = program.listen();
    let gateway = program.gateway();
    let closing = call(&shop, &gateway, CLOSE, json!({"out_trade_no": "K1"}));
    let killed = async {
        while status_of(&shop, &control).await != "TRADE_CLOSED" {}
        program.child.kill().unwrap();
        program.child.wait().unwrap();
    };
    let (closed, ()) = tokio::join!(closing, killed);

    assert!(closed.is_err(), "the answer was lost");
    let again = Program::start(folder.path(), &listen);
    assert_eq!(again.listen(), listen);
    assert_eq!(status_of(&shop, &control).await, "TRADE_CLOSED");
}

async fn status_of(shop: &Shop, control: &str) -> String {
    let url = format!("{control}/trades/K1");
    let trade: Value = shop.client.get(url).send().await.unwrap().json().await.unwrap();
    trade["status"].as_str().unwrap().to_owned()
}

async fn call(shop: &Shop, gateway: &str, method: &str, biz: Value) -> Result<(), reqwest::Error> {
    let mut all = shop.parameters(method, &biz.to_string());
    all.push(("sign".to_owned(), shop.sign(&all)));
    let response = shop.client.post(gateway).form(&all).send().await?;
    assert_eq!(shop.read(response).await?.code(), "10000");
    Ok(())
}

#[cfg(unix)]
#[tokio::test]
async fn the_program_ends_cleanly_on_sigterm() {
    let folder = folder_with_keys();
    let mut program = Program::start(folder.path(), "127.0.0.1:0");

    let sent = Command::new("kill").arg(program.child.id().to_string()).status().unwrap();

    assert!(sent.success());
    assert!(program.child.wait().unwrap().success());
}
