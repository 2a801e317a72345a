//! The gateway did what it was asked, but the answer is lost on the way. The cashier must not charge again.

use crate::prelude::*;

#[tokio::test]
async fn a_lost_precreate_answer_is_asked_for_and_the_same_number_gets_its_code() {
    let shop = Shop::open().await;
    shop.alipay.next_fault(Fault::once("alipay.trade.precreate", FaultKind::LoseAnswer));

    let payment = shop.counter.collects(yuan("12.34")).await;
    assert_eq!((name(&payment), &payment.qr_code), ("INIT", &None));
    assert!(shop.counter.contact(&payment).await.trouble.is_some());
    shop.turn(seconds(4)).await;

    let shown = shop.counter.payment(&payment).await;
    assert_eq!((name(&shown), &shown.out_trade_no), ("PRECREATED", &payment.out_trade_no));
    assert_eq!(shop.calls(&payment, "precreate"), 2);
    shop.buyer.scans_and_pays(&shown);
    shop.turn(seconds(4)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    assert_eq!(shop.charges(&payment), 1);
    shop.books_agree(1, yuan("12.34")).await;
}

#[tokio::test]
async fn a_lost_answer_to_the_paying_query_is_asked_for_and_becomes_success() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.alipay.next_fault(Fault::once("alipay.trade.query", FaultKind::LoseAnswer));

    shop.turn(seconds(3)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED");
    shop.turn(seconds(4)).await;

    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.books_agree(1, yuan("12.34")).await;
}

/// Whatever comes instead of a signed answer is unknown: the payment stays as it is and is asked for again.
#[tokio::test]
async fn every_unusable_answer_leaves_the_payment_as_it_is() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.34")).await;
    shop.buyer.scans_and_pays(&payment);
    let nonsense = [
        FaultKind::DropBefore,
        FaultKind::Unavailable20000,
        FaultKind::SystemErrorBefore,
        FaultKind::SystemErrorAfter,
        FaultKind::BadSignature,
        FaultKind::TamperedBody,
        FaultKind::EmptyOk,
        FaultKind::GbkHtml,
        FaultKind::Unsigned,
        FaultKind::Limited40005,
    ];

    for kind in nonsense {
        shop.alipay.next_fault(Fault::once("alipay.trade.query", kind));
        let calls = shop.calls(&payment, "query");
        while shop.calls(&payment, "query") == calls {
            shop.turn(seconds(1)).await;
        }
        assert_eq!(name(&shop.counter.payment(&payment).await), "PRECREATED", "{kind:?}");
    }

    shop.turn(seconds(60)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    shop.books_agree(1, yuan("12.34")).await;
}
