//! Headquarters: the real server, asked over HTTP.

use crate::ShopClock;
use serde_json::Value;
use std::path::{Path, PathBuf};
use yidan_hq::{Clock, Config, Hq, Merchant, NewCode, Notices, Secret, start};
use yidan_payment::{Fen, Payment};
use yidan_sandbox::Sandbox;

const TOKEN: &str = "headquarters-test-token-0123456789";

/// Headquarters, running or away.
pub struct Headquarters {
    running: Option<Hq>,
    database: PathBuf,
    merchant: String,
    clock: ShopClock,
    address: std::net::SocketAddr,
    notices: Notices,
}

impl Headquarters {
    pub(crate) async fn open(folder: &Path, sandbox: &Sandbox, clock: &ShopClock, notices: bool) -> Headquarters {
        let merchant = format!(
            "app_id = \"{}\"\nseller_id = \"{}\"\nmode = \"demo\"\nalipay_public_key = \"\"\"\n{}\"\"\"\n",
            sandbox.app_id(),
            sandbox.seller_id(),
            sandbox.alipay_public_key_pem(),
        );
        let mut headquarters = Headquarters {
            running: None,
            database: folder.join("hq.db"),
            merchant,
            clock: clock.clone(),
            address: ([127, 0, 0, 1], 0).into(),
            notices: if notices { Notices::Here } else { Notices::Off },
        };
        headquarters.comes_back().await;
        headquarters
    }

    /// Starts again on the same database and address.
    pub async fn comes_back(&mut self) {
        let clock = self.clock.clone();
        let hq = start(Config {
            listen: self.address,
            database_url: format!("sqlite:{}", self.database.display()),
            merchant: Merchant::parse(&self.merchant).expect("a merchant"),
            demo: true,
            behind_proxy: false,
            admin_token: Some(Secret::new(TOKEN.to_owned())),
            notices: self.notices.clone(),
            clock: Clock::of(move || clock.now()),
        })
        .await
        .expect("headquarters starts");
        self.address = hq.url().trim_start_matches("http://").parse().expect("an address");
        self.running = Some(hq);
    }

    /// Is switched off.
    pub async fn goes_away(&mut self) {
        self.running.take().expect("headquarters runs").stop().await;
    }

    /// Its database is copied, as every night.
    pub async fn backs_up(&mut self) {
        self.goes_away().await;
        std::fs::copy(&self.database, self.database.with_extension("backup")).expect("a copy");
        self.comes_back().await;
    }

    /// Its database is replaced by the copy.
    pub async fn is_restored(&mut self) {
        self.goes_away().await;
        std::fs::copy(self.database.with_extension("backup"), &self.database).expect("a copy");
        self.comes_back().await;
    }

    /// Where it answers.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes an enrolment code for a till of store S01.
    pub async fn reads_out_a_code(&self) -> String {
        self.code_for(None).await
    }

    /// Makes an enrolment code for a till that enrols again.
    pub async fn reads_out_a_code_for(&self, terminal_id: &str) -> String {
        self.code_for(Some(terminal_id.to_owned())).await
    }

    async fn code_for(&self, terminal_id: Option<String>) -> String {
        let wanted = NewCode { store_id: "S01".into(), store_name: "木禾便利店".into(), terminal_id };
        let hq = self.running.as_ref().expect("headquarters runs");
        let code = hq.create_code(&wanted).await.map_err(|problem| format!("{problem:?}")).expect("a code");
        code.code.reveal().to_owned()
    }

    /// The day's total that headquarters has proved.
    pub async fn total(&self, day: &str) -> Fen {
        let totals = self.get(&format!("/api/v1/totals?day={day}")).await;
        Fen::from_fen(totals["gross_fen"].as_i64().expect("gross_fen")).expect("not negative")
    }

    /// What it has proved to have gone back of a day's receipts.
    pub async fn refunded(&self, day: &str) -> Fen {
        let totals = self.get(&format!("/api/v1/totals?day={day}")).await;
        Fen::from_fen(totals["refunds_fen"].as_i64().expect("refunds_fen")).expect("not negative")
    }

    /// How many receipts it counts on a day.
    pub async fn count(&self, day: &str) -> i64 {
        self.get(&format!("/api/v1/totals?day={day}")).await["count"].as_i64().expect("count")
    }

    /// The status it has of a payment, if it has it.
    pub async fn find_status(&self, payment: &Payment) -> Option<String> {
        let payments = self.get(&format!("/api/v1/payments?out_trade_no={}", payment.out_trade_no)).await;
        payments["payments"][0]["status"].as_str().map(ToOwned::to_owned)
    }

    /// Kinds of its open cases.
    pub async fn cases(&self) -> Vec<String> {
        let cases = self.get("/api/v1/cases").await;
        let kinds = cases["cases"].as_array().expect("cases").iter();
        kinds.map(|case| case["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    /// The last thing it told the first till, by number.
    pub async fn last_told(&self) -> i64 {
        self.get("/api/v1/terminals").await["terminals"][0]["push_seq"].as_i64().expect("push_seq")
    }

    /// The notices it keeps about a payment, as they came.
    #[must_use]
    pub fn notices(&self, payment: &Payment) -> Vec<String> {
        let database = rusqlite::Connection::open(&self.database).expect("its file");
        let mut rows = database.prepare("select body from notices where out_trade_no = ?1").expect("its notices");
        let bodies = rows.query_map([payment.out_trade_no.as_str()], |row| row.get(0)).expect("its notices");
        bodies.collect::<Result<_, _>>().expect("texts")
    }

    /// Somebody sends it a notice; says what it answers.
    pub async fn is_notified(&self, body: &str) -> String {
        let address = format!("{}/pay/alipay/notify", self.url());
        let answer = reqwest::Client::new().post(address).body(body.to_owned()).send().await.expect("it answers");
        answer.text().await.expect("a text")
    }

    /// Somebody at headquarters wants a till to do something.
    pub async fn instructs(&self, wanted: &Value) {
        let request = reqwest::Client::new().post(format!("{}/api/v1/instructions", self.url()));
        let answer = request.bearer_auth(TOKEN).json(wanted).send().await.expect("headquarters answers");
        assert!(answer.status().is_success(), "{}", answer.status());
    }

    /// Asks its API.
    pub async fn get(&self, path: &str) -> Value {
        let answer = reqwest::Client::new()
            .get(format!("{}{path}", self.url()))
            .bearer_auth(TOKEN)
            .send()
            .await
            .expect("headquarters answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }
}
