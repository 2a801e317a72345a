//! The database of headquarters: opened, brought to this program's form, and divided into one writer and some readers.
//!
//! Must always hold: an answer leaves only after its transaction is on the disk (SQLite: WAL, `synchronous=FULL`). A
//! file made by a newer program is refused, not changed.

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AnyPool, Executor as _};
use std::path::Path;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/hq");
const READERS: u32 = 4;

/// Connections to the database.
#[derive(Clone, Debug)]
pub struct Database {
    /// Everything that writes goes through here, one transaction after the other.
    pub writer: AnyPool,
    /// Lists and totals.
    pub reader: AnyPool,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Only SQLite is spoken so far.
    #[error("{0}: the database must be given as sqlite:PATH")]
    NotSpoken(String),
    /// Check path, rights and disk.
    #[error("cannot open the database {url}")]
    Open {
        /// Which.
        url: String,
        /// Why.
        #[source]
        cause: sqlx::Error,
    },
    /// Start the newer program again.
    #[error("the database {url} was made by a newer program (migration {version}); this one does not touch it")]
    Newer {
        /// Which.
        url: String,
        /// The first migration this program does not know.
        version: i64,
    },
    /// Read the cause; nothing was changed.
    #[error("cannot bring the database {url} to the form of this program")]
    Migrate {
        /// Which.
        url: String,
        /// Why.
        #[source]
        cause: MigrateError,
    },
}

/// The address of the database file in a data folder.
#[must_use]
pub fn url_in(folder: &Path) -> String {
    let path = folder.join("hq.db").to_string_lossy().replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    format!("sqlite://{path}")
}

impl Database {
    /// Opens the database, makes it if there is none, and migrates it.
    ///
    /// # Errors
    /// If it cannot be opened, was made by a newer program, or is not the form it should be.
    pub async fn open(url: &str) -> Result<Database, OpenError> {
        if !url.starts_with("sqlite:") {
            return Err(OpenError::NotSpoken(url.split(':').next().unwrap_or_default().to_owned()));
        }
        install_default_drivers();
        let address = if url.contains('?') { url.to_owned() } else { format!("{url}?mode=rwc") };
        let failed = |cause| OpenError::Open { url: url.to_owned(), cause };
        let writer = pool(1).connect(&address).await.map_err(failed)?;
        MIGRATIONS.run(&writer).await.map_err(|cause| refuse(url, cause))?;
        let reader = pool(READERS).connect(&address).await.map_err(failed)?;
        Ok(Database { writer, reader })
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}

fn pool(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).after_connect(|connection, _| {
        Box::pin(async move {
            connection
                .execute(
                    "pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; \
                     pragma foreign_keys = on; pragma cache_size = -65536; pragma temp_store = memory;",
                )
                .await?;
            Ok(())
        })
    })
}

fn refuse(url: &str, cause: MigrateError) -> OpenError {
    if let MigrateError::VersionMissing(version) = cause {
        return OpenError::Newer { url: url.to_owned(), version };
    }
    OpenError::Migrate { url: url.to_owned(), cause }
}
