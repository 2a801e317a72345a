//! The real programs as processes: the sandbox, headquarters and the counter, over real sockets, killed for real.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to be ready, or a thing to become true. Generous: machines are busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A whole shop of real programs.
pub struct Programs {
    /// The gateway.
    pub sandbox: Program,
    /// Headquarters.
    pub hq: Program,
    /// The counter.
    pub counter: Program,
    /// Talks to all three.
    pub visitor: Visitor,
}

/// Talks to the programs from outside, whether they live or not.
#[derive(Clone)]
pub struct Visitor {
    http: reqwest::Client,
    sandbox_url: String,
    hq_url: String,
    api_url: String,
    folder: PathBuf,
}

/// A program that can be killed and started again on the same address.
pub struct Program {
    name: &'static str,
    arguments: Vec<String>,
    ready_file: PathBuf,
    log: PathBuf,
    child: Option<Child>,
}

const ADMIN_TOKEN: &str = "programs-admin-token-0123456789";

impl Programs {
    /// Starts all three, the counter enrolled and in demo mode.
    ///
    /// # Errors
    /// If one of them does not come up; its log is in `folder`.
    pub async fn start(folder: &Path) -> Result<Programs> {
        let path = |name: &str| folder.join(name).display().to_string();
        let mut sandbox = Program::new("yidan-sandbox", folder, &["--data", &path("sandbox")]);
        let gateway = sandbox.start().await?;
        let control = text(&gateway, "control_url")?.to_owned();
        sandbox.keep_address(text(&gateway, "gateway_url")?)?;
        let http = reqwest::Client::builder().timeout(Duration::from_secs(10)).build()?;
        write_merchant(&http, &control, folder).await?;
        std::fs::write(folder.join("admin-token"), ADMIN_TOKEN)?;
        let mut hq = Program::new(
            "yidan-hq",
            folder,
            &[
                "serve",
                "--demo",
                "--data",
                &path("hq"),
                "--merchant",
                &path("merchant.toml"),
                "--admin-token-file",
                &path("admin-token"),
            ],
        );
        let hq_url = text(&hq.start().await?, "url")?.to_owned();
        hq.keep_address(&hq_url)?;
        let code = make_code(&http, &hq_url).await?;
        let sandbox_url = control.trim_end_matches("/sandbox").to_owned();
        let data = path("till");
        let demo = format!("--demo={sandbox_url}");
        run_once("yidan", &["enrol", &demo, "--data", &data, "--hq", &hq_url, "--code", &code])?;
        let mut counter = Program::new("yidan", folder, &["--headless", &demo, "--data", &data]);
        let api = counter.start().await?;
        counter.keep_address(text(&api, "api_url")?)?;
        let visitor = Visitor {
            http,
            sandbox_url: sandbox.url()?,
            hq_url: hq.url()?,
            api_url: counter.url()?,
            folder: folder.to_owned(),
        };
        Ok(Programs { sandbox, hq, counter, visitor })
    }
}

