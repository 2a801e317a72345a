//! Sends notices until they are answered with exactly `success`, on Alipay's ladder.
//!
//! Survives a restart: what is still to be sent, and when, stands in the ledger.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::charset::Charset;
use crate::clock::{Millis, beijing_text};
use crate::config::NoticeCertSn;
use crate::ledger::{Notice, Sql};
use crate::platform::Platform;
use crate::serve::told_to_stop;
use crate::signature::{SignType, text_to_sign};

/// The pauses between eight sends over 25 hours: 4 m, 10 m, 10 m, 1 h, 2 h, 6 h, 15 h.
const LADDER_MINUTES: [Millis; 7] = [4, 10, 10, 60, 120, 360, 900];

/// How often the sandbox's clock is looked at while something waits for it.
const TICK: Duration = Duration::from_millis(20);

const PATIENCE: Duration = Duration::from_secs(10);

/// Sends whatever is due until `stop` turns true.
pub async fn run(platform: Arc<Platform>, client: reqwest::Client, mut stop: watch::Receiver<bool>) {
    let mut under_way = HashSet::new();
    let mut sends = JoinSet::new();
    loop {
        if platform.is_due() {
            start_due(&platform, &client, &mut under_way, &mut sends);
        }
        tokio::select! {
            () = told_to_stop(&mut stop) => return,
            Some(sent) = sends.join_next() => {
                if let Ok(notify_id) = sent {
                    under_way.remove(&notify_id);
                }
            }
            () = platform.turned.notified() => {}
            () = tokio::time::sleep(TICK), if platform.is_waiting() => {}
        }
    }
}

fn start_due(
    platform: &Arc<Platform>,
    client: &reqwest::Client,
    under_way: &mut HashSet<String>,
    sends: &mut JoinSet<String>,
) {
    let due = platform.quiet_turn(|turn| turn.records.list_due_notices(turn.now));
    let Ok(due) = due.inspect_err(|cause| tracing::error!(%cause, "notices cannot be read")) else {
        return;
    };
    for notice in due {
        if under_way.insert(notice.notify_id.clone()) {
            sends.spawn(send(Arc::clone(platform), client.clone(), notice));
        }
    }
}

async fn send(platform: Arc<Platform>, client: reqwest::Client, notice: Notice) -> String {
    let form = signed_form(&platform, &notice);
    let outcome = post(&client, &notice.url, form).await;
    tracing::info!(out_trade_no = notice.out_trade_no, notify_id = notice.notify_id, outcome, "notice sent");
    if let Err(cause) = note(&platform, &notice, &outcome) {
        tracing::error!(%cause, "the outcome of a notice cannot be written down");
    }
    notice.notify_id
}

/// The answer's text, or why there was none.
async fn post(client: &reqwest::Client, url: &str, form: String) -> String {
    let request = client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded; charset=utf-8")
        .timeout(PATIENCE)
        .body(form);
    match request.send().await {
        Ok(response) if response.status().is_success() => {
            response.text().await.map_or_else(|cause| format!("unreadable: {cause}"), |text| shortened(&text))
        }
        Ok(response) => format!("HTTP {}", response.status().as_u16()),
        Err(cause) => format!("unreachable: {cause}"),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

fn note(platform: &Platform, notice: &Notice, outcome: &str) -> Sql<()> {
    platform.turn(|turn| {
        if outcome == "success" {
            let copies = turn.settings.notify_copies;
            return turn.records.note_delivered(&notice.notify_id, turn.now, copies);
        }
        let next_at = next_try(notice.failures, turn.now, platform.notify_scale);
        turn.records.note_failed(&notice.notify_id, turn.now, outcome, next_at)
    })
}

/// `None` when the ladder is used up.
fn next_try(failures: u32, now: Millis, scale: u32) -> Option<Millis> {
    let step = usize::try_from(failures).ok()?;
    LADDER_MINUTES.get(step).map(|minutes| now + minutes * 60_000 / i64::from(scale))
}

/// The form as sent: parameters, the time of this try, and a signature over all but `sign` and `sign_type`.
pub fn signed_form(platform: &Platform, notice: &Notice) -> String {
    let mut texts: Map<String, Value> = serde_json::from_str(&notice.parameters).unwrap_or_default();
    texts.insert("notify_id".to_owned(), notice.notify_id.clone().into());
    texts.insert("notify_time".to_owned(), beijing_text(platform.clock.now()).into());
    let charset = Charset::read(&notice.charset).unwrap_or(Charset::Utf8);
    let mut pairs: Vec<(&str, Vec<u8>)> =
        texts.iter().filter_map(|(name, value)| Some((name.as_str(), charset.encode_text(value.as_str()?)))).collect();
    let signer = platform.signer(notice.is_cert_mode);
    let wording = platform.settings().notice_cert_sn;
    if let Some(cert_sn) = signer.cert_sn.clone().filter(|_| wording != NoticeCertSn::Absent) {
        pairs.push(("alipay_cert_sn", cert_sn.into_bytes()));
    }
    let left_out: &[&str] = if wording == NoticeCertSn::Unsigned { &["alipay_cert_sn"] } else { &[] };
    let signed = text_to_sign(pairs.iter().map(|(name, value)| (*name, value.as_slice())), left_out);
    let sign = signer.sign(SignType::Rsa2, &signed);
    pairs.push(("sign_type", SignType::Rsa2.text().into()));
    pairs.push(("sign", sign.into_bytes()));
    let lines: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", percent_encoded(value))).collect();
    lines.join("&")
}

fn percent_encoded(value: &[u8]) -> String {
    form_urlencoded::byte_serialize(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_has_eight_sends_and_can_be_sped_up() {
        assert_eq!(next_try(0, 0, 1), Some(240_000));
        assert_eq!(next_try(6, 0, 1), Some(54_000_000));
        assert_eq!(next_try(7, 0, 1), None);
        assert_eq!(next_try(0, 0, 1000), Some(240));
    }
}
