//! The next morning: Alipay's bill beside the counter's books. What differs is asked for; the bill itself books nothing.

use crate::prelude::*;
use yidan_engine::{Action, BillDayRow, BillPlan, BillTrouble, Settlement};
use yidan_payment::Class;

#[tokio::test]
async fn the_bill_of_a_usual_day_agrees_and_shows_fee_net_and_business_days() {
    let shop = Shop::open().await;
    paid(&shop, "100.00").await;
    paid(&shop, "23.40").await;
    let day = today(&shop);

    assert!(matches!(fetches(&shop, &day).await, Err(BillTrouble::NotOver(_))));
    shop.jump(hours(14)).await;
    assert!(matches!(fetches(&shop, &day).await, Err(BillTrouble::NotReady(_))), "it is two in the morning");
    shop.jump(hours(9)).await;
    let bill = fetches(&shop, &day).await.expect("a bill");
    let plan = plans(&shop, &day).await;

    assert_eq!((bill.trade_count, bill.trade_fen, bill.fee_fen), (2, 12_340, -74));
    assert_eq!(plan.day.net_fen(), 12_266);
    assert_eq!((plan.matched, plan.differences.len(), plan.is_next_day_in), (2, 0, false));
    let bridge: Vec<_> = plan.bridge.iter().map(|part| (part.business_day.clone(), part.count, part.fen)).collect();
    assert_eq!(bridge, [(day.clone(), 2, 12_340)]);
    assert_eq!(settles(&shop, &day).await, Settlement::default());
    shop.books_agree_for(&day, 2, yuan("123.40")).await;
}

#[tokio::test]
async fn bl17_a_bill_that_is_read_twice_counts_once() {
    let shop = Shop::with().without_headquarters().opens().await;
    let archive = include_bytes!("../fixtures/cases/bill/BL2.zip");
    let import = || {
        shop.counter.asks(move |engine| async move {
            let mut bill = yidan_engine::read_bill(archive).expect("a bill");
            let days = engine.import_bill(&bill).expect("kept");
            bill.account = Some("20881234567890120156".into());
            assert!(matches!(engine.import_bill(&bill), Err(BillTrouble::Refused(_))), "it is another merchant's");
            (days, engine.plan_bill("2026-11-29").expect("a plan"))
        })
    };

    let (days, plan) = import().await;
    let (again, same_plan) = import().await;

    let sums = |days: &[BillDayRow]| (days[0].trade_count, days[0].trade_fen, days[0].refund_count, days[0].refund_fen);
    assert_eq!(sums(&days), (5, 1_245_556, 3, -8_980));
    assert_eq!(sums(&again), sums(&days));
    assert_eq!(same_plan.differences, plan.differences);
    assert_eq!(plan.differences.len(), 5, "five numbers that no program of ours has minted: {plan:?}");
}

#[tokio::test]
async fn money_that_no_answer_told_of_is_asked_for_and_booked() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("12.00")).await;
    shop.buyer.scans_and_pays(&payment);
    shop.alipay.next_fault(Fault { times: 10_000, ..Fault::once("alipay.trade.query", FaultKind::DropBefore) });
    let day = next_morning(&shop).await;
    fetches(&shop, &day).await.expect("a bill");

    let plan = plans(&shop, &day).await;
    assert_eq!(classes(&plan), [(Class::LocalNotPaid, Action::AskTrade)]);
    assert_eq!(settles(&shop, &day).await.unanswered.len(), 1);
    assert_ne!(name(&shop.counter.payment(&payment).await), "SUCCESS", "a bill books nothing");

    shop.alipay.clear_faults();
    assert_eq!(settles(&shop, &day).await.booked.len(), 1);
    assert_eq!(name(&shop.counter.payment(&payment).await), "SUCCESS");
    nothing_is_left(&shop, &day).await;
    shop.books_agree_for(&day, 1, yuan("12.00")).await;
    let tomorrow = today(&shop);
    let prior = shop.counter.asks(move |engine| async move { engine.list_prior_days(&tomorrow) }).await;
    let prior: Vec<_> = prior.expect("readable").into_iter().map(|late| (late.business_day, late.gross)).collect();
    assert_eq!(prior, [(day, yuan("12.00"))], "it prints as money of a prior day");
}

