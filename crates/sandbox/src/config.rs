//! What a sandbox is started with, and the switches that can be turned while it runs.
//!
//! Every switch stands for something Alipay's documents leave open or that differs between products.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use serde::{Deserialize, Serialize};

use crate::keys::{Keys, KeysError};

/// Everything a sandbox needs to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The SQLite file that holds sessions, trades, charges, refunds and notices.
    pub ledger: PathBuf,
    pub keys: Keys,
    /// The merchant's application: 16 digits beginning 20.
    pub app_id: String,
    /// The merchant's account: 16 digits beginning 2088.
    pub seller_id: String,
    /// Milliseconds added to the system time. Hand in your own to turn the clock while the sandbox runs.
    pub clock: Option<Arc<AtomicI64>>,
    /// Divides Alipay's notify ladder (4 m, 10 m, 10 m, 1 h, 2 h, 6 h, 15 h): 1 is real time, 1000 makes 4 min 240 ms.
    pub notify_scale: u32,
    /// Makes every number, code and id a function of this seed and of what was asked before.
    pub seed: Option<u64>,
    pub settings: Settings,
}

impl Config {
    /// Sensible values with everything kept in `folder`: `ledger.sqlite` and the keys, made if missing.
    ///
    /// # Errors
    /// If the folder or the keys in it cannot be made or read.
    pub fn demo(folder: &Path) -> Result<Self, KeysError> {
        Self::with_keys(folder, Keys::load_or_make(folder)?)
    }

    /// As [`Config::demo`], with keys made elsewhere: key pairs take a second to make, so many sandboxes may share them.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn with_keys(folder: &Path, keys: Keys) -> Result<Self, KeysError> {
        std::fs::create_dir_all(folder).map_err(|cause| KeysError::Folder(folder.to_owned(), cause))?;
        Ok(Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            ledger: folder.join("ledger.sqlite"),
            keys,
            app_id: "2021000100000001".to_owned(),
            seller_id: "2088000000000001".to_owned(),
            clock: None,
            notify_scale: 1,
            seed: None,
            settings: Settings::default(),
        })
    }
}

/// What a `close` that arrives before the buyer scanned does to the code. It is answered 40004 in both worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseBeforeScan {
    /// The number is latched: a later scan is refused.
    Latch,
    /// Nothing happened: a later scan pays.
    #[default]
    NoEffect,
}

/// How the gateway words an error that is not a business result, such as a wrong signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatewayErrors {
    /// `{"error_response":{…}}` without a signature.
    #[default]
    Unsigned,
    /// `{"alipay_…_response":{…},"sign":"…"}`.
    SignedResponse,
}

/// When `timeout_express` begins to run. The documents changed their mind about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutFrom {
    #[default]
    Precreate,
    Scan,
}

/// Where a number that can no longer be paid is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefuseReuse {
    /// `precreate` answers 40004.
    #[default]
    AtPrecreate,
    /// `precreate` answers 10000 with a code that nobody can pay.
    AtScan,
}

/// What `close` answers for a trade that is closed already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseOfClosed {
    #[default]
    Refuse,
    Succeed,
}

/// What the bill of a day without movements is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyBill {
    /// 40004 `isp.bill_not_exist`, as if it were not ready.
    #[default]
    NotExist,
    /// A file without rows and `bill_file_code` `EMPTY_DATA_WITH_BILL_FILE`.
    EmptyFile,
}

/// What a notice of certificate mode says about the certificate. SDKs disagree about the signed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCertSn {
    /// `alipay_cert_sn` is there and part of the signed text, as Alipay's Java SDK expects.
    #[default]
    Signed,
    /// It is there but not part of the signed text, as smartwalle's Go SDK expects.
    Unsigned,
    /// It is not there.
    Absent,
}

/// The switches. `POST /sandbox/settings` takes any subset of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub close_before_scan: CloseBeforeScan,
    /// Refuse a request whose `timestamp` is more than ten minutes away from the sandbox's clock.
    pub check_timestamp: bool,
    pub gateway_errors: GatewayErrors,
    pub timeout_express_from: TimeoutFrom,
    pub refuse_reuse: RefuseReuse,
    pub close_of_closed: CloseOfClosed,
    /// Also send notices for `WAIT_BUYER_PAY`.
    pub wait_notices: bool,
    /// Send notices for `TRADE_CLOSED` after a close or a timeout.
    pub closed_notices: bool,
    /// Send notices for refunds.
    pub refund_notices: bool,
    /// Keep new notices until `POST /sandbox/notices/{notify_id}/send`, so that they can be reordered.
    pub hold_notices: bool,
    /// How often each notice is sent even though it was answered `success`.
    pub notify_copies: u32,
    pub empty_bill: EmptyBill,
    pub notice_cert_sn: NoticeCertSn,
    /// Refunds are refused with `ACQ.SELLER_BALANCE_NOT_ENOUGH`.
    pub seller_is_broke: bool,
    /// A paid trade becomes `TRADE_FINISHED` (no refund any more) after so many days.
    pub refund_days: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            close_before_scan: CloseBeforeScan::default(),
            check_timestamp: false,
            gateway_errors: GatewayErrors::default(),
            timeout_express_from: TimeoutFrom::default(),
            refuse_reuse: RefuseReuse::default(),
            close_of_closed: CloseOfClosed::default(),
            wait_notices: false,
            closed_notices: true,
            refund_notices: true,
            hold_notices: false,
            notify_copies: 1,
            empty_bill: EmptyBill::default(),
            notice_cert_sn: NoticeCertSn::default(),
            seller_is_broke: false,
            refund_days: 365,
        }
    }
}
