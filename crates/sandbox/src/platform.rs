//! The one object behind the gateway, the buyer's phone and the control API.
//!
//! Every act is a *turn*: one transaction of the ledger at one moment of the sandbox's clock. Before a turn does
//! anything, trades whose time is over are closed, so nobody ever sees an overdue trade as alive.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rsa::{PrivateKey, PublicKey};
use tokio::sync::Notify;

use crate::certificate::Certificates;
use crate::clock::{Clock, Millis};
use crate::config::{Config, Settings};
use crate::fault::FaultQueue;
use crate::keys::{Keys, make_from, pkcs8_pem, read_pkcs8_pem};
use crate::ledger::{AlipayCertificate, Ledger, Records, Sql};
use crate::notice::{self, Happening};
use crate::signature::Signer;

/// Whom the sandbox knows as its only merchant.
#[derive(Clone, Debug)]
pub struct Merchant {
    pub app_id: String,
    pub seller_id: String,
}

#[derive(Debug)]
pub struct Platform {
    pub merchant: Merchant,
    pub keys: Keys,
    pub certificates: Certificates,
    /// `http://127.0.0.1:PORT`, where bills are downloaded.
    pub origin: String,
    pub app_public_key: PublicKey,
    pub clock: Clock,
    pub notify_scale: u32,
    pub faults: FaultQueue,
    /// Who signs in certificate mode; changes with a rotation.
    cert_signer: Mutex<Signer>,
    settings: Mutex<Settings>,
    ledger: Mutex<Ledger>,
    calls: Mutex<HashMap<(String, String), u32>>,
    /// When the ledger next has something to do by itself.
    due_at: AtomicI64,
    /// Rung after every turn but the notify loop's own.
    pub turned: Notify,
}

/// What a rule may see and use: the records at one moment.
#[derive(Debug)]
pub struct Turn<'a> {
    pub records: &'a Records<'a>,
    pub now: Millis,
    pub settings: &'a Settings,
    pub merchant: &'a Merchant,
    pub origin: &'a str,
}

impl Platform {
    pub fn open(config: &Config, origin: String) -> Sql<Self> {
        let certificates = Certificates::of(&config.keys, &config.app_id);
        let mut ledger = Ledger::open(&config.ledger, config.seed)?;
        let cert_signer = ledger.change(|records| latest_signer(records, &config.keys, &certificates))?;
        let platform = Self {
            merchant: Merchant { app_id: config.app_id.clone(), seller_id: config.seller_id.clone() },
            keys: config.keys.clone(),
            certificates,
            origin,
            cert_signer: Mutex::new(cert_signer),
            app_public_key: config.keys.app.to_public_key(),
            clock: Clock::new(config.clock.clone().unwrap_or_default()),
            notify_scale: config.notify_scale.max(1),
            faults: FaultQueue::default(),
            settings: Mutex::new(config.settings.clone()),
            ledger: Mutex::new(ledger),
            calls: Mutex::default(),
            due_at: AtomicI64::new(Millis::MAX),
            turned: Notify::new(),
        };
        platform.turn(|_| Ok(()))?;
        Ok(platform)
    }

