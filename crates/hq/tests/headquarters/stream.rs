//! What a terminal is told: in order, without a gap, again until it has it, and nothing any more once its key is revoked.

use crate::house::House;
use crate::till::Till;
use serde_json::json;
use std::time::Duration;
use yidan_payment::OutTradeNo;
use yidan_wire::{Heard, Instructed, Instruction, InstructionOutcome, Told};

/// Gives an instruction about a number; answers with its name.
async fn instruct(house: &House, till: &Till, number: &str) -> String {
    let wanted = json!({"terminal_id": till.terminal_id, "act": "ask", "out_trade_no": number});
    house.post("/api/v1/instructions", &wanted).await["instruction_id"].as_str().unwrap().to_owned()
}

fn ask(number: &str) -> Told {
    Told::Instruction { instruction: Instruction::Ask { out_trade_no: OutTradeNo::new(number).unwrap() } }
}

#[tokio::test]
async fn everything_is_told_in_order_and_again_until_the_terminal_has_it() {
    let house = House::open().await;
    let till = house.till("S01").await;
    instruct(&house, &till, "A1").await;
    let mut stream = till.listen(0).await;
    let first = stream.next().await.unwrap();
    assert_eq!((first.seq, first.what), (1, ask("A1")));
    instruct(&house, &till, "A2").await;
    let second = stream.next().await.unwrap();
    assert_eq!((second.seq, second.what.clone()), (2, ask("A2")), "told while it listens");

    let mut again = till.listen(0).await;
    assert_eq!((again.next().await.unwrap().seq, again.next().await.unwrap()), (1, second.clone()));
    let heard = Heard { after: 2, id: Some(second.id) };
    till.post::<Heard>("/api/v1/stream/ack", &till.terminal_id, serde_json::to_vec(&heard).unwrap()).await.unwrap();

    assert_eq!(house.terminal(&till).await["heard_seq"], 2);
    instruct(&house, &till, "A3").await;
    assert_eq!(till.listen_after(heard).await.next().await.unwrap().seq, 3);
}

#[tokio::test]
async fn nobody_hears_what_another_terminal_is_told() {
    let house = House::open().await;
    let (first, second) = (house.till("S01").await, house.till("S01").await);
    let mut stream = second.listen(0).await;
    instruct(&house, &first, "A1").await;
    instruct(&house, &second, "B1").await;
    assert_eq!(stream.next().await.unwrap().what, ask("B1"));
}

#[tokio::test]
async fn a_revoked_key_hears_the_end_and_nothing_more() {
    let house = House::open().await;
    let till = house.till("S01").await;
    let mut stream = till.listen(0).await;

    house.post(&format!("/api/v1/terminals/{}/revoke", till.terminal_id), &json!({})).await;

    let end = tokio::time::timeout(Duration::from_secs(5), stream.next()).await;
    assert_eq!(end.unwrap(), None);
    assert_eq!(till.tries_to_listen(Heard::default()).await.status(), 401);
}

#[tokio::test]
async fn after_headquarters_was_restored_what_is_new_is_not_hidden_under_an_old_number() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    instruct(&house, &till, "A1").await;
    let one = till.listen(0).await.next().await.unwrap();
    let heard = Heard { after: 1, id: Some(one.id) };
    till.listen_after(heard).await;
    let house = house.back_up().await;
    till.url = house.hq.url();
    instruct(&house, &till, "A2").await;
    let two = till.listen_after(heard).await.next().await.unwrap();
    let heard = Heard { after: 2, id: Some(two.id) };

    let house = house.restore().await;
    till.url = house.hq.url();
    instruct(&house, &till, "A3").await;

    let three = till.listen_after(heard).await.next().await.unwrap();
    assert_eq!((three.seq, three.what), (3, ask("A3")));
    instruct(&house, &till, "A4").await;
    let four = till.listen_after(Heard { after: 3, id: Some(three.id) }).await.next().await.unwrap();
    assert_eq!((four.seq, four.what), (4, ask("A4")));
}

#[tokio::test]
async fn what_became_of_an_instruction_is_what_the_terminal_said_first() {
    let house = House::open().await;
    let mut till = house.till("S01").await;
    let name = instruct(&house, &till, "A1").await;
    let mut answer = Instructed {
        id: name.parse().unwrap(),
        outcome: InstructionOutcome::Refused,
        detail: "there is no such payment".into(),
    };
    till.write_text("instructed", serde_json::to_string(&answer).unwrap());
    answer.outcome = InstructionOutcome::Done;
    till.write_text("instructed", serde_json::to_string(&answer).unwrap());

    till.send_all().await.unwrap();

    let known = house.get("/api/v1/instructions").await;
    assert_eq!(known["instructions"][0]["outcome"], "REFUSED");
    assert_eq!(known["instructions"][0]["detail"], "there is no such payment");
}
