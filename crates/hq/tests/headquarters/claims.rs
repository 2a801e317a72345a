//! A bill of another program belongs to the terminal that opens it first.

use crate::house::House;
use crate::till::{Refused, Till};
use yidan_payment::Fen;
use yidan_wire::{Claim, EventKind, Granted};

async fn claim(till: &Till, external_ref: &str, fen: i64) -> Result<Granted, Refused> {
    let claim = Claim {
        source: "pos".into(),
        external_ref: external_ref.into(),
        amount_fen: Fen::from_fen(fen).unwrap(),
        subject: "午餐".into(),
    };
    till.post("/api/v1/claims", &till.terminal_id, serde_json::to_vec(&claim).unwrap()).await
}

#[tokio::test]
async fn the_first_terminal_owns_the_bill_and_hears_so_as_often_as_it_asks() {
    let house = House::open().await;
    let (first, second) = (house.till("S01").await, house.till("S01").await);

    let granted = claim(&first, "A-1", 1000).await.unwrap();
    assert_eq!(claim(&first, "A-1", 1000).await.unwrap(), granted);

    let (status, refused) = claim(&second, "A-1", 1000).await.unwrap_err();
    assert_eq!((status, &refused["why"], &refused["terminal_id"]), (409, &"owned".into(), &"S01T01".into()));
    assert!(claim(&second, "A-2", 1000).await.is_ok());
}

#[tokio::test]
async fn another_amount_is_refused_and_the_first_one_told() {
    let house = House::open().await;
    let till = house.till("S01").await;
    claim(&till, "A-1", 1000).await.unwrap();

    let (status, refused) = claim(&till, "A-1", 9999).await.unwrap_err();

    assert_eq!((status, &refused["why"], &refused["amount_fen"]), (409, &"changed".into(), &1000.into()));
}

#[tokio::test]
async fn another_store_has_its_own_bills_and_two_at_once_have_one_owner() {
    let house = House::open().await;
    let (first, second, other) = (house.till("S01").await, house.till("S01").await, house.till("S02").await);

    let (one, two) = tokio::join!(claim(&first, "A-1", 1000), claim(&second, "A-1", 1000));

    assert_ne!(one.is_ok(), two.is_ok());
    assert!(claim(&other, "A-1", 777).await.is_ok());
}

#[tokio::test]
async fn the_other_terminal_sees_what_the_owner_has_reported() {
    let house = House::open().await;
    let (mut first, second) = (house.till("S01").await, house.till("S01").await);
    claim(&first, "A-1", 1000).await.unwrap();
    let mut sale = first.begin(1000);
    (sale.source, sale.external_ref) = ("pos".into(), Some("A-1".into()));
    first.pay(&sale);
    first.send_all().await.unwrap();

    let (_, refused) = claim(&second, "A-1", 1000).await.unwrap_err();

    assert_eq!(refused["payment"]["out_trade_no"], sale.out_trade_no.as_str());
    assert_eq!(refused["payment"]["status"], "SUCCESS");
}

/// Headquarters was restored from an older backup: the grant is gone, the owner's journal comes again.
#[tokio::test]
async fn who_reports_a_bill_owns_it_although_nothing_is_known_of_a_grant() {
    let house = House::open().await;
    let (mut first, second) = (house.till("S01").await, house.till("S01").await);
    let mut sale = first.begin(1000);
    (sale.source, sale.external_ref) = ("pos".into(), Some("A-1".into()));
    first.write(EventKind::Collecting, &sale);
    first.send_all().await.unwrap();

    let (status, refused) = claim(&second, "A-1", 1000).await.unwrap_err();

    assert_eq!((status, &refused["terminal_id"]), (409, &"S01T01".into()));
}