#[tokio::test]
async fn numbers_that_a_restored_database_forgot_are_written_down_again() {
    let mut shop = Shop::with().without_headquarters().opens().await;
    shop.counter.dies();
    let backup = shop.counter.folder().0.with_extension("backup");
    copy_folder(&shop.counter.folder().0, &backup);
    shop.counter.starts().await;
    let forgotten = paid(&shop, "88.00").await;
    let order_no = shop.counter.orders().await[0].0.order_no.clone();
    shop.counter.dies();
    std::fs::remove_dir_all(&shop.counter.folder().0).expect("the disk is replaced");
    copy_folder(&backup, &shop.counter.folder().0);
    shop.counter.starts().await;
    let day = next_morning(&shop).await;
    fetches(&shop, &day).await.expect("a bill");

    assert_eq!(classes(&plans(&shop, &day).await), [(Class::Forgotten, Action::WriteDownAgain)]);
    assert_eq!(settles(&shop, &day).await.booked.len(), 1);

    let orders = shop.counter.orders().await;
    let pay_id = orders[0].1;
    let again = shop.counter.asks(move |engine| async move { engine.database().load_payment(pay_id) }).await;
    let again = again.expect("a payment");
    assert_eq!((name(&again), &again.out_trade_no), ("SUCCESS", &forgotten.out_trade_no));
    assert_eq!((orders.len(), &orders[0].0.order_no), (1, &order_no), "under the number of the customer's slip");
    assert!(shop.counter.cases().await.is_empty());
    nothing_is_left(&shop, &day).await;
}

#[tokio::test]
async fn a_trade_of_another_program_is_told_to_a_person_once() {
    let shop = Shop::open().await;
    let number = yidan_payment::OutTradeNo::new("WEBSHOP20261130000017").expect("a number");
    let client = another_client(&shop).await;
    let order = yidan_payment::PrecreateOrder {
        out_trade_no: number.clone(),
        amount: yuan("45.00"),
        subject: "网店".into(),
        time_expire: shop.clock.now().after(minutes(5)),
        qr_minutes: 5,
        store_id: String::new(),
        terminal_id: String::new(),
        operator_id: String::new(),
        passback_params: None,
    };
    client.precreate(&number, &client.precreate_body(&order)).await.expect("a code");
    let code = shop.alipay.latest_qr(number.as_str()).expect("a code");
    shop.alipay.scan(&code, "amy").expect("the phone scans");
    shop.alipay.pay(number.as_str(), "amy").expect("the phone pays");
    let day = next_morning(&shop).await;
    fetches(&shop, &day).await.expect("a bill");

    assert_eq!(classes(&plans(&shop, &day).await), [(Class::UnknownTrade, Action::TellAPerson)]);
    assert_eq!(settles(&shop, &day).await.told.len(), 1);
    nothing_is_left(&shop, &day).await;

    let found = shop.counter.asks(|engine| async move { engine.database().list_open_findings() }).await;
    let found = found.expect("readable");
    assert_eq!(found.iter().map(|found| found.finding.bill_fen).collect::<Vec<_>>(), [Some(4_500)]);
    let finding = found[0].finding.clone();
    let decide = move |engine: std::rc::Rc<yidan_engine::Engine>| async move {
        let first = engine.resolve_finding(&finding, "the web shop's", "m1").map_err(|error| error.to_string());
        (first, engine.resolve_finding(&finding, "again", "m2").is_err())
    };
    assert_eq!(shop.counter.asks(decide).await, (Ok(()), true), "it is decided once");
    nothing_is_left(&shop, &day).await;
}

