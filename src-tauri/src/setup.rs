//! Setting a counter up: which store, which account, which headquarters. Checked before anything is written.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use ts_rs::TS;
use yidan_alipay::{AlipayKey, AppKey, Certificates, GatewayUrl, Settings, Trust};
use yidan_engine::{Database, Epochs, Lock, Place, Secrets};
use yidan_wire::Mode;

/// What is not secret about a counter. Kept in the database; every change is a line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Demo or live; chosen once for a data folder.
    pub mode: Mode,
    /// Alipay's gateway.
    pub gateway: String,
    /// The merchant's app.
    pub app_id: String,
    /// The merchant's number, which notices must carry.
    pub seller_id: Option<String>,
    /// Key mode: Alipay's public key, as shown by its console. Empty in certificate mode.
    pub alipay_public_key: String,
    /// Certificate mode: the three files of Alipay's console.
    #[serde(default)]
    pub certificates: Option<CertificateFiles>,
    /// The merchant's own store number.
    pub store_id: String,
    /// What screens show.
    pub store_name: String,
    /// The till.
    pub terminal_id: String,
    /// Rises with every enrolment.
    pub epoch: u32,
    /// Headquarters; without it reporting is off.
    pub hq_url: Option<String>,
    /// What headquarters calls this terminal.
    pub hq_terminal_id: Option<String>,
    /// Where Alipay shall send its notices: headquarters says so at the enrolment.
    #[serde(default)]
    pub notify_url: Option<String>,
    /// When the business day begins, minutes after midnight in Beijing.
    pub day_starts_at_min: u32,
    /// How long a code lives, 2–30 minutes.
    pub code_min: u32,
}

/// The texts of the three certificate files. None of them is secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CertificateFiles {
    /// The app's own certificate.
    pub app: String,
    /// Alipay's certificate.
    pub alipay: String,
    /// Alipay's roots.
    pub root: String,
}

/// The one public key of key mode; with certificates there is none.
#[must_use]
pub fn key_of(alipay_public_key: &str, certificates: Option<&CertificateFiles>) -> String {
    certificates.map_or_else(|| alipay_public_key.to_owned(), |_| String::new())
}

const SETUP: &str = "setup";

/// The files of a counter.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The encrypted keys.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.0.join("keys.json")
    }

    /// The folder of the operating system for such things; demo has its own.
    ///
    /// # Errors
    /// If the system names none.
    pub fn usual(mode: Mode) -> Result<Folder> {
        let base = dirs::data_local_dir().context("this system names no folder for data; give one with --data")?;
        Ok(Folder(base.join(match mode {
            Mode::Live => "yidan",
            Mode::Demo => "yidan-demo",
        })))
    }
}

impl Setup {
    /// Reads the setup of a counter; `None` before the first one.
    ///
    /// # Errors
    /// If the database cannot be read, or says something this program does not know.
    pub fn find(database: &Database) -> Result<Option<Setup>> {
        let text = database.find_setting(SETUP)?;
        text.map(|text| serde_json::from_str(&text).context("the stored setup cannot be read")).transpose()
    }

