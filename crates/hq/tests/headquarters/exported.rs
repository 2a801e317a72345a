//! What headquarters gives out can be checked without it.

use crate::house::{House, merchant};
use yidan_hq::verify;

#[tokio::test]
async fn an_exported_journal_is_whole_and_its_money_is_proved() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    till.sell(1000);
    till.sell(2000);
    till.send_all().await.unwrap();

    let file = house.export(&till.terminal_id).await;
    let verified = verify(file.as_bytes(), &merchant()).unwrap();

    assert_eq!((verified.proved, verified.unproved.len()), (2, 0));
    let journal = &verified.journals[0];
    assert_eq!((journal.lines, journal.head_hash), (4, till.journal[3].hash));
}

#[tokio::test]
async fn a_changed_a_missing_and_an_unproved_line_are_told() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let mut state = till.sell(1000);
    state.proof = None;
    till.write(yidan_wire::EventKind::Paid, &state);
    till.send_all().await.unwrap();
    let file = house.export(&till.terminal_id).await;

    let verified = verify(file.as_bytes(), &merchant()).unwrap();
    assert_eq!((verified.proved, verified.unproved[0].seq), (1, 3));

    let changed = file.replacen("1000", "9000", 1);
    assert!(verify(changed.as_bytes(), &merchant()).is_err());
    let missing: String = file.lines().skip(1).map(|line| format!("{line}\n")).collect();
    assert!(verify(missing.as_bytes(), &merchant()).is_err());
    assert!(verify("{}".as_bytes(), &merchant()).is_err());
}