#[tokio::test]
async fn a_refund_in_the_phone_app_is_asked_for_by_the_number_in_the_bill() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    let number = shop.alipay.refund_elsewhere(payment.out_trade_no.as_str(), 2_500).expect("the app refunds");
    let day = next_morning(&shop).await;
    fetches(&shop, &day).await.expect("a bill");
    assert!(shop.counter.payment(&payment).await.refunds.is_empty());

    assert_eq!(classes(&plans(&shop, &day).await), [(Class::RefundExtra, Action::AskRefund)]);
    assert_eq!(settles(&shop, &day).await.booked.len(), 1);

    let known = shop.counter.payment(&payment).await.refunds[0].clone();
    assert_eq!((known.origin, known.amount), (yidan_payment::RefundOrigin::Foreign, yuan("25.00")));
    assert_eq!(known.out_request_no, Some(number));
    assert_eq!(shop.counter.cases().await, [CaseKind::RefundedElsewhere]);
    nothing_is_left(&shop, &day).await;
}

/// Our books and the gateway's signed answers have a refund, the bill has none: somebody must look, once.
#[tokio::test]
async fn a_refund_that_the_bill_does_not_have_opens_a_case() {
    let shop = Shop::open().await;
    let payment = paid(&shop, "100.00").await;
    shop.counter.tries_to_refund(new_click(), &payment, yuan("30.00")).await.expect("refunded");
    let day = next_morning(&shop).await;
    let mut bill = real_bill(&shop, &day).await;
    assert_eq!(bill.lines.len(), 2);
    bill.lines.retain(|line| line.order_fen > 0);
    shop.counter.asks(move |engine| async move { engine.import_bill(&bill).map(|_| ()) }).await.expect("kept");

    assert_eq!(classes(&plans(&shop, &day).await), [(Class::RefundMissing, Action::AskRefund)]);
    assert_eq!(settles(&shop, &day).await.cases.len(), 1);
    assert_eq!(shop.counter.cases().await, [CaseKind::Contradiction]);
    nothing_is_left(&shop, &day).await;

    // The right bill comes after all.
    fetches(&shop, &day).await.expect("a bill");
    assert_eq!(plans(&shop, &day).await.matched, 2);
    nothing_is_left(&shop, &day).await;
}

/// The bill is damaged on the way, or the channel's two systems disagree: nothing is booked, a person must look, once.
#[tokio::test]
async fn what_the_bill_has_otherwise_opens_one_case_each() {
    let shop = Shop::open().await;
    let other_amount = paid(&shop, "10.00").await;
    let missing = paid(&shop, "20.00").await;
    let twice = paid(&shop, "30.00").await;
    let day = next_morning(&shop).await;
    let mut bill = real_bill(&shop, &day).await;
    bill.lines.retain(|line| line.out_trade_no != missing.out_trade_no.as_str());
    for line in &mut bill.lines {
        if line.out_trade_no == other_amount.out_trade_no.as_str() {
            line.order_fen = 999;
        }
    }
    let mut second = bill.lines.iter().find(|line| line.out_trade_no == twice.out_trade_no.as_str()).cloned();
    second.as_mut().expect("a line").trade_no =
        yidan_payment::TradeNo::new("2026113022001499999999999999").expect("fits");
    bill.lines.extend(second);
    shop.counter.asks(move |engine| async move { engine.import_bill(&bill).map(|_| ()) }).await.expect("kept");

    let mut found = classes(&plans(&shop, &day).await);
    found.sort_by_key(|(class, _)| *class);
    assert_eq!(
        found,
        [
            (Class::ChannelMissing, Action::OpenCase(CaseKind::ChannelMissing)),
            (Class::Amount, Action::OpenCase(CaseKind::AmountMismatch)),
            (Class::Duplicate, Action::OpenCase(CaseKind::DuplicatePayment)),
        ]
    );
    assert_eq!(settles(&shop, &day).await.cases.len(), 3);

    let mut cases = shop.counter.cases().await;
    cases.sort_unstable();
    assert_eq!(cases, [CaseKind::AmountMismatch, CaseKind::DuplicatePayment, CaseKind::ChannelMissing]);
    nothing_is_left(&shop, &day).await;
    assert_eq!(shop.counter.cases().await.len(), 3);
    shop.books_agree_for(&day, 3, yuan("60.00")).await;
}

