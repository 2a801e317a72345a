//! A certificate authority shaped like Alipay's: root, issuing authority, and leaves for the application and for Alipay.
//!
//! Certificates are functions of the keys: made again, they are the same bytes. Their dates are fixed and wide, so that
//! a turned clock does not matter.

use std::str::FromStr as _;
use std::time::Duration;

use md5::{Digest as _, Md5};
use num_bigint::BigUint;
use rsa::pkcs1v15::{Signature, SigningKey};
use rsa::pkcs8::{EncodePublicKey as _, LineEnding};
use rsa::{PrivateKey, PublicKey};
use sha2::Sha256;
use x509_cert::Certificate;
use x509_cert::builder::profile::BuilderProfile;
use x509_cert::builder::{Builder as _, CertificateBuilder};
use x509_cert::certificate::TbsCertificate;
use x509_cert::der::EncodePem as _;
use x509_cert::der::asn1::UtcTime;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, KeyUsages};
use x509_cert::ext::{Extension, ToExtension as _};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{SubjectPublicKeyInfo, SubjectPublicKeyInfoRef};
use x509_cert::time::{Time, Validity};

use crate::keys::Keys;

const ROOT: &str = "CN=Yidan Sandbox Certification Authority R1,OU=Certification Authority,O=Yidan Sandbox,C=CN";
const ISSUER: &str =
    "CN=Yidan Sandbox Certification Authority Class 1 R1,OU=Certification Authority,O=Yidan Sandbox,C=CN";

/// 2020-01-01 and 2045-01-01 UTC.
const VALID_SECONDS: [u64; 2] = [1_577_836_800, 2_366_841_600];

/// What a merchant downloads from the console in certificate mode, as PEM, and the numbers of it.
#[derive(Clone, Debug)]
pub struct Certificates {
    pub root_pem: String,
    pub root_sn: String,
    pub app_pem: String,
    pub app_sn: String,
    issuer_pem: String,
}

/// A platform certificate with its issuer behind it.
#[derive(Debug)]
pub struct PlatformCertificate {
    pub pem: String,
    pub sn: String,
}

impl Certificates {
    pub fn of(keys: &Keys, app_id: &str) -> Self {
        let root = issue(&keys.root, ROOT, ROOT, &keys.root.to_public_key(), true);
        let issuer = issue(&keys.root, ROOT, ISSUER, &keys.issuer.to_public_key(), true);
        let subject = format!("CN={app_id},OU=Merchant,O=Yidan Sandbox Merchant,C=CN");
        let app = issue(&keys.issuer, ISSUER, &subject, &keys.app.to_public_key(), false);
        Self {
            root_pem: pem(&root),
            root_sn: serial_digest(&root),
            app_pem: pem(&app),
            app_sn: serial_digest(&app),
            issuer_pem: pem(&issuer),
        }
    }

    pub fn platform(&self, keys: &Keys, public: &PublicKey) -> PlatformCertificate {
        let subject = "CN=Alipay Sandbox,OU=Alipay,O=Yidan Sandbox,C=CN";
        let leaf = issue(&keys.issuer, ISSUER, subject, public, false);
        PlatformCertificate { sn: serial_digest(&leaf), pem: format!("{}{}", pem(&leaf), self.issuer_pem) }
    }
}

/// Alipay's certificate number: MD5 over the issuer's name and the serial number in decimal, 32 hex digits.
fn serial_digest(certificate: &Certificate) -> String {
    let tbs = certificate.tbs_certificate();
    let serial = BigUint::from_bytes_be(tbs.serial_number().as_bytes());
    hex::encode(Md5::digest(format!("{}{serial}", tbs.issuer())))
}

fn pem(certificate: &Certificate) -> String {
    certificate.to_pem(LineEnding::LF).expect("a certificate has a PEM form")
}

fn issue(signer: &PrivateKey, issuer: &str, subject: &str, public: &PublicKey, is_authority: bool) -> Certificate {
    let spki = SubjectPublicKeyInfo::from_key(public).expect("an RSA public key has an SPKI form");
    let profile = Profile { issuer: name(issuer), subject: name(subject), is_authority };
    CertificateBuilder::new(profile, serial_of(public), validity(), spki)
        .and_then(|builder| builder.build::<_, Signature>(&SigningKey::<Sha256>::new(signer.clone())))
        .expect("these names, dates and keys make a certificate")
}

/// A function of the key, positive and without leading zeros.
fn serial_of(public: &PublicKey) -> SerialNumber {
    let der = public.to_public_key_der().expect("an RSA public key has an SPKI form");
    let mut serial = sha2::Sha256::digest(der.as_bytes())[..16].to_vec();
    serial[0] = serial[0] & 0x3f | 0x40;
    SerialNumber::new(&serial).expect("16 bytes are a serial number")
}

fn validity() -> Validity {
    let at = |seconds| {
        let time = UtcTime::from_unix_duration(Duration::from_secs(seconds)).expect("before 2050");
        Time::UtcTime(time)
    };
    Validity::new(at(VALID_SECONDS[0]), at(VALID_SECONDS[1]))
}

fn name(text: &str) -> Name {
    Name::from_str(text).expect("the names of this file are well formed")
}

struct Profile {
    issuer: Name,
    subject: Name,
    is_authority: bool,
}

impl BuilderProfile for Profile {
    fn get_issuer(&self, _subject: &Name) -> Name {
        self.issuer.clone()
    }

    fn get_subject(&self) -> Name {
        self.subject.clone()
    }

    fn build_extensions(
        &self,
        _key: SubjectPublicKeyInfoRef<'_>,
        _issuer_key: SubjectPublicKeyInfoRef<'_>,
        tbs: &TbsCertificate,
    ) -> x509_cert::builder::Result<Vec<Extension>> {
        let usage = if self.is_authority {
            KeyUsages::KeyCertSign | KeyUsages::CRLSign
        } else {
            KeyUsages::DigitalSignature | KeyUsages::NonRepudiation
        };
        let constraints = BasicConstraints { ca: self.is_authority, path_len_constraint: None };
        let constraints = constraints.to_extension(tbs.subject(), &[])?;
        let usage = KeyUsage(usage).to_extension(tbs.subject(), &[])?;
        Ok(vec![constraints, usage])
    }
}
