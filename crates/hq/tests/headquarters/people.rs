//! Who may look: a person with a password, or a program with the token.

use crate::house::{House, client};
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use serde_json::json;
use std::time::Duration;
use yidan_hq::Secret;

const PASSWORD: &str = "correct horse";

async fn house_with_user() -> House {
    let house = House::open().await;
    house.hq.set_user("财务 03", &Secret::new(PASSWORD)).await.unwrap();
    house
}

async fn sign_in(house: &House, name: &str, password: &str) -> reqwest::Response {
    client()
        .post(house.address("/api/v1/sign-in"))
        .header(ORIGIN, house.hq.url())
        .json(&json!({ "name": name, "password": password }))
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn nobody_looks_without_signing_in() {
    let house = House::open().await;
    for path in ["payments", "payments/X", "totals", "cases", "terminals", "live", "me"] {
        let answer = client().get(house.address(&format!("/api/v1/{path}"))).send().await.unwrap();
        assert_eq!(answer.status(), 401, "{path}");
        let wrong = client().get(house.address(&format!("/api/v1/{path}"))).bearer_auth("guess").send().await.unwrap();
        assert_eq!(wrong.status(), 401, "{path}");
    }
    for path in ["enrolment-codes", "terminals/S01T01/revoke", "sign-out"] {
        let request = client().post(house.address(&format!("/api/v1/{path}"))).header(ORIGIN, house.hq.url());
        assert_eq!(request.json(&json!({})).send().await.unwrap().status(), 401, "{path}");
    }
    assert_eq!(client().get(house.address("/healthz")).send().await.unwrap().status(), 200);
    assert_eq!(client().get(house.address("/readyz")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_session_looks_acts_and_ends() {
    let house = house_with_user().await;
    let answer = sign_in(&house, "财务 03", PASSWORD).await;
    assert_eq!(answer.status(), 200);
    let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let session = cookie.split(';').next().unwrap();

    let me = client().get(house.address("/api/v1/me")).header(COOKIE, session).send().await.unwrap();
    assert_eq!(me.json::<serde_json::Value>().await.unwrap()["name"], "财务 03");
    let code = json!({ "store_id": "S01", "store_name": "一号店", "terminal_id": null });
    let make = |origin: String| {
        client()
            .post(house.address("/api/v1/enrolment-codes"))
            .header(COOKIE, session)
            .header(ORIGIN, origin)
            .json(&code)
    };
    assert_eq!(make("https://evil.example".into()).send().await.unwrap().status(), 403);
    let made: serde_json::Value = make(house.hq.url()).send().await.unwrap().json().await.unwrap();
    assert_eq!(made["terminal_id"], "S01T01");

    house.turn_clock(Duration::from_hours(12));
    let me = client().get(house.address("/api/v1/me")).header(COOKIE, session).send().await.unwrap();
    assert_eq!(me.status(), 401, "a session ends after twelve hours");
}

#[tokio::test]
async fn five_wrong_passwords_lock_the_name_for_a_while_whether_it_exists_or_not() {
    let house = house_with_user().await;
    for name in ["财务 03", "nobody"] {
        for _ in 0..4 {
            assert_eq!(sign_in(&house, name, "wrong password").await.status(), 401);
        }
        let fifth = sign_in(&house, name, "wrong password").await;
        assert_eq!((fifth.status().as_u16(), fifth.headers()["retry-after"].to_str().unwrap()), (429, "300"));
    }
    assert_eq!(sign_in(&house, "财务 03", PASSWORD).await.status(), 429, "not even with the right one");
    house.turn_clock(Duration::from_mins(6));
    assert_eq!(sign_in(&house, "财务 03", PASSWORD).await.status(), 200);
}

#[tokio::test]
async fn passwords_and_codes_are_stored_only_as_hashes() {
    let house = house_with_user().await;
    let code = house.code("S01", None).await;
    let answer = sign_in(&house, "财务 03", PASSWORD).await;
    let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    let token = cookie.split(['=', ';']).nth(1).unwrap().to_owned();
    let stored = house.stop_and_read().await;
    for secret in [PASSWORD, code.reveal(), token.as_str()] {
        assert!(!stored.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}
