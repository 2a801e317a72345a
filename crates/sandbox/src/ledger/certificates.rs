//! Alipay's platform certificates: the first, and one more after every rotation. Old ones can still be downloaded.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{Records, Sql};

/// One generation. `private_key` is PKCS#8 PEM.
#[derive(Clone)]
pub struct AlipayCertificate {
    pub sn: String,
    /// The certificate and its issuer, as Alipay's console gives them out.
    pub pem: String,
    pub private_key: String,
}

impl std::fmt::Debug for AlipayCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AlipayCertificate({}, …)", self.sn)
    }
}

impl Records<'_> {
    pub fn add_certificate(&self, certificate: &AlipayCertificate) -> Sql<()> {
        self.transaction.execute(
            "insert into certificates (sn, pem, private_key) values (?1, ?2, ?3)",
            params![certificate.sn, certificate.pem, certificate.private_key],
        )?;
        Ok(())
    }

    pub fn find_certificate(&self, sn: &str) -> Sql<Option<AlipayCertificate>> {
        self.transaction
            .prepare_cached("select sn, pem, private_key from certificates where sn = ?1")?
            .query_row([sn], read_certificate)
            .optional()
    }

    pub fn latest_certificate(&self) -> Sql<Option<AlipayCertificate>> {
        self.transaction
            .prepare_cached("select sn, pem, private_key from certificates order by generation desc limit 1")?
            .query_row([], read_certificate)
            .optional()
    }

    /// What a new key of this ledger is made from.
    pub fn draw_key_seed(&self) -> Sql<[u8; 32]> {
        self.draw()
    }
}

fn read_certificate(row: &Row<'_>) -> Sql<AlipayCertificate> {
    Ok(AlipayCertificate { sn: row.get("sn")?, pem: row.get("pem")?, private_key: row.get("private_key")? })
}
