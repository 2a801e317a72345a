//! The cashier scans the customer's phone. The code is sent once; whatever is unknown is asked for, and undone in the end.

use crate::prelude::*;
use yidan_sandbox::CodeOutcome;

const PAY: &str = "alipay.trade.pay";

async fn scanned(shop: &Shop, outcome: CodeOutcome) -> Payment {
    let code = shop.alipay.buyer_code("amy", outcome);
    match shop.counter.scans(new_click(), yuan("19.90"), &code).await.expect("it can be collected") {
        CodeCollected::Payment(payment) => *payment,
        CodeCollected::SwitchFrom(payment) => panic!("{payment:?} is in the way"),
    }
}

#[tokio::test]
async fn paid_at_once() {
    let shop = Shop::open().await;

    let payment = scanned(&shop, CodeOutcome::Pays).await;

    assert_eq!(name(&payment), "SUCCESS");
    assert_eq!((shop.calls(&payment, "pay"), shop.charges(&payment)), (1, 1));
    shop.counter.rests().await;
    shop.books_agree(1, yuan("19.90")).await;
}

#[tokio::test]
async fn the_phone_asks_for_the_password() {
    let shop = Shop::open().await;
    let payment = scanned(&shop, CodeOutcome::AsksPassword).await;
    assert_eq!(name(&payment), "PAYING");

    shop.turn(seconds(20)).await;
    shop.buyer.pays(&payment).expect("the phone pays");
    shop.turn(seconds(4)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.calls(&payment, "pay"), 1);
    shop.books_agree(1, yuan("19.90")).await;
}

#[tokio::test]
async fn the_customer_walks_away_from_the_password() {
    let shop = Shop::open().await;
    let payment = scanned(&shop, CodeOutcome::AsksPassword).await;

    shop.turn(seconds(130)).await;

    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    assert!(shop.buyer.pays(&payment).is_err());
    shop.books_agree(0, Fen::ZERO).await;
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_and_the_code_is_not_sent_again() {
    for (kind, charged) in [(FaultKind::LoseAnswer, 1), (FaultKind::DropBefore, 0), (FaultKind::SystemErrorAfter, 1)] {
        let shop = Shop::open().await;
        shop.alipay.next_fault(Fault::once(PAY, kind));
        let payment = scanned(&shop, CodeOutcome::Pays).await;

        shop.turn(seconds(225)).await;

        let known = shop.counter.payment(&payment).await;
        assert_eq!(shop.calls(&payment, "pay"), 1, "{kind:?}");
        assert_eq!(shop.charges(&payment), charged, "{kind:?}");
        let expected = if charged == 1 { "SUCCESS" } else { "CLOSED" };
        assert_eq!(name(&known), expected, "{kind:?}");
        shop.books_agree(i64::from(charged), if charged == 1 { yuan("19.90") } else { Fen::ZERO }).await;
    }
}

#[tokio::test]
async fn without_a_trade_only_time_proves_that_nothing_came_of_it() {
    let shop = Shop::open().await;
    shop.alipay.next_fault(Fault::once(PAY, FaultKind::DropBefore));
    let payment = scanned(&shop, CodeOutcome::Pays).await;

    shop.counter.stops(&payment).await;
    shop.turn(seconds(60)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSING", "it may still arrive");
    shop.turn(seconds(165)).await;

    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::NobodyScanned));
}