    /// Does `work` in one transaction; durable when this returns `Ok`.
    pub fn turn<T>(&self, work: impl FnOnce(&Turn<'_>) -> Sql<T>) -> Sql<T> {
        let done = self.quiet_turn(work)?;
        self.turned.notify_one();
        Ok(done)
    }

    /// A turn that does not wake the notify loop: for the loop itself.
    pub fn quiet_turn<T>(&self, work: impl FnOnce(&Turn<'_>) -> Sql<T>) -> Sql<T> {
        let settings = self.settings();
        let (done, due_at) = lock(&self.ledger).change(|records| {
            let turn = Turn {
                records,
                now: self.clock.now(),
                settings: &settings,
                merchant: &self.merchant,
                origin: &self.origin,
            };
            end_overdue(&turn)?;
            let done = work(&turn)?;
            Ok((done, next_due(records)?))
        })?;
        self.due_at.store(due_at, Ordering::SeqCst);
        Ok(done)
    }

    pub fn is_due(&self) -> bool {
        self.due_at.load(Ordering::SeqCst) <= self.clock.now()
    }

    /// Whether time alone will make something happen.
    pub fn is_waiting(&self) -> bool {
        self.due_at.load(Ordering::SeqCst) != Millis::MAX
    }

    /// Who signs an answer or a notice.
    pub fn signer(&self, is_cert_mode: bool) -> Signer {
        match is_cert_mode {
            true => lock(&self.cert_signer).clone(),
            false => Signer { key: self.keys.alipay.clone(), cert_sn: None },
        }
    }

    /// Gives Alipay a new key and certificate. Answers in certificate mode are signed with it from now on; the old
    /// certificate can still be downloaded. Returns the new number.
    pub fn rotate_certificate(&self) -> Sql<String> {
        let seed = self.turn(|turn| turn.records.draw_key_seed())?;
        let key = make_from(seed).expect("an RSA key can be made from any seed");
        let signer = self.turn(|turn| add_signer(turn.records, key, &self.keys, &self.certificates))?;
        let sn = signer.cert_sn.clone().unwrap_or_default();
        *lock(&self.cert_signer) = signer;
        Ok(sn)
    }

    pub fn settings(&self) -> Settings {
        lock(&self.settings).clone()
    }

    pub fn change_settings(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut lock(&self.settings));
    }

    pub fn count_call(&self, out_trade_no: &str, method: &str) {
        *lock(&self.calls).entry((out_trade_no.to_owned(), method.to_owned())).or_default() += 1;
    }

    /// How often a method was called for a number since this sandbox started.
    pub fn calls(&self, out_trade_no: &str, method: &str) -> u32 {
        let key = (out_trade_no.to_owned(), method.to_owned());
        lock(&self.calls).get(&key).copied().unwrap_or_default()
    }
}

fn latest_signer(records: &Records<'_>, keys: &Keys, certificates: &Certificates) -> Sql<Signer> {
    let latest = records.latest_certificate()?;
    match latest.and_then(|latest| Some((read_pkcs8_pem(&latest.private_key)?, latest.sn))) {
        Some((key, sn)) => Ok(Signer { key, cert_sn: Some(sn) }),
        None => add_signer(records, keys.alipay.clone(), keys, certificates),
    }
}

fn add_signer(records: &Records<'_>, key: PrivateKey, keys: &Keys, certificates: &Certificates) -> Sql<Signer> {
    let certificate = certificates.platform(keys, &key.to_public_key());
    records.add_certificate(&AlipayCertificate {
        sn: certificate.sn.clone(),
        pem: certificate.pem,
        private_key: pkcs8_pem(&key),
    })?;
    Ok(Signer { key, cert_sn: Some(certificate.sn) })
}

/// Closes unpaid trades whose time is over and ends the refund window of old ones.
fn end_overdue(turn: &Turn<'_>) -> Sql<()> {
    for trade in turn.records.list_overdue(turn.now)? {
        turn.records.close_trade(&trade, trade.expires_at, None)?;
        notice::announce(turn, &trade.trade_no, &Happening::Closed)?;
    }
    let window = i64::from(turn.settings.refund_days) * 86_400_000;
    for trade in turn.records.list_past_refund(turn.now.saturating_sub(window))? {
        turn.records.finish_trade(&trade)?;
        notice::announce(turn, &trade.trade_no, &Happening::Finished)?;
    }
    Ok(())
}

fn next_due(records: &Records<'_>) -> Sql<Millis> {
    let moments = [records.next_notice_at()?, records.next_expiry()?];
    Ok(moments.into_iter().flatten().min().unwrap_or(Millis::MAX))
}

/// A panic while the lock was held cannot leave half a change behind: the transaction is rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
