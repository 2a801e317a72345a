//! Who may give money back: a cashier up to the shop's limit, a manager above it, and nobody with a wrong PIN.

use crate::prelude::*;
use yidan_engine::{Act, NewRefund, RefundRules, Role, Signature};

/// Tries to approve; says how it went.
async fn approves(shop: &Shop, by: &str, asked_by: &str, pin: &str, act: Act) -> String {
    let (by, asked_by, pin) = (by.to_owned(), asked_by.to_owned(), pin.to_owned());
    let asked = shop.counter.asks(move |engine| async move {
        let who = Signature { asked_by: &asked_by, approved_by: &by, pin: &pin };
        engine.authorise(act, who).map(|approval| approval.approved_by().to_owned()).map_err(|error| error.to_string())
    });
    asked.await.map_or_else(|refused| refused, |_| "approved".to_owned())
}

fn refund_of(payment: &Payment, amount: &str) -> Act {
    Act::Refund { pay_id: payment.pay_id, amount: yuan(amount) }
}

#[tokio::test]
async fn a_cashier_gives_back_up_to_the_limit_and_a_manager_above_it() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let cashier = shop.counter.takes_on_a_cashier(yuan("20.00")).await.operator_id;
    let boss = shop.counter.asks(|engine| async move { manager(&engine).operator_id }).await;

    for (by, pin, amount, expected) in [
        (&cashier, CASHIER_PIN, "20.00", "approved"),
        (&cashier, CASHIER_PIN, "20.01", "this needs a manager"),
        (&boss, MANAGER_PIN, "20.01", "approved"),
        (&boss, CASHIER_PIN, "20.01", "the PIN is wrong"),
        (&"nobody".to_owned(), MANAGER_PIN, "1.00", "there is no such operator"),
    ] {
        assert_eq!(approves(&shop, by, &cashier, pin, refund_of(&payment, amount)).await, expected, "{amount}");
    }
    let rules = Act::Rule;
    assert_eq!(approves(&shop, &cashier, "", CASHIER_PIN, rules).await, "this needs a manager");
}

#[tokio::test]
async fn without_a_limit_every_refund_needs_a_manager() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let cashier = shop.counter.takes_on_a_cashier(Fen::ZERO).await.operator_id;

    let refused = approves(&shop, &cashier, "", CASHIER_PIN, refund_of(&payment, "0.01")).await;

    assert_eq!(refused, "this needs a manager");
}

#[tokio::test]
async fn the_approver_may_have_to_be_somebody_else() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let cashier = shop.counter.takes_on_a_cashier(yuan("5.00")).await.operator_id;
    let boss = shop
        .counter
        .asks(|engine| async move {
            let rules = RefundRules { cashier_limit: yuan("5.00"), approver_must_differ: true };
            engine.save_refund_rules(rules, &approve(&engine, Act::Rule)).expect("kept");
            manager(&engine).operator_id
        })
        .await;

    let act = refund_of(&payment, "50.00");
    assert_eq!(approves(&shop, &boss, &boss, MANAGER_PIN, act).await, "somebody else than who asks must approve it");
    assert_eq!(approves(&shop, &boss, &cashier, MANAGER_PIN, act).await, "approved");
    assert_eq!(approves(&shop, &cashier, &cashier, CASHIER_PIN, refund_of(&payment, "5.00")).await, "approved");
}

#[tokio::test]
async fn wrong_pins_lock_one_person_only_and_a_restart_does_not_help() {
    let mut shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let cashier = shop.counter.takes_on_a_cashier(yuan("5.00")).await.operator_id;
    let boss = shop.counter.asks(|engine| async move { manager(&engine).operator_id }).await;
    let act = refund_of(&payment, "1.00");

    for _ in 0..4 {
        assert_eq!(approves(&shop, &cashier, "", "000000", act).await, "the PIN is wrong");
    }
    shop.counter.restarts().await;
    assert!(approves(&shop, &cashier, "", "000000", act).await.starts_with("too many wrong PINs"));
    assert!(approves(&shop, &cashier, "", CASHIER_PIN, act).await.starts_with("too many wrong PINs"));
    assert_eq!(approves(&shop, &boss, "", MANAGER_PIN, act).await, "approved");
    shop.jump(minutes(6)).await;
    assert_eq!(approves(&shop, &cashier, "", CASHIER_PIN, act).await, "approved");
}

#[tokio::test]
async fn an_approval_is_good_for_one_thing_and_the_journal_says_whose_it_was() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let pay_id = payment.pay_id;
    let till = &shop.counter;
    let refund = |amount: Fen, approved: Fen| {
        till.asks(move |engine| async move {
            let approval = approve(&engine, Act::Refund { pay_id, amount: approved });
            let (request_id, reason) = (new_request(), String::new());
            let wanted =
                NewRefund { request_id, pay_id, trade_no: None, amount, reason, seen_refunded: None, approval };
            let refunded = engine.refund(wanted).await.map_err(|error| error.to_string())?;
            let lines = engine.database().list_events_of(pay_id).expect("readable");
            Ok::<_, String>((refunded, lines, manager(&engine).operator_id))
        })
    };

    assert!(refund(yuan("30.00"), yuan("3.00")).await.unwrap_err().contains("not approved"));
    let (_, lines, boss) = refund(yuan("3.00"), yuan("3.00")).await.expect("refunded");

    let wished = lines.iter().find(|line| line.kind == "refunding").expect("the wish is in the journal");
    assert!(wished.payload.contains(&format!("\"approver_id\":\"{boss}\"")), "{}", wished.payload);
}

#[tokio::test]
async fn whoever_left_approves_nothing_and_the_last_manager_stays() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let cashier = shop.counter.takes_on_a_cashier(yuan("5.00")).await.operator_id;
    let gone = cashier.clone();
    let (left, refused, names) = shop
        .counter
        .asks(move |engine| async move {
            let rule = approve(&engine, Act::Rule);
            let left = engine.remove_operator(&gone, &rule).map_err(|error| error.to_string());
            let last = engine.remove_operator(&manager(&engine).operator_id, &rule).map_err(|error| error.to_string());
            let boss = engine.add_operator("李店长", Role::Manager, "161803", &rule).expect("a second manager");
            engine.reset_pin(&boss.operator_id, "141421", &rule).expect("a new PIN");
            assert!(engine.change_pin(&boss.operator_id, "161803", "173205").is_err(), "the old PIN is over");
            engine.change_pin(&boss.operator_id, "141421", "173205").expect("one's own PIN");
            let people = engine.database().list_operators().expect("readable");
            (left, last, people.into_iter().map(|operator| operator.name).collect::<Vec<_>>())
        })
        .await;

    assert_eq!((left, refused), (Ok(()), Err("the last manager must stay".to_owned())));
    assert_eq!(names, ["演示店长", "李店长"]);
    let act = refund_of(&payment, "1.00");
    assert_eq!(approves(&shop, &cashier, "", CASHIER_PIN, act).await, "there is no such operator");
}
