//! The PC's clock is two years wrong. Money depends on absolute times, so the gateway's clock is used.

use crate::prelude::*;

const TWO_YEARS_MS: i64 = 2 * 365 * 24 * 3_600_000;

#[tokio::test]
async fn a_pc_two_years_behind_collects_and_reports() {
    sells_with_clock_wrong_by(-TWO_YEARS_MS).await;
}

#[tokio::test]
async fn a_pc_two_years_ahead_collects_and_reports() {
    sells_with_clock_wrong_by(TWO_YEARS_MS).await;
}

async fn sells_with_clock_wrong_by(wrong_ms: i64) {
    let shop = Shop::with().pc_wrong_by(wrong_ms).opens().await;

    let payment = shop.counter.collects(yuan("12.50")).await;

    assert_eq!(name(&payment), "PRECREATED");
    assert_eq!(shop.calls(&payment, "query"), 1, "one answer tells the time before anything is collected");
    let lives = payment.code_expires_at.expect("a code").since(shop.clock.now());
    assert!((minutes(4)..=minutes(5)).contains(&lives), "{lives:?}");
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.turn(minutes(2)).await;
    shop.books_agree(1, yuan("12.50")).await;
}

#[tokio::test]
async fn a_pc_clock_that_jumps_in_the_middle_neither_kills_nor_prolongs_the_code() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.50")).await;

    shop.clock.set_pc_wrong_by(-30 * 60_000);
    shop.turn(minutes(2)).await;
    shop.clock.set_pc_wrong_by(60 * 60_000);
    shop.turn(minutes(2)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED");

    shop.turn(minutes(3)).await;
    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::NobodyScanned));
}

/// While a PC sleeps its elapsed time may stand still: what was known of the gateway's time is then hours old.
#[tokio::test]
async fn after_a_sleep_the_time_is_asked_for_before_the_next_code() {
    let shop = Shop::open().await;
    let first = shop.counter.collects(yuan("12.50")).await;
    shop.buyer.scans_and_pays(&first);
    shop.turn(seconds(4)).await;

    shop.clock.sleeps(hours(9));
    let payment = shop.counter.collects(yuan("13.50")).await;

    assert_eq!(name(&payment), "PRECREATED");
    let lives = payment.code_expires_at.expect("a code").since(shop.clock.now());
    assert!((minutes(4)..=minutes(5)).contains(&lives), "{lives:?}");
}

#[tokio::test]
async fn without_the_gateways_date_nothing_is_collected_and_nothing_is_proved_dead() {
    let shop = Shop::open().await;
    shop.alipay.next_fault(Fault { times: 1000, ..Fault::once("alipay.trade.query", FaultKind::NoDateHeader) });

    let payment = shop.counter.collects(yuan("12.50")).await;
    shop.turn(seconds(30)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "INIT");
    assert_eq!(shop.calls(&payment, "precreate"), 0);
}
