//! Two tills of a store are given the same bill of another program. One collects it; the other sees how it stands.

use crate::prelude::*;

fn bill(amount: &str) -> NewOrder {
    let origin = Origin::Bill { source: "pos".into(), external_ref: "A-1".into() };
    NewOrder { origin, ..draft(new_click(), yuan(amount)) }
}

async fn collects(till: &Till, order: NewOrder) -> Result<Payment, String> {
    match till.collects_order(order).await? {
        Collected::Payment(payment) | Collected::SameAmountClosing(payment) => Ok(*payment),
    }
}

#[tokio::test]
async fn two_tills_on_one_bill_make_one_payment() {
    let shop = Shop::open().await;
    let other = shop.another_till().await;

    let (one, two) = tokio::join!(collects(&shop.counter, bill("12.50")), collects(&other, bill("12.50")));

    assert_ne!(one.is_ok(), two.is_ok(), "{one:?} {two:?}");
    let owner = if one.is_ok() { &shop.counter } else { &other };
    let payment = one.clone().or(two.clone()).expect("one of them");
    assert!(one.err().or(two.err()).expect("the other").contains("belongs to terminal"));
    assert_eq!(collects(owner, bill("12.50")).await.expect("again").out_trade_no, payment.out_trade_no);
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;
    other.rests().await;
    assert_eq!(shop.charges(&payment), 1);
    assert_eq!(shop.alipay.trades().len(), 1);
}

#[tokio::test]
async fn the_other_till_sees_the_owners_payment_and_may_not_change_the_amount() {
    let shop = Shop::open().await;
    let other = shop.another_till().await;
    let payment = collects(&shop.counter, bill("12.50")).await.expect("the first");
    shop.buyer.scans_and_pays(&payment);
    shop.turn(seconds(4)).await;

    let refused = collects(&other, bill("12.50")).await.unwrap_err();
    assert!(refused.contains("S01T01") && refused.contains("SUCCESS"), "{refused}");
    let changed = collects(&shop.counter, bill("99.00")).await.unwrap_err();
    assert!(changed.contains("another amount"), "{changed}");
}

#[tokio::test]
async fn without_headquarters_nothing_new_is_opened_and_what_is_open_goes_on() {
    let mut shop = Shop::open().await;
    let payment = collects(&shop.counter, bill("12.50")).await.expect("the first");
    shop.hq.goes_away().await;

    assert_eq!(collects(&shop.counter, bill("12.50")).await.expect("known").pay_id, payment.pay_id);
    let origin = Origin::Bill { source: "pos".into(), external_ref: "A-2".into() };
    let unknown = NewOrder { origin, ..draft(new_click(), yuan("1.00")) };
    let refused = collects(&shop.counter, unknown.clone()).await.unwrap_err();
    assert!(refused.contains("headquarters"), "{refused}");

    shop.hq.comes_back().await;
    assert!(collects(&shop.counter, unknown).await.is_ok(), "the same click, once it answers");
}

#[tokio::test]
async fn a_till_without_headquarters_takes_bills_only_of_the_sources_set_for_it() {
    let shop = Shop::with().without_headquarters().opens().await;
    let refused = collects(&shop.counter, bill("12.50")).await.unwrap_err();
    assert!(refused.contains("pos"), "{refused}");

    let set = shop.counter.asks(|engine| async move { engine.set_bill_sources(&["pos", "local"]).is_ok() }).await;
    assert!(set);
    assert!(collects(&shop.counter, bill("12.50")).await.is_ok());
}
