//! SY8: everything that headquarters, or something between, may answer to a report. Only its own word that the lines are
//! durable counts; everything else keeps them.

use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use yidan_engine::{GatewayClock, Hq, HqClient, HqError, check_address};
use yidan_wire::{Batch, TerminalKey};

/// What a client makes of one raw answer.
async fn hears(answer: &str) -> Result<i64, HqError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = check_address(&format!("http://{}", listener.local_addr().expect("an address"))).expect("an address");
    let clock = Rc::new(GatewayClock::new(Rc::new(yidan::world::SystemClock::start())));
    let client = HqClient::new(url, "S01T01".into(), TerminalKey::generate([7; 32]), clock).expect("a client");
    let batch = Batch { head_seq: 1, events: Vec::new() };
    let serve = async {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut request = [0; 4096];
        let _read = connection.read(&mut request).await.expect("a request");
        connection.write_all(answer.as_bytes()).await.expect("answered");
    };
    let (heard, ()) = tokio::join!(client.send(&batch), serve);
    heard.map(|ack| ack.acked_seq)
}

fn answer(status: &str, more: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn sy8_only_an_acknowledgement_counts_and_everything_else_keeps_the_lines() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        assert!(matches!(hears(&answer(status, "", "{}")).await, Err(HqError::Refused(_))), "{status}");
    }
    assert!(matches!(hears(&answer("413 Too Large", "", "")).await, Err(HqError::TooLarge)));
    let wait = hears(&answer("429 Too Many", "retry-after: 120\r\n", "")).await;
    assert!(matches!(wait, Err(HqError::Busy { retry_after: Some(wait) }) if wait == Duration::from_secs(120)));
    assert!(matches!(hears(&answer("503 Busy", "", "")).await, Err(HqError::Busy { retry_after: None })));
    for (status, body) in [
        ("409 Conflict", ""),
        ("500 Broken", ""),
        ("200 OK", r#"{"ok":false}"#),
        ("200 OK", "<html>login</html>"),
        ("204 No Content", ""),
    ] {
        assert!(matches!(hears(&answer(status, "", body)).await, Err(HqError::Unanswered(_))), "{status} {body}");
    }
    assert!(matches!(hears("").await, Err(HqError::Unanswered(_))), "the connection broke");
    let conflict = format!(r#"{{"seq":2,"acked_seq":1,"head_hash":"{}","detail":"fork"}}"#, "0".repeat(64));
    assert!(matches!(hears(&answer("409 Conflict", "", &conflict)).await, Err(HqError::Conflict(_))));
}

/// SY7: 200 does not mean that everything was stored: how far, the answer says.
#[tokio::test]
async fn sy7_the_answer_says_how_far_it_was_stored() {
    let part = format!(r#"{{"acked_seq":1,"head_hash":"{}"}}"#, "0".repeat(64));
    assert_eq!(hears(&answer("200 OK", "", &part)).await.expect("an acknowledgement"), 1);
}
