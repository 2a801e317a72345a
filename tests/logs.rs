//! What the programs write into their logs in a full run, with trouble in it: no key, no token, no code, no buyer.

use harness::programs::{PATIENCE, Programs, text};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn logs_tell_everything_but_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut programs = Programs::start(folder.path()).await.expect("the programs start");
    let code = sell_with_trouble(&mut programs).await;
    let log = read_logs(folder.path());

    assert!(log.contains("out_trade_no"), "the logs say whose payment they tell of: {log}");
    assert!(log.contains("could not reach the gateway"), "trouble is told: {log}");
    let mut secrets = vec![code, "amy@example.com".into()];
    secrets.extend(key_lines(&folder.path().join("sandbox/app_private_key.pem")));
    secrets.extend(key_lines(&folder.path().join("sandbox/alipay_private_key.pem")));
    secrets.push(std::fs::read_to_string(folder.path().join("till/api-token")).expect("a token"));
    secrets.push(std::fs::read_to_string(folder.path().join("admin-token")).expect("a token"));
    for secret in secrets {
        assert!(!log.contains(secret.trim()), "a log contains {secret:?}");
    }
}

/// One sale, with the gateway and headquarters dying in between. Gives the code that was shown.
async fn sell_with_trouble(programs: &mut Programs) -> String {
    let shop = programs.visitor.clone();
    let bill = shop.collect("A-1", "12.50", "click-1").await.expect("a code");
    programs.sandbox.kill().expect("it ran");
    until(async || shop.query("A-1").await.is_ok_and(|bill| bill["trouble"].is_string())).await;
    programs.sandbox.start().await.expect("the sandbox comes back");
    programs.hq.kill().expect("it ran");
    programs.hq.start().await.expect("headquarters comes back");
    let out_trade_no = text(&bill, "outTradeNo").expect("a number").to_owned();
    shop.buyer("scan", &out_trade_no, "amy@example.com").await.expect("the phone scans");
    shop.buyer("pay", &out_trade_no, "amy@example.com").await.expect("the phone pays");
    until(async || shop.hq_counted(&out_trade_no, 1250).await.is_ok_and(|counted| counted == 1)).await;
    text(&bill, "qrCode").expect("a code").to_owned()
}

async fn until(is_true: impl AsyncFn() -> bool) {
    let patience = async {
        while !is_true().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, patience).await.expect("it becomes true in time");
}

fn read_logs(folder: &Path) -> String {
    let logs = ["yidan.log", "yidan-hq.log", "yidan-sandbox.log"];
    logs.map(|name| std::fs::read_to_string(folder.join(name)).expect("a log")).concat()
}

/// The lines of a PEM file that hold the key.
fn key_lines(path: &Path) -> Vec<String> {
    let pem = std::fs::read_to_string(path).expect("a key");
    pem.lines().filter(|line| !line.starts_with("---")).map(ToOwned::to_owned).collect()
}
