//! A short run of `make kill`: see `kill/main.rs`.

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_five_kills_lose_no_intent_and_charge_nobody_twice() {
    let result = harness::kill::run(25, rand::random(), |_| ()).await.expect("the programs run");

    assert!(result.is_clean(), "{result}");
    assert!(result.sales() >= 25, "customers bought while programs died: {result}");
}
