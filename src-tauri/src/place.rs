//! Where a counter lives and what opens its keys: the part of the command line that every command shares.

use crate::setup::{Folder, read_secret_line};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use yidan_engine::{Lock, find_lock_name};
use yidan_wire::Mode;
use zeroize::Zeroizing;

/// See the fields.
#[derive(Debug, Clone, Args)]
pub struct PlaceArguments {
    /// The data folder. Default: the system's folder for such things; demo has its own.
    #[arg(long, global = true)]
    pub data: Option<PathBuf>,
    /// Demo mode, no real money: the sandbox at this address, or one inside this program.
    #[arg(
        long,
        global = true,
        value_name = "SANDBOX_URL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub demo: Option<String>,
    /// A file whose one line opens the keys. Without it the system's keyring does.
    #[arg(long, global = true)]
    pub passphrase_file: Option<PathBuf>,
}

/// What opens the keys, kept as long as the program runs: the keys are sealed again when headquarters gives this
/// terminal one of its own.
#[derive(Clone)]
pub enum KeyOpener {
    /// Somebody typed it, or a file holds it.
    Passphrase(Zeroizing<String>),
    /// The account in the system's keyring.
    Keyring(String),
    /// Demo keys guard no money.
    Demo,
}

impl PlaceArguments {
    /// The folder of this counter.
    ///
    /// # Errors
    /// If none is given and the system names none.
    pub fn folder(&self) -> Result<Folder> {
        let mode = if self.is_demo() { Mode::Demo } else { Mode::Live };
        self.data.clone().map_or_else(|| Folder::usual(mode), |data| Ok(Folder(data)))
    }

    /// Whether no real money moves.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.demo.is_some()
    }

    /// What opens the keys without asking anybody: demo keys guard no money, the others need a file or the keyring.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn key_opener(&self, folder: &Folder) -> Result<KeyOpener> {
        if let Some(path) = &self.passphrase_file {
            return Ok(KeyOpener::Passphrase(read_secret_line(path)?));
        }
        if self.is_demo() || find_lock_name(&folder.keys())?.as_deref() == Some("demo") {
            return Ok(KeyOpener::Demo);
        }
        Ok(KeyOpener::of_keyring(folder))
    }
}

impl KeyOpener {
    /// The keyring's account for this folder.
    #[must_use]
    pub fn of_keyring(folder: &Folder) -> KeyOpener {
        KeyOpener::Keyring(folder.0.display().to_string())
    }

    /// The same for the engine.
    #[must_use]
    pub fn lock(&self) -> Lock<'_> {
        match self {
            KeyOpener::Passphrase(phrase) => Lock::Passphrase(phrase),
            KeyOpener::Keyring(account) => Lock::Keyring(account),
            KeyOpener::Demo => Lock::Demo,
        }
    }
}
