//! The check that needs Alipay: one signed question, and the clock that its answer tells.

use super::{bad, good, warn};
use crate::setup::Setup;
use crate::view::Finding;
use crate::world::SystemClock;
use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;
use yidan_alipay::{Client, SelfTestError, Trouble};
use yidan_engine::{Clock as _, Secrets};
use yidan_payment::OutTradeNo;

/// A clock that is off by more makes Alipay refuse every request.
const MOST_OFF: Duration = Duration::from_secs(60);
/// A person waits for it.
const LONGEST_TEST: Duration = Duration::from_secs(8);

/// What the gateway said to a signed question, and how far this computer's clock is ahead of it.
struct Heard {
    /// `None`: nobody answered in time.
    said: Option<Result<(), SelfTestError>>,
    offset_ms: Option<i64>,
}

/// Asks the gateway about a number that does not exist.
pub async fn test_gateway(setup: Setup, secrets: Secrets) -> Vec<Finding> {
    // The client lives on one thread.
    let asked = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(ask_gateway(&setup, &secrets))
    });
    match asked.await.map_err(anyhow::Error::from).and_then(|heard| heard) {
        Ok(heard) => {
            let clock = clock_finding(heard.offset_ms);
            std::iter::once(clock).chain(gateway_finding(heard.said)).collect()
        }
        Err(error) => vec![Finding { detail: Some(format!("{error:#}")), ..bad("gateway", "gateway_unusable") }],
    }
}

async fn ask_gateway(setup: &Setup, secrets: &Secrets) -> anyhow::Result<Heard> {
    let offset_ms: Rc<Cell<Option<i64>>> = Rc::default();
    let told = Rc::clone(&offset_ms);
    // The PC's own clock, not a corrected one: its error is one of the things to see.
    let (clock, local) = (SystemClock::start(), SystemClock::start());
    let client = Client::new(setup.alipay(secrets)?, move || clock.local())?
        .on_gateway_date(Box::new(move |date| told.set(Some(local.local().0 - date.0))));
    let nobodys = OutTradeNo::new(format!("YIDAN_CHECK_{:016x}", rand::random::<u64>()))?;
    let said = tokio::time::timeout(LONGEST_TEST, client.self_test(&nobodys)).await.ok();
    Ok(Heard { said, offset_ms: offset_ms.get() })
}

fn clock_finding(offset_ms: Option<i64>) -> Finding {
    let Some(offset_ms) = offset_ms else {
        return warn("clock", "clock_unknown");
    };
    if Duration::from_millis(offset_ms.unsigned_abs()) <= MOST_OFF {
        return good("clock", "clock_ok");
    }
    bad("clock", "clock_off").counting(offset_ms / 1000)
}

/// Red is what stays wrong until somebody changes something here or in Alipay's console; nothing if the clock says it.
fn gateway_finding(said: Option<Result<(), SelfTestError>>) -> Option<Finding> {
    let trouble = match said {
        Some(Ok(())) => return Some(good("gateway", "gateway_ok")),
        Some(Err(error)) => error.trouble,
        None => return Some(warn("gateway", "gateway_unreachable")),
    };
    let finding = match &trouble {
        Trouble::ClockOff { .. } => return None,
        Trouble::Unreachable(_) => return Some(warn("gateway", "gateway_unreachable")),
        Trouble::Limited => return Some(warn("gateway", "gateway_later")),
        Trouble::NotAlipay(_) => warn("gateway", "gateway_not_alipay"),
        Trouble::TryLater(_) => warn("gateway", "gateway_later"),
        Trouble::Encrypted(_) => return Some(bad("gateway", "gateway_encrypted")),
        Trouble::AppKey(_) => bad("gateway", "gateway_app_key"),
        Trouble::Certificates(_) => bad("gateway", "gateway_certificates"),
        Trouble::AppId(_) => bad("gateway", "gateway_app_id"),
        Trouble::NotAllowed(_) => bad("gateway", "gateway_not_allowed"),
        Trouble::AlipayKey(_) => bad("gateway", "gateway_alipay_key"),
        Trouble::Certificate(_) => bad("gateway", "gateway_certificate"),
    };
    Some(match trouble.source() {
        Some(cause) => finding.because(cause),
        None => finding.because(&trouble),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Severity;

    #[test]
    fn a_clock_that_is_off_by_more_than_a_minute_stops_the_setup() {
        assert_eq!(clock_finding(Some(60_000)).severity, Severity::Ok);
        assert_eq!(clock_finding(Some(-61_000)).severity, Severity::Bad);
        assert_eq!(clock_finding(None).severity, Severity::Warn);
    }
}