#[tokio::test]
async fn a_code_that_nobody_scanned_is_asked_for_once_more_when_the_bill_is_in() {
    let shop = Shop::open().await;
    let payment = shop.counter.collects(yuan("5.00")).await;
    shop.turn(minutes(8)).await;
    assert_eq!(name(&shop.counter.payment(&payment).await), "CLOSED");
    paid(&shop, "1.00").await;
    let day = next_morning(&shop).await;
    fetches(&shop, &day).await.expect("a bill");
    let calls = shop.calls(&payment, "query");

    assert_eq!(plans(&shop, &day).await.ask_again, [payment.pay_id]);
    assert_eq!(settles(&shop, &day).await.asked_again, 1);
    assert_eq!(settles(&shop, &day).await.asked_again, 0);
    assert_eq!(shop.calls(&payment, "query"), calls + 1);
}

/// Wherever the power goes while the plan is carried out, the same comes of it afterwards.
#[tokio::test]
async fn interrupted_at_any_point_and_run_again_the_result_is_the_same() {
    for calls_before_the_power_goes in 0..6 {
        let mut shop = Shop::with().without_headquarters().opens().await;
        let mut payments = Vec::new();
        for amount in ["1.00", "2.00", "3.00"] {
            payments.push(paid(&shop, amount).await);
        }
        let day = next_morning(&shop).await;
        let mut bill = real_bill(&shop, &day).await;
        for line in &mut bill.lines {
            line.order_fen += 1;
        }
        shop.counter.asks(move |engine| async move { engine.import_bill(&bill).map(|_| ()) }).await.expect("kept");
        let asked = |shop: &Shop| payments.iter().map(|payment| shop.calls(payment, "query")).sum::<u32>();
        let before = asked(&shop);
        let counter = shop.counter.handle();
        let for_till = day.clone();
        let settling = tokio::spawn(async move {
            counter.ask(move |engine| async move { engine.settle_bill(&for_till).await.map(|_| ()) }).await
        });
        while asked(&shop) < before + calls_before_the_power_goes && !settling.is_finished() {
            tokio::task::yield_now().await;
        }
        shop.counter.dies();
        drop(settling);

        shop.counter.starts().await;
        settles(&shop, &day).await;

        assert_eq!(shop.counter.cases().await, [CaseKind::AmountMismatch; 3], "{calls_before_the_power_goes}");
        nothing_is_left(&shop, &day).await;
    }
}

/// Ten in the morning of the next day; returns the day that is over.
async fn next_morning(shop: &Shop) -> String {
    let day = today(shop);
    shop.jump(hours(22)).await;
    day
}

fn today(shop: &Shop) -> String {
    yidan_engine::business_day(shop.clock.now(), 0)
}

async fn fetches(shop: &Shop, day: &str) -> Result<BillDayRow, BillTrouble> {
    let day = day.to_owned();
    shop.counter.asks(move |engine| async move { engine.fetch_bill(&day).await }).await
}

async fn plans(shop: &Shop, day: &str) -> BillPlan {
    let day = day.to_owned();
    shop.counter.asks(move |engine| async move { engine.plan_bill(&day) }).await.expect("a plan")
}

async fn settles(shop: &Shop, day: &str) -> Settlement {
    let day = day.to_owned();
    shop.counter.asks(move |engine| async move { engine.settle_bill(&day).await }).await.expect("settled")
}

async fn nothing_is_left(shop: &Shop, day: &str) {
    shop.jump(seconds(1)).await;
    let plan = plans(shop, day).await;
    assert_eq!((plan.differences, plan.ask_again), (Vec::new(), Vec::new()));
    assert_eq!(settles(shop, day).await, Settlement::default(), "a second run is empty");
}

/// The bill as the gateway has it, to be damaged.
async fn real_bill(shop: &Shop, day: &str) -> yidan_alipay::Bill {
    let client = another_client(shop).await;
    let answer = client.fetch_bill(yidan_alipay::BillDay::parse(day).expect("a day")).await.expect("an answer");
    let yidan_alipay::BillAnswer::Ready(bill) = answer else { panic!("no bill: {answer:?}") };
    bill
}

fn classes(plan: &BillPlan) -> Vec<(Class, Action)> {
    plan.differences.iter().map(|difference| (difference.finding.class, difference.action)).collect()
}
