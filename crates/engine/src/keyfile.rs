//! The keys of this terminal, encrypted, outside the database: a copied database or a backup carries none.
//!
//! AES-256-GCM. The key comes from the operating system's keyring, or from a passphrase by Argon2id. There is no silent
//! fallback to plain text; demo keys, which guard no money, are sealed with a key that everybody knows.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// What must never be seen. Wiped from memory when dropped.
#[derive(Clone, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct Secrets {
    /// The app's private key as the merchant typed it.
    pub app_private_key: String,
    /// This terminal's Ed25519 key, base64, once it is enrolled.
    pub terminal_key: Option<String>,
    /// The key that an enrolment introduces, base64, and the hash of the code it is bound to. Kept until the next code, so
    /// that an enrolment whose answer was lost can be repeated.
    #[serde(default)]
    pub pending_key: Option<(String, String)>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

/// What opens the file.
pub enum Lock<'a> {
    /// Somebody knows it; at least 8 characters.
    Passphrase(&'a str),
    /// The operating system keeps a random key under this account name.
    Keyring(&'a str),
    /// Everybody knows it: demo keys only.
    Demo,
}

/// Why the keys cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KeyfileError {
    /// Nothing there yet.
    #[error("there are no keys in {0}: set the counter up first")]
    Missing(PathBuf),
    /// The passphrase is wrong, or the file was changed.
    #[error("the passphrase is wrong, or {0} was changed")]
    WrongPassphrase(PathBuf),
    /// The file is sealed in another way than it is opened.
    #[error("{path} is sealed by {sealed_by}")]
    OtherLock {
        /// The file.
        path: PathBuf,
        /// How it is sealed.
        sealed_by: String,
    },
    /// Too short to be a passphrase.
    #[error("a passphrase must have at least 8 characters")]
    ShortPassphrase,
    /// The operating system has no keyring, or it is locked.
    #[error("the system's keyring cannot be used; use a passphrase instead")]
    Keyring(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file or the disk.
    #[error("could not {doing} {path}")]
    Disk {
        /// What we were doing.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    version: u32,
    lock: String,
    salt: String,
    nonce: String,
    sealed: String,
}

/// Bound into the seal, so that a file of one kind cannot be passed off as another.
const PURPOSE: &[u8] = b"yidan keys 1";

/// Seals the keys: written beside the old file, then put in its place; readable by this user alone.
///
/// # Errors
/// See [`KeyfileError`].
pub fn save_keys(path: &Path, secrets: &Secrets, lock: &Lock<'_>) -> Result<(), KeyfileError> {
    let disk = |doing| move |source: Box<dyn std::error::Error + Send + Sync>| disk(doing, path, source);
    let (salt, nonce): ([u8; 16], [u8; 12]) = (rand::random(), rand::random());
    let key = derive(path, lock, &salt, true)?;
    let plain = Zeroizing::new(serde_json::to_vec(secrets).map_err(|error| disk("write")(error.into()))?);
    let sealed = cipher(&key)
        .encrypt(&Nonce::from(nonce), Payload { msg: &plain, aad: PURPOSE })
        .map_err(|_| disk("seal")("encryption failed".into()))?;
    let file = Sealed {
        version: 1,
        lock: name(lock).into(),
        salt: STANDARD.encode(salt),
        nonce: STANDARD.encode(nonce),
        sealed: STANDARD.encode(sealed),
    };
    let text = serde_json::to_vec_pretty(&file).map_err(|error| disk("write")(error.into()))?;
    replace(path, &text).map_err(|error| disk("write")(error.into()))
}

/// Opens the keys.
///
/// # Errors
/// See [`KeyfileError`].
pub fn open_keys(path: &Path, lock: &Lock<'_>) -> Result<Secrets, KeyfileError> {
    let wrong = || KeyfileError::WrongPassphrase(path.into());
    let file = read(path)?;
    if file.lock != name(lock) {
        return Err(KeyfileError::OtherLock { path: path.into(), sealed_by: file.lock });
    }
    let salt = STANDARD.decode(&file.salt).map_err(|_| wrong())?;
    let nonce: [u8; 12] =
        STANDARD.decode(&file.nonce).ok().and_then(|nonce| nonce.try_into().ok()).ok_or_else(wrong)?;
    let sealed = STANDARD.decode(&file.sealed).map_err(|_| wrong())?;
    let key = derive(path, lock, &salt, false)?;
    let plain = cipher(&key)
        .decrypt(&Nonce::from(nonce), Payload { msg: &sealed, aad: PURPOSE })
        .map(Zeroizing::new)
        .map_err(|_| wrong())?;
    serde_json::from_slice(&plain).map_err(|_| wrong())
}

/// How the keys in this file are sealed: `passphrase`, `keyring` or `demo`; `None` if there are none.
///
/// # Errors
/// [`KeyfileError::Disk`].
pub fn find_lock_name(path: &Path) -> Result<Option<String>, KeyfileError> {
    match read(path) {
        Ok(file) => Ok(Some(file.lock)),
        Err(KeyfileError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the operating system's keyring can keep a secret here. Asks it by keeping one and forgetting it again.
#[must_use]
pub fn is_keyring_usable() -> bool {
    let entry = keyring::Entry::new("yidan", "can the keyring be used?");
    entry.is_ok_and(|entry| {
        let kept = entry.set_secret(b"yes").is_ok() && entry.get_secret().is_ok_and(|kept| kept == b"yes");
        // A secret that stays says nothing.
        drop(entry.delete_credential());
        kept
    })
}

fn read(path: &Path) -> Result<Sealed, KeyfileError> {
    let text = std::fs::read(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            return KeyfileError::Missing(path.into());
        }
        disk("read", path, error.into())
    })?;
    serde_json::from_slice(&text).map_err(|error| disk("read", path, error.into()))
}

fn name(lock: &Lock<'_>) -> &'static str {
    match lock {
        Lock::Passphrase(_) => "passphrase",
        Lock::Keyring(_) => "keyring",
        Lock::Demo => "demo",
    }
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(&Key::<Aes256Gcm>::from(*key))
}

fn derive(path: &Path, lock: &Lock<'_>, salt: &[u8], may_make: bool) -> Result<Zeroizing<[u8; 32]>, KeyfileError> {
    match lock {
        Lock::Passphrase(phrase) if phrase.chars().count() < 8 => Err(KeyfileError::ShortPassphrase),
        Lock::Passphrase(phrase) => stretch(path, phrase.as_bytes(), salt),
        Lock::Keyring(account) => keyring_key(account, may_make),
        Lock::Demo => stretch(path, b"demo keys guard no money", salt),
    }
}

fn stretch(path: &Path, phrase: &[u8], salt: &[u8]) -> Result<Zeroizing<[u8; 32]>, KeyfileError> {
    let mut key = Zeroizing::new([0; 32]);
    argon2::Argon2::default()
        .hash_password_into(phrase, salt, key.as_mut())
        .map_err(|error| disk("derive the key of", path, error.to_string().into()))?;
    Ok(key)
}

fn keyring_key(account: &str, may_make: bool) -> Result<Zeroizing<[u8; 32]>, KeyfileError> {
    let wrong = |error: keyring::Error| KeyfileError::Keyring(Box::new(error));
    let entry = keyring::Entry::new("yidan", account).map_err(wrong)?;
    let kept = match entry.get_secret() {
        Ok(kept) => Zeroizing::new(kept),
        Err(keyring::Error::NoEntry) if may_make => {
            let fresh = Zeroizing::new(rand::random::<[u8; 32]>().to_vec());
            entry.set_secret(&fresh).map_err(wrong)?;
            fresh
        }
        Err(error) => return Err(wrong(error)),
    };
    let key = <[u8; 32]>::try_from(kept.as_slice()).map_err(|error| KeyfileError::Keyring(Box::new(error)))?;
    Ok(Zeroizing::new(key))
}

/// Whoever looks sees the old file or the new one, never half of one.
fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(text)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    match path.parent() {
        Some(folder) if cfg!(unix) => std::fs::File::open(folder)?.sync_all(),
        Some(_) | None => Ok(()),
    }
}

fn disk(doing: &'static str, path: &Path, source: Box<dyn std::error::Error + Send + Sync>) -> KeyfileError {
    KeyfileError::Disk { doing, path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        Secrets {
            app_private_key: "MIIEvQ-very-secret".into(),
            terminal_key: Some("c2VjcmV0".into()),
            pending_key: None,
        }
    }

    #[test]
    fn keys_come_back_only_with_their_passphrase() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        save_keys(&path, &secrets(), &Lock::Passphrase("correct horse")).unwrap();
        let back = open_keys(&path, &Lock::Passphrase("correct horse")).unwrap();
        assert_eq!(back.app_private_key, secrets().app_private_key);
        assert!(matches!(open_keys(&path, &Lock::Passphrase("wrong horse")), Err(KeyfileError::WrongPassphrase(_))));
        assert!(matches!(open_keys(&path, &Lock::Demo), Err(KeyfileError::OtherLock { .. })));
        assert!(!std::fs::read_to_string(&path).unwrap().contains("very-secret"));
        assert!(!format!("{:?}", secrets()).contains("secret-"));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        save_keys(&path, &secrets(), &Lock::Demo).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_short_passphrase_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        assert!(matches!(
            save_keys(&path, &secrets(), &Lock::Passphrase("1234567")),
            Err(KeyfileError::ShortPassphrase)
        ));
        assert!(!path.exists());
    }
}
