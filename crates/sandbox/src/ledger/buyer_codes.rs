//! Payment codes that buyers' phones show. Each works once and for about a minute.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

use super::{Records, Sql};
use crate::clock::Millis;

/// What happens when the merchant charges the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeOutcome {
    /// Paid at once: 10000.
    #[default]
    Pays,
    /// The phone asks for the password: 10003, until the buyer pays or leaves.
    AsksPassword,
    /// `ACQ.BUYER_BALANCE_NOT_ENOUGH`.
    HasNoMoney,
}

impl CodeOutcome {
    fn text(self) -> &'static str {
        match self {
            Self::Pays => "pays",
            Self::AsksPassword => "asks_password",
            Self::HasNoMoney => "has_no_money",
        }
    }
}

impl ToSql for CodeOutcome {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.text().into())
    }
}

impl FromSql for CodeOutcome {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        [Self::Pays, Self::AsksPassword, Self::HasNoMoney]
            .into_iter()
            .find(|outcome| outcome.text() == text)
            .ok_or(FromSqlError::InvalidType)
    }
}

#[derive(Clone, Debug)]
pub struct BuyerCode {
    pub auth_code: String,
    pub buyer: String,
    pub outcome: CodeOutcome,
    pub expires_at: Millis,
    pub is_used: bool,
}

impl Records<'_> {
    pub fn add_buyer_code(&self, code: &BuyerCode) -> Sql<()> {
        self.transaction.execute(
            "insert into buyer_codes (auth_code, buyer, outcome, expires_at, is_used) values (?1, ?2, ?3, ?4, ?5)",
            params![code.auth_code, code.buyer, code.outcome, code.expires_at, code.is_used],
        )?;
        Ok(())
    }

    pub fn find_buyer_code(&self, auth_code: &str) -> Sql<Option<BuyerCode>> {
        let sql = "select auth_code, buyer, outcome, expires_at, is_used from buyer_codes where auth_code = ?1";
        self.transaction
            .prepare_cached(sql)?
            .query_row([auth_code], |row| {
                Ok(BuyerCode {
                    auth_code: row.get(0)?,
                    buyer: row.get(1)?,
                    outcome: row.get(2)?,
                    expires_at: row.get(3)?,
                    is_used: row.get(4)?,
                })
            })
            .optional()
    }

    pub fn use_buyer_code(&self, auth_code: &str) -> Sql<()> {
        self.transaction.execute("update buyer_codes set is_used = 1 where auth_code = ?1", [auth_code])?;
        Ok(())
    }
}