impl Visitor {
    /// Asks the counter's local API.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn collect(&self, order_id: &str, amount: &str, request_id: &str) -> Result<Value> {
        let body = json!({"orderId": order_id, "amount": amount, "subject": "日用百货", "requestId": request_id});
        self.counter_json(self.http.post(format!("{}/pay/alipay/precreate", self.api_url)).json(&body)).await
    }

    /// What the counter knows of a bill.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn query(&self, order_id: &str) -> Result<Value> {
        self.counter_json(self.http.get(format!("{}/pay/query?orderId={order_id}", self.api_url))).await
    }

    async fn counter_json(&self, request: reqwest::RequestBuilder) -> Result<Value> {
        let token = std::fs::read_to_string(self.folder.join("till/api-token"))?;
        let answer = request.bearer_auth(token.trim()).send().await?;
        ensure!(answer.status().is_success(), "the counter answered {}: {}", answer.status(), answer.text().await?);
        Ok(answer.json().await?)
    }

    /// The buyer scans (`scan`) or pays (`pay`).
    ///
    /// # Errors
    /// What the phone shows, or that the sandbox is away.
    pub async fn buyer(&self, act: &str, out_trade_no: &str, buyer: &str) -> Result<()> {
        let url = format!("{}/sandbox/{act}", self.sandbox_url);
        let answer = self.http.post(url).json(&json!({"out_trade_no": out_trade_no, "buyer": buyer})).send().await?;
        ensure!(answer.status().is_success(), "{act}: {}", answer.text().await?);
        Ok(())
    }

    /// How often the sandbox's ledger says that the buyer paid.
    ///
    /// # Errors
    /// If the sandbox is away.
    pub async fn charges(&self, out_trade_no: &str) -> Result<u64> {
        let url = format!("{}/sandbox/trades/{out_trade_no}", self.sandbox_url);
        let trade: Value = self.http.get(url).send().await?.error_for_status()?.json().await?;
        trade["charges"].as_u64().context("charges")
    }

    /// Every trade that the sandbox's ledger has.
    ///
    /// # Errors
    /// If the sandbox is away.
    pub async fn trades(&self) -> Result<Vec<Value>> {
        let request = self.http.get(format!("{}/sandbox/trades", self.sandbox_url));
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Asks headquarters.
    ///
    /// # Errors
    /// If it is away.
    pub async fn hq_json(&self, path: &str) -> Result<Value> {
        let request = self.http.get(format!("{}{path}", self.hq_url)).bearer_auth(ADMIN_TOKEN);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// How many payments of this number headquarters has counted: 1 or 0.
    ///
    /// # Errors
    /// If it is away.
    pub async fn hq_counted(&self, out_trade_no: &str, amount_fen: i64) -> Result<u64> {
        let found = self.hq_json(&format!("/api/v1/payments?out_trade_no={out_trade_no}")).await?;
        let payments = found["payments"].as_array().context("payments")?;
        let counted = payments.iter().filter(|payment| payment["counted_fen"].as_i64() == Some(amount_fen));
        Ok(u64::try_from(counted.count())?)
    }
}

impl Program {
    fn new(name: &'static str, folder: &Path, arguments: &[&str]) -> Program {
        let ready_file = folder.join(format!("{name}.ready"));
        let mut arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        arguments.extend(["--ready-file".to_owned(), ready_file.display().to_string()]);
        arguments.extend(["--listen".to_owned(), "127.0.0.1:0".to_owned()]);
        Program { name, arguments, ready_file, log: folder.join(format!("{name}.log")), child: None }
    }

    /// Starts it and waits until it says that it is ready.
    ///
    /// # Errors
    /// If it ends, or is not ready in time.
    #[expect(clippy::disallowed_methods, reason = "a real program needs real time to start")]
    pub async fn start(&mut self) -> Result<Value> {
        drop(std::fs::remove_file(&self.ready_file));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&self.log)?;
        let child = Command::new(program(self.name)?)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .with_context(|| format!("starting {}", self.name))?;
        self.child = Some(child);
        let began = Instant::now();
        loop {
            if let Ok(line) = std::fs::read_to_string(&self.ready_file) {
                return serde_json::from_str(&line).with_context(|| format!("{}: {line:?}", self.name));
            }
            if let Some(status) = self.child.as_mut().context("a child")?.try_wait()? {
                bail!("{} ended with {status}; see {}", self.name, self.log.display());
            }
            ensure!(began.elapsed() < PATIENCE, "{} is not ready; see {}", self.name, self.log.display());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// SIGKILL: nothing is finished, nothing is said goodbye to.
    ///
    /// # Errors
    /// If it was not running.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().context("it runs")?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// From now on it listens where it listens now.
    fn keep_address(&mut self, url: &str) -> Result<()> {
        let address = url.trim_start_matches("http://").split('/').next().context("an address")?;
        *self.arguments.last_mut().context("--listen")? = address.to_owned();
        Ok(())
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Before its first start.
    pub fn url(&self) -> Result<String> {
        Ok(format!("http://{}", self.arguments.last().context("--listen")?))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.child.is_some() {
            // The test is over; how it went is known already.
            drop(self.kill());
        }
    }
}

/// A program of this workspace beside the running one.
///
/// # Errors
/// If it is not built.
pub fn program(name: &str) -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let folders = here.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join(name)).find(|path| path.is_file());
    found.with_context(|| format!("{name} is not built: run `cargo build --workspace` first"))
}

/// Runs a program to its end.
///
/// # Errors
/// With what it wrote, if it fails.
pub fn run_once(name: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program(name)?).args(arguments).stdin(Stdio::null()).output()?;
    ensure!(
        output.status.success(),
        "{name} {arguments:?} ended with {}:\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

async fn write_merchant(http: &reqwest::Client, control: &str, folder: &Path) -> Result<()> {
    let merchant: Value = http.get(format!("{control}/merchant")).send().await?.json().await?;
    let file = format!(
        "app_id = \"{}\"\nseller_id = \"{}\"\nmode = \"demo\"\nalipay_public_key = \"{}\"\n",
        text(&merchant, "app_id")?,
        text(&merchant, "seller_id")?,
        text(&merchant, "alipay_public_key_base64")?,
    );
    Ok(std::fs::write(folder.join("merchant.toml"), file)?)
}

async fn make_code(http: &reqwest::Client, hq_url: &str) -> Result<String> {
    let wanted = json!({"store_id": "S01", "store_name": "演示店", "terminal_id": null});
    let request = http.post(format!("{hq_url}/api/v1/enrolment-codes")).bearer_auth(ADMIN_TOKEN).json(&wanted);
    let code: Value = request.send().await?.error_for_status()?.json().await?;
    Ok(text(&code, "code")?.to_owned())
}

/// A text member of an answer.
///
/// # Errors
/// If there is none.
pub fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str> {
    value[name].as_str().with_context(|| format!("{name} in {value}"))
}
