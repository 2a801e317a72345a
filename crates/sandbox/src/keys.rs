//! The RSA key pairs of a sandbox: the merchant application's, Alipay's and those of the certificate authority.
//!
//! The sandbox holds all private halves, which only a sandbox may do. They never appear in `Debug` or in logs;
//! the merchant's private key is handed out on purpose, because an integrator has to type it in.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rsa::PrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey as _;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, EncodePublicKey as _, LineEnding};
use sha2::{Digest as _, Sha256};

const BITS: usize = 2048;
const APP_FILE: &str = "app_private_key.pem";
const ALIPAY_FILE: &str = "alipay_private_key.pem";
const ROOT_FILE: &str = "root_private_key.pem";
const ISSUER_FILE: &str = "issuer_private_key.pem";

/// All key pairs of a sandbox.
#[derive(Clone)]
pub struct Keys {
    pub(crate) app: PrivateKey,
    pub(crate) alipay: PrivateKey,
    pub(crate) root: PrivateKey,
    pub(crate) issuer: PrivateKey,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(…)")
    }
}

/// The keys of a folder could not be had.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error("the folder {0} cannot be made")]
    Folder(PathBuf, #[source] std::io::Error),
    #[error("the key file {0} cannot be read or written")]
    File(PathBuf, #[source] std::io::Error),
    #[error("the key file {0} does not hold an RSA private key in PKCS#8 PEM: delete it to get a new one")]
    NotAKey(PathBuf, #[source] rsa::pkcs8::Error),
    #[error("no RSA key could be made")]
    Make(#[source] rsa::Error),
}

impl Keys {
    /// Loads the key pairs of a folder; makes and stores what is missing. Two processes may call it at once.
    ///
    /// # Errors
    /// If a file cannot be read or written, or holds something else.
    pub fn load_or_make(folder: &Path) -> Result<Self, KeysError> {
        Self::load_or_make_with(folder, None)
    }

    /// As [`Keys::load_or_make`], but a missing key is derived from `seed`, so that two machines get the same one.
    ///
    /// # Errors
    /// As [`Keys::load_or_make`].
    pub fn load_or_make_with(folder: &Path, seed: Option<u64>) -> Result<Self, KeysError> {
        std::fs::create_dir_all(folder).map_err(|cause| KeysError::Folder(folder.to_owned(), cause))?;
        Ok(Self {
            app: load_or_make_one(&folder.join(APP_FILE), seed)?,
            alipay: load_or_make_one(&folder.join(ALIPAY_FILE), seed)?,
            root: load_or_make_one(&folder.join(ROOT_FILE), seed)?,
            issuer: load_or_make_one(&folder.join(ISSUER_FILE), seed)?,
        })
    }

    /// The merchant's private key as PKCS#8 PEM.
    pub fn app_private_pem(&self) -> String {
        pkcs8_pem(&self.app)
    }

    /// The merchant's private key as bare base64 of PKCS#1, the form Alipay's key tool gives to everything but Java.
    pub fn app_private_pkcs1_base64(&self) -> String {
        let pem = self.app.to_pkcs1_pem(LineEnding::LF).expect("a valid RSA key has a PKCS#1 form");
        bare(&pem)
    }

    /// Alipay's public key as SPKI PEM: what the merchant verifies answers and notices with.
    pub fn alipay_public_pem(&self) -> String {
        self.alipay.to_public_key().to_public_key_pem(LineEnding::LF).expect("a valid RSA key has an SPKI form")
    }

    /// Alipay's public key as bare base64, the form Alipay's console shows.
    pub fn alipay_public_base64(&self) -> String {
        bare(&self.alipay_public_pem())
    }
}

fn load_or_make_one(path: &Path, seed: Option<u64>) -> Result<PrivateKey, KeysError> {
    if !path.exists() {
        let key = make(path, seed).map_err(KeysError::Make)?;
        write_once(path, &pkcs8_pem(&key)).map_err(|cause| KeysError::File(path.to_owned(), cause))?;
    }
    let text = std::fs::read_to_string(path).map_err(|cause| KeysError::File(path.to_owned(), cause))?;
    PrivateKey::from_pkcs8_pem(&text).map_err(|cause| KeysError::NotAKey(path.to_owned(), cause))
}

/// Makes a key that depends on 32 bytes only.
pub fn make_from(seed: [u8; 32]) -> Result<PrivateKey, rsa::Error> {
    PrivateKey::new(&mut StdRng::from_seed(seed), BITS)
}

/// Reads what [`pkcs8_pem`] wrote.
pub fn read_pkcs8_pem(pem: &str) -> Option<PrivateKey> {
    PrivateKey::from_pkcs8_pem(pem).ok()
}

fn make(path: &Path, seed: Option<u64>) -> Result<PrivateKey, rsa::Error> {
    let Some(seed) = seed else {
        return PrivateKey::new(&mut rand::rng(), BITS);
    };
    let name = path.file_name().map(|name| name.as_encoded_bytes().to_vec());
    let digest = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(name.unwrap_or_default()).finalize();
    make_from(digest.into())
}

/// Writes beside and links into place: whoever comes second finds a whole file and keeps it.
fn write_once(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let draft = folder.join(format!(".key-{}-{:032x}", std::process::id(), rand::random::<u128>()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(cause) if cause.kind() != std::io::ErrorKind::AlreadyExists => Err(cause),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub fn pkcs8_pem(key: &PrivateKey) -> String {
    let pem = key.to_pkcs8_pem(LineEnding::LF).expect("a valid RSA key has a PKCS#8 form");
    pem.to_string()
}

fn bare(pem: &str) -> String {
    pem.lines().filter(|line| !line.starts_with('-')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_key_again_and_another_seed_another() {
        let key = |seed| pkcs8_pem(&make_from(seed).unwrap());
        assert_eq!(key([7; 32]), key([7; 32]));
        assert_ne!(key([7; 32]), key([8; 32]));
    }

    #[test]
    fn no_key_shows_in_debug() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::load_or_make(folder.path()).unwrap();
        assert_eq!(format!("{keys:?}"), "Keys(…)");
        assert_eq!(Keys::load_or_make(folder.path()).unwrap().app_private_pem(), keys.app_private_pem());
    }
}