    /// Writes the setup and tells the journal.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn save(&self, database: &Database, at: yidan_payment::UtcMs) -> Result<()> {
        self.write(database, at, None)
    }

    /// As [`Setup::save`], after an enrolment: headquarters is told everything from the first line, and
    /// gives back what was forgotten since. `before`: the epoch of these records, if they are this terminal's.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn save_enrolled(&self, database: &Database, at: yidan_payment::UtcMs, before: Option<u32>) -> Result<()> {
        self.write(database, at, Some(Epochs { before, now: self.epoch }))
    }

    fn write(&self, database: &Database, at: yidan_payment::UtcMs, enrolled: Option<Epochs>) -> Result<()> {
        let text = serde_json::to_string(self).context("writing the setup")?;
        let event_id = yidan_payment::EventId::new(yidan_engine::Ids::uuid(&crate::world::SystemIds));
        Ok(yidan_engine::save_setup(database, SETUP, text, event_id, at, enrolled)?)
    }

    /// Where numbers are minted.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            store_id: self.store_id.clone(),
            terminal_id: self.terminal_id.clone(),
            epoch: self.epoch,
            day_starts_at_min: self.day_starts_at_min,
        }
    }

    /// The settings of the Alipay client, checked offline.
    ///
    /// # Errors
    /// A sentence that says which field is wrong and why.
    pub fn alipay(&self, secrets: &Secrets) -> Result<Settings> {
        let mode = match self.mode {
            Mode::Demo => yidan_alipay::Mode::Demo,
            Mode::Live => yidan_alipay::Mode::Live,
        };
        let settings = Settings {
            gateway: GatewayUrl::check(&self.gateway, mode).context("the gateway's address")?,
            app_id: self.app_id.clone(),
            seller_id: self.seller_id.clone(),
            app_key: AppKey::parse(&secrets.app_private_key).context("the app's private key")?,
            trust: self.trust()?,
            notify_url: self.notify_url.clone(),
            connect_timeout: Settings::CONNECT,
            timeout: Settings::WHOLE,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Whose signature is believed.
    ///
    /// # Errors
    /// A sentence that says which file is wrong and why.
    pub fn trust(&self) -> Result<Trust> {
        match &self.certificates {
            None => Ok(Trust::Keys(AlipayKey::parse(&self.alipay_public_key).context("Alipay's public key")?)),
            Some(files) => Ok(Trust::Certificates(
                Certificates::new(Some(&files.app), &files.alipay, &files.root).context("the certificates")?,
            )),
        }
    }

    /// Whether the store's and terminal's numbers can be part of an `out_trade_no`.
    ///
    /// # Errors
    /// A sentence.
    pub fn check_place(&self) -> Result<()> {
        let fits = |text: &str, longest| {
            (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if !fits(&self.store_id, 10) {
            bail!("the store's number must be 1 to 10 letters and digits, like S01");
        }
        if !fits(&self.terminal_id, 8) {
            bail!("the till's number must be 1 to 8 letters and digits, like 07");
        }
        if !(2..=30).contains(&self.code_min) {
            bail!("a code lives 2 to 30 minutes");
        }
        Ok(())
    }
}

/// Writes a setup and its keys, after every check. Refused while a payment lives: only its own keys may ask about it.
///
/// # Errors
/// A sentence that says what to correct; then nothing was changed.
pub fn install(
    database: &Database,
    folder: &Folder,
    setup: &Setup,
    secrets: &Secrets,
    lock: &Lock<'_>,
    at: yidan_payment::UtcMs,
) -> Result<()> {
    setup.check_place()?;
    setup.alipay(secrets)?;
    if let Some(before) = Setup::find(database)? {
        let old = yidan_engine::open_keys(&folder.keys(), lock)?;
        let same_account = before.app_id == setup.app_id && before.gateway == setup.gateway;
        let same_keys = before.alipay_public_key == setup.alipay_public_key
            && before.certificates == setup.certificates
            && old.app_private_key == secrets.app_private_key;
        if !same_account || !same_keys {
            refuse_while_payable(database, same_account)?;
        }
        if before.mode != setup.mode {
            bail!("this data folder belongs to the other mode; demo and real money never share one");
        }
    }
    yidan_engine::save_keys(&folder.keys(), secrets, lock)?;
    setup.save(database, at)
}

/// Only a payment's own account may ask about it. With the same account, wrong keys may be put right as long as no code of
/// a running payment was ever shown: nobody can pay it, and with the wrong keys it would never end.
fn refuse_while_payable(database: &Database, same_account: bool) -> Result<()> {
    let mut payable = 0;
    for pay_id in database.list_live()? {
        let payment = database.load_payment(pay_id)?;
        payable += usize::from(!same_account || payment.qr_code.is_some() || payment.trade_seen);
    }
    payable += database.count_refunding()?;
    match payable {
        0 => Ok(()),
        live => Err(yidan_engine::Error::PaymentsLive(live).into()),
    }
}

/// Reads a file whose one line is a passphrase or a PIN.
///
/// # Errors
/// If it cannot be read.
pub fn read_secret_line(path: &Path) -> Result<zeroize::Zeroizing<String>> {
    let text = zeroize::Zeroizing::new(
        std::fs::read_to_string(path).with_context(|| format!("reading the secret in {}", path.display()))?,
    );
    Ok(zeroize::Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}
