//! A headquarters in this process, with a clock that a test turns.

use crate::till::Till;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use yidan_hq::{Clock, Config, Database, Hq, Merchant, NewCode, Notices, Secret, export, start, url_in};
use yidan_payment::UtcMs;

pub const APP_ID: &str = "2021000100000001";
pub const SELLER_ID: &str = "2088000000000001";
const PLATFORM_PUBLIC: &str = include_str!("../../../../tests/fixtures/cases/keys/platform_public.pem");
/// 2026-11-30 10:00:00 in China.
const MORNING: i64 = 1_796_004_000_000;

pub struct House {
    pub hq: Hq,
    pub client: reqwest::Client,
    admin: Secret,
    clock: Arc<AtomicI64>,
    folder: TempDir,
}

impl House {
    pub async fn open() -> House {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicI64::new(MORNING));
        let admin = Secret::random();
        let hq = start(config(&folder, &clock, &admin)).await.unwrap();
        House { hq, client: client(), admin, clock, folder }
    }

    /// Stops, and starts again on the same database.
    pub async fn restart(self) -> House {
        self.hq.stop().await;
        let hq = start(config(&self.folder, &self.clock, &self.admin)).await.unwrap();
        House { hq, ..self }
    }

    /// Goes back to how everything was at the last [`House::back_up`].
    pub async fn restore(self) -> House {
        self.hq.stop().await;
        let folder = self.folder.path();
        std::fs::copy(folder.join("backup.db"), folder.join("hq.db")).unwrap();
        let hq = start(config(&self.folder, &self.clock, &self.admin)).await.unwrap();
        House { hq, ..self }
    }

    /// As a file would be that an older program, which understood nothing, has left.
    pub async fn forget_what_was_projected(self) -> House {
        self.hq.stop().await;
        let database = rusqlite::Connection::open(self.folder.path().join("hq.db")).unwrap();
        let sql = "delete from payments; delete from receipts; delete from refunds; delete from cases; \
                   update events set projected = 0, pay_id = null";
        database.execute_batch(sql).unwrap();
        drop(database);
        let hq = start(config(&self.folder, &self.clock, &self.admin)).await.unwrap();
        House { hq, ..self }
    }

    /// Tries to start on a file that a newer program has changed.
    pub async fn start_on_newer(self) -> String {
        self.hq.stop().await;
        let database = rusqlite::Connection::open(self.folder.path().join("hq.db")).unwrap();
        let sql = "insert into _sqlx_migrations select 9999, description, installed_on, success, checksum, \
                   execution_time from _sqlx_migrations where version = 1";
        database.execute_batch(sql).unwrap();
        drop(database);
        match start(config(&self.folder, &self.clock, &self.admin)).await {
            Ok(_) => panic!("a newer file was opened"),
            Err(error) => error.to_string(),
        }
    }

    pub async fn back_up(self) -> House {
        self.hq.stop().await;
        let folder = self.folder.path();
        std::fs::copy(folder.join("hq.db"), folder.join("backup.db")).unwrap();
        let hq = start(config(&self.folder, &self.clock, &self.admin)).await.unwrap();
        House { hq, ..self }
    }

    /// Everything that is on the disk.
    pub async fn stop_and_read(self) -> Vec<u8> {
        self.hq.stop().await;
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    }

    pub fn now(&self) -> UtcMs {
        UtcMs(self.clock.load(Ordering::Relaxed))
    }

    pub fn turn_clock(&self, wait: Duration) {
        self.clock.fetch_add(i64::try_from(wait.as_millis()).unwrap(), Ordering::Relaxed);
    }

    pub async fn code(&self, store_id: &str, terminal_id: Option<&str>) -> Secret {
        let wanted = NewCode {
            store_id: store_id.into(),
            store_name: format!("{store_id} 店"),
            terminal_id: terminal_id.map(str::to_owned),
        };
        self.hq.create_code(&wanted).await.unwrap().code
    }

    /// A new terminal of a store, enrolled.
    pub async fn till(&self, store_id: &str) -> Till {
        let mut till = Till::new(self.hq.url(), self.now());
        let enrolled = till.enrol(self.code(store_id, None).await.reveal()).await.unwrap();
        till.be(enrolled);
        till
    }

    pub async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(self.address(path)).bearer_auth(self.admin.reveal()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }

    pub async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.client.post(self.address(path)).bearer_auth(self.admin.reveal()).json(body);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.unwrap_or_default()
    }

    /// A terminal as the console shows it.
    pub async fn terminal(&self, till: &Till) -> Value {
        let listed = self.get("/api/v1/terminals").await;
        let mut terminals = listed["terminals"].as_array().unwrap().iter();
        terminals.find(|terminal| terminal["terminal_id"] == till.terminal_id.as_str()).unwrap().clone()
    }

    /// A terminal's journal as it is given out.
    pub async fn export(&self, terminal_id: &str) -> String {
        let database = Database::open(&url_in(self.folder.path())).await.unwrap();
        let mut file = Vec::new();
        export(&database, terminal_id, &mut file).await.unwrap();
        database.close().await;
        String::from_utf8(file).unwrap()
    }

    /// Waits for what headquarters does by itself.
    pub async fn until(&self, is_so: impl AsyncFn(&House) -> bool) {
        let patience = Duration::from_secs(20);
        let looking = async {
            while !is_so(self).await {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(patience, looking).await.unwrap();
    }

    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.hq.url())
    }

    /// Count and net of the day, and how many cases are open.
    pub async fn books(&self) -> (i64, i64, Vec<String>) {
        let totals = self.get("/api/v1/totals?day=2026-11-30").await;
        let cases = self.get("/api/v1/cases").await;
        let kinds = cases["cases"].as_array().unwrap().iter().map(|case| case["kind"].as_str().unwrap().to_owned());
        (totals["count"].as_i64().unwrap(), totals["net_fen"].as_i64().unwrap(), kinds.collect())
    }
}

pub fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

pub fn merchant() -> Merchant {
    Merchant::parse(&merchant_file("demo")).unwrap()
}

pub fn merchant_file(mode: &str) -> String {
    format!(
        "app_id = \"{APP_ID}\"\nseller_id = \"{SELLER_ID}\"\nmode = \"{mode}\"\n\
         alipay_public_key = \"\"\"\n{PLATFORM_PUBLIC}\"\"\"\n"
    )
}

fn config(folder: &TempDir, clock: &Arc<AtomicI64>, admin: &Secret) -> Config {
    let clock = clock.clone();
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        database_url: url_in(folder.path()),
        merchant: merchant(),
        demo: true,
        behind_proxy: false,
        admin_token: Some(admin.clone()),
        notices: Notices::Here,
        clock: Clock::of(move || UtcMs(clock.load(Ordering::Relaxed))),
    }
}
