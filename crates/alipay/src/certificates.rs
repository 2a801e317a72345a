//! Certificate mode: which certificates are known, and how a new one of Alipay's becomes known.
//!
//! Must always hold: a certificate fetched from the gateway is believed only if its chain ends at a pinned root, every
//! issuer may issue, every date is right, and its number is the one that was asked for. Old and new certificates are
//! valid side by side; nothing is forgotten while the program runs, and nothing is kept after it.

use crate::{
    answer::AnswerError,
    certificate::{Certificate, CertificateError},
    key::AlipayKey,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};
use yidan_payment::UtcMs;

/// A chain is leaf, issuer, root; some room beyond.
const LONGEST_CHAIN: usize = 5;

/// The certificates of one app. Clones share what was learned.
#[derive(Clone, Debug)]
pub struct Certificates {
    app: Option<Arc<Certificate>>,
    roots: Arc<Vec<Certificate>>,
    pinned_issuers: Arc<Vec<Certificate>>,
    platform: Arc<RwLock<BTreeMap<String, Platform>>>,
    pinned: String,
}

#[derive(Clone, Debug)]
struct Platform {
    certificate: Certificate,
    key: AlipayKey,
}

/// How long a certificate is still good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaysLeft {
    /// Whose: the app's or Alipay's.
    pub is_apps: bool,
    /// Which.
    pub sn: String,
    /// Whole days; negative after its end.
    pub days: i64,
}

impl Certificates {
    /// Takes the three files of Alipay's console: the app's certificate (headquarters, which sends nothing, has none),
    /// Alipay's certificate, Alipay's roots.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn new(app: Option<&str>, alipay: &str, roots: &str) -> Result<Certificates, CertificateError> {
        let app = app.map(Certificate::parse).transpose()?.map(Arc::new);
        let mut chain = Certificate::parse_all(alipay)?.into_iter();
        let certificate = chain.next().ok_or(CertificateError::NotACertificate)?;
        if certificate.is_an_apps() {
            return Err(CertificateError::IsAnApps);
        }
        let roots: Vec<_> = Certificate::parse_all(roots)?.into_iter().filter(Certificate::is_rsa_signed).collect();
        if roots.is_empty() {
            return Err(CertificateError::NoRoot);
        }
        let pinned = certificate.sn().to_owned();
        let platform = Platform { key: certificate.key()?, certificate };
        Ok(Certificates {
            app,
            roots: Arc::new(roots),
            pinned_issuers: Arc::new(chain.collect()),
            platform: Arc::new(RwLock::new(BTreeMap::from([(pinned.clone(), platform)]))),
            pinned,
        })
    }

    /// The app's certificate.
    #[must_use]
    pub fn app(&self) -> Option<&Certificate> {
        self.app.as_deref()
    }

    /// The key of Alipay's certificate as it was set.
    #[must_use]
    pub fn pinned_key(&self) -> AlipayKey {
        self.known()[&self.pinned].key.clone()
    }

    /// `alipay_root_cert_sn`: the numbers of the roots that sign with RSA, in the order of the file.
    #[must_use]
    pub fn root_sn(&self) -> String {
        self.roots.iter().map(Certificate::sn).collect::<Vec<_>>().join("_")
    }

    /// Days left of the app's certificate and of every known one of Alipay's.
    #[must_use]
    pub fn days_left(&self, now: UtcMs) -> Vec<DaysLeft> {
        let of = |is_apps, certificate: &Certificate| DaysLeft {
            is_apps,
            sn: certificate.sn().to_owned(),
            days: certificate.days_left(now),
        };
        let platform = self.known();
        let app = self.app.iter().map(|certificate| of(true, certificate));
        app.chain(platform.values().map(|platform| of(false, &platform.certificate))).collect()
    }

    /// Whether the app's and Alipay's certificate, as they were set, are valid at a moment.
    ///
    /// # Errors
    /// [`CertificateError::Expired`], [`CertificateError::NotYetValid`].
    pub fn check_dates(&self, now: UtcMs) -> Result<(), CertificateError> {
        self.known()[&self.pinned].certificate.check_dates(now)?;
        self.app.as_ref().map_or(Ok(()), |app| app.check_dates(now))
    }

    pub(crate) fn key(&self, sn: Option<&str>) -> Result<AlipayKey, AnswerError> {
        let sn = sn.ok_or(AnswerError::Missing("alipay_cert_sn"))?;
        self.known()
            .get(sn)
            .map(|known| known.key.clone())
            .ok_or_else(|| AnswerError::UnknownCertificate(sn.to_owned()))
    }

    pub(crate) fn knows(&self, sn: &str) -> bool {
        self.known().contains_key(sn)
    }

    /// Learns a certificate of Alipay's that the gateway gave: PEM text with its issuers.
    ///
    /// # Errors
    /// See [`CertificateError`]; nothing is learned then.
    pub fn learn(&self, sn: &str, text: &str, now: UtcMs) -> Result<(), CertificateError> {
        let mut chain = Certificate::parse_all(text)?.into_iter();
        let certificate = chain.next().ok_or(CertificateError::NotACertificate)?;
        if certificate.sn() != sn {
            return Err(CertificateError::OtherNumber);
        }
        if certificate.is_an_apps() {
            return Err(CertificateError::IsAnApps);
        }
        let fetched: Vec<Certificate> = chain.filter(Certificate::is_authority).collect();
        self.check_chain(&certificate, &fetched, now)?;
        let platform = Platform { key: certificate.key()?, certificate };
        let mut known = self.platform.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(sn.to_owned(), platform);
        Ok(())
    }

    /// A thread that died while it looked cannot have left half a map.
    fn known(&self) -> RwLockReadGuard<'_, BTreeMap<String, Platform>> {
        self.platform.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// From the leaf upwards to a pinned root. An issuer must say that it may issue, or have been set by a person.
    fn check_chain(&self, leaf: &Certificate, fetched: &[Certificate], now: UtcMs) -> Result<(), CertificateError> {
        let mut link = leaf;
        for _ in 0..LONGEST_CHAIN {
            link.check_dates(now)?;
            if let Some(root) = self.roots.iter().find(|root| link.is_issued_by(root)) {
                return root.check_dates(now);
            }
            let issuer = fetched.iter().chain(self.pinned_issuers.iter()).find(|issuer| link.is_issued_by(issuer));
            link = issuer.ok_or(CertificateError::NotTrusted)?;
        }
        Err(CertificateError::NotTrusted)
    }
}
