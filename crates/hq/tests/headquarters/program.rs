//! The program `yidan-hq` as an administrator meets it.

use crate::house::{client, merchant_file};
use crate::till::Till;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;
use yidan_hq::Clock;

struct Office {
    folder: TempDir,
}

impl Office {
    fn open() -> Office {
        let office = Office { folder: tempfile::tempdir().unwrap() };
        std::fs::write(office.path("merchant.toml"), merchant_file("demo")).unwrap();
        std::fs::write(office.path("token"), "a token for programs\n").unwrap();
        office
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yidan-hq"));
        command.current_dir(self.folder.path()).args(words).env_remove("RUST_LOG");
        command
    }

    fn ask(&self, words: &[&str]) -> Output {
        self.run(words).output().unwrap()
    }

    /// Starts it and waits until it takes requests.
    fn serve(&self) -> (Child, String) {
        let words = ["serve", "--listen", "127.0.0.1:0", "--data", "data", "--merchant", "merchant.toml", "--demo"];
        let more = ["--admin-token-file", "token", "--ready-file", "ready"];
        let mut command = self.run(&[&words[..], &more[..]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(std::fs::read_to_string(self.path("ready")).unwrap(), line);
        let ready: Value = serde_json::from_str(&line).unwrap();
        (child, ready["url"].as_str().unwrap().to_owned())
    }
}

fn line(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[tokio::test]
async fn an_administrator_starts_it_enrols_a_terminal_adds_a_user_and_stops_it() {
    let office = Office::open();
    let (mut child, url) = office.serve();

    let code = line(&office.ask(&[
        "enrol-code",
        "--data",
        "data",
        "--store",
        "S01",
        "--store-name",
        "一号店",
        "--terminal",
        "T01",
    ]));
    let mut till = Till::new(url.clone(), Clock::of_system().now());
    till.be(till.enrol(&code).await.unwrap());
    assert_eq!(till.terminal_id, "T01");
    till.sell(1234);
    till.send_all().await.unwrap();

    let payments = client().get(format!("{url}/api/v1/payments")).bearer_auth("a token for programs").send().await;
    let payments: Value = payments.unwrap().json().await.unwrap();
    assert_eq!(payments["payments"][0]["counted_fen"], 1234);

    let password = line(&office.ask(&["user", "add", "--data", "data", "财务"]));
    let sign_in = serde_json::json!({ "name": "财务", "password": password });
    let answer = client().post(format!("{url}/api/v1/sign-in")).header("origin", &url).json(&sign_in).send().await;
    assert_eq!(answer.unwrap().status(), 200);

    let terminated = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(terminated.success());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_given_password_is_read_from_standard_input_and_a_short_one_refused() {
    let office = Office::open();
    let give = |password: &str| {
        let mut child = office
            .run(&["user", "add", "--data", "data", "财务", "--password-file", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    assert!(give("long enough\n").status.success());
    let short = give("short\n");
    assert!(!short.status.success());
    assert!(String::from_utf8_lossy(&short.stderr).contains("at least 10"));
}

#[test]
fn what_would_be_unsafe_is_refused_with_a_reason() {
    let office = Office::open();
    std::fs::write(office.path("live.toml"), merchant_file("live")).unwrap();
    std::fs::write(office.path("typo.toml"), merchant_file("demo").replace("seller_id", "seler_id")).unwrap();
    for (words, reason) in [
        (vec!["--merchant", "merchant.toml"], "without --demo"),
        (vec!["--merchant", "live.toml", "--demo"], "with --demo"),
        (vec!["--merchant", "typo.toml", "--demo"], "not understood"),
        (vec!["--merchant", "none.toml", "--demo"], "cannot read"),
        (vec!["--merchant", "merchant.toml", "--demo", "--listen", "0.0.0.0:0"], "plain http is refused"),
    ] {
        let output = office.ask(&[&["serve", "--data", "data"], &words[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(reason), "{words:?}: {said}");
    }
}