#[tokio::test]
async fn a_refused_code_is_refused_and_another_one_can_be_scanned_when_that_is_proved() {
    let shop = Shop::open().await;
    let payment = scanned(&shop, CodeOutcome::HasNoMoney).await;
    assert_eq!(name(&payment), "CLOSING");
    shop.turn(seconds(225)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSED");

    let again = scanned(&shop, CodeOutcome::Pays).await;

    assert_eq!(name(&again), "SUCCESS");
    shop.counter.rests().await;
    shop.books_agree(1, yuan("19.90")).await;
}

#[tokio::test]
async fn a_stop_that_came_too_late_gives_the_money_back() {
    let shop = Shop::open().await;
    let payment = scanned(&shop, CodeOutcome::AsksPassword).await;
    shop.buyer.pays(&payment).expect("the phone pays");

    shop.counter.stops(&payment).await;
    shop.turn(seconds(10)).await;

    let back = shop.counter.payment(&payment).await;
    assert_eq!((name(&back), shop.calls(&payment, "cancel")), ("SUCCESS", 1));
    assert_eq!((back.refunds.len(), back.refunds[0].origin), (1, RefundOrigin::Cancel));
    assert_eq!(order_status(&shop, &payment).await, "REFUNDED");
    assert_eq!(shop.counter.cases().await, []);
    shop.refunds_agree(&payment, yuan("19.90")).await;
}

#[tokio::test]
async fn a_stop_in_time_closes_the_trade() {
    let shop = Shop::open().await;
    let payment = scanned(&shop, CodeOutcome::AsksPassword).await;

    shop.counter.stops(&payment).await;
    shop.turn(seconds(4)).await;

    assert_eq!(shop.counter.payment(&payment).await.status, Status::Closed(Death::TradeClosed));
    assert_eq!((shop.calls(&payment, "cancel"), shop.calls(&payment, "close")), (1, 0));
}

#[tokio::test]
async fn a_till_that_dies_after_it_wrote_down_the_sending_only_asks() {
    for kind in [FaultKind::LoseAnswer, FaultKind::DropBefore] {
        let mut shop = Shop::open().await;
        shop.alipay.next_fault(Fault::once(PAY, kind));
        let payment = scanned(&shop, CodeOutcome::Pays).await;

        shop.counter.restarts().await;
        shop.turn(seconds(225)).await;

        assert!(!shop.counter.payment(&payment).await.status.is_live());
        assert_eq!(shop.calls(&payment, "pay"), 1);
        let books = shop.counter.payment(&payment).await.books().expect("balanced");
        assert_eq!(books.received.as_fen(), i64::from(shop.charges(&payment)) * 1990);
    }
}

#[tokio::test]
async fn a_code_is_taken_for_one_payment() {
    let shop = Shop::open().await;
    let code = shop.alipay.buyer_code("amy", CodeOutcome::Pays);
    let click = new_click();
    shop.counter.scans(click, yuan("19.90"), &code).await.expect("collected");

    let again = shop.counter.scans(click, yuan("19.90"), &code).await.expect("the same click");
    let other = shop.counter.scans(new_click(), yuan("5.00"), &code).await;

    assert!(matches!(again, CodeCollected::Payment(payment) if name(&payment) == "SUCCESS"));
    assert!(other.unwrap_err().contains("ask the customer for a new one"));
    assert_eq!(shop.counter.orders().await.len(), 1);
    shop.counter.rests().await;
    shop.books_agree(1, yuan("19.90")).await;
}

#[tokio::test]
async fn a_scan_while_a_code_is_shown_only_proposes_to_switch() {
    let shop = Shop::open().await;
    let shown = shop.counter.collects(yuan("19.90")).await;
    let code = shop.alipay.buyer_code("amy", CodeOutcome::Pays);

    let asked = shop.counter.scans(new_click(), yuan("19.90"), &code).await.expect("a question");

    assert!(matches!(asked, CodeCollected::SwitchFrom(payment) if payment.pay_id == shown.pay_id));
    assert_eq!(shop.calls(&shown, "pay"), 0);
}

#[tokio::test]
async fn the_code_is_kept_nowhere() {
    let shop = Shop::open().await;
    let code = shop.alipay.buyer_code("amy", CodeOutcome::Pays);
    shop.counter.scans(new_click(), yuan("19.90"), &code).await.expect("collected");
    shop.counter.rests().await;

    for name in ["yidan.db", "yidan.db-wal"] {
        let kept = std::fs::read(shop.counter.folder().0.join(name)).unwrap_or_default();
        assert!(!kept.windows(code.len()).any(|window| window == code.as_bytes()), "{name}");
    }
}
