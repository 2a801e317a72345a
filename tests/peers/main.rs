//! Other people's programs sell in the sandbox: three SDKs that are used against the real Alipay, each with its own
//! signature check on, against the real program over real HTTP. Beside each of them our own client asks the same.
//!
//! If they all accept it, the sandbox speaks Alipay's language and not only ours; if both are told the same, we understand
//! it. Nothing is skipped: an SDK that is not installed is a failure (`make target/peers/ready` installs them).
//!
//! Deliberately absent: Alipay's own SDK for Python with certificates, which it does not know; the V3 protocol.

#![cfg(test)]

mod back;
mod books;
mod codes;
mod ours;
mod pair;
mod sale;
mod sandbox;
mod sdk;

use ours::Known;
use pair::Pair;
use sdk::Peer;

const NODE: &str = "node";
const OFFICIAL: &str = "target/peers/official/bin/python";
const COMMUNITY: &str = "target/peers/community/bin/python";

#[tokio::test]
async fn alipays_own_sdk_for_node_and_our_client_see_the_same_by_keys() {
    play(&Peer { interpreter: NODE, script: "node.mjs", known: Known::ByKeys }).await;
}

#[tokio::test]
async fn alipays_own_sdk_for_node_and_our_client_see_the_same_by_certificates() {
    play(&Peer { interpreter: NODE, script: "node.mjs", known: Known::ByCertificates }).await;
}

#[tokio::test]
async fn alipays_own_sdk_for_python_and_our_client_see_the_same_by_keys() {
    play(&Peer { interpreter: OFFICIAL, script: "official.py", known: Known::ByKeys }).await;
}

#[tokio::test]
async fn the_communitys_sdk_for_python_and_our_client_see_the_same_by_keys() {
    play(&Peer { interpreter: COMMUNITY, script: "community.py", known: Known::ByKeys }).await;
}

#[tokio::test]
async fn the_communitys_sdk_for_python_and_our_client_see_the_same_by_certificates() {
    play(&Peer { interpreter: COMMUNITY, script: "community.py", known: Known::ByCertificates }).await;
}

/// Every call of the product, each with its own number; the bill at the end, because it turns the clock.
async fn play(peer: &Peer) {
    let mut pair = Pair::open(peer).await;
    sale::paid(&mut pair).await;
    sale::closed(&mut pair).await;
    sale::deceived(&mut pair).await;
    back::refunded(&mut pair).await;
    back::cancelled(&mut pair).await;
    codes::taken(&mut pair).await;
    books::certificate(&mut pair).await;
    books::bill(&mut pair).await;
}
