//! Writes a terminal's journal as headquarters keeps it, for whoever wants to check it without headquarters.
//!
//! One JSON object a line: terminal, epoch and the line as it was received. [`crate::verify`] reads it.

use crate::catch_up::read_event;
use crate::database::Database;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use std::io::Write;
use yidan_payment::Event;

const PAGE: i64 = 1000;

/// One line of an exported file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedLine {
    /// Whose.
    pub terminal_id: String,
    /// Under which enrolment.
    pub epoch: i64,
    /// The line.
    pub event: Event,
}

/// Why an export did not end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database.
    #[error("cannot read the journal")]
    Database(#[from] sqlx::Error),
    /// Where it goes.
    #[error("cannot write the export")]
    Write(#[from] std::io::Error),
}

/// Writes everything a terminal ever reported, in order; says how many lines.
///
/// # Errors
/// [`ExportError`]; what was written until then is the beginning.
pub async fn export(database: &Database, terminal_id: &str, into: &mut impl Write) -> Result<usize, ExportError> {
    let (mut after, mut count) = ((0, 0), 0);
    loop {
        let rows = sqlx::query(
            "select epoch, seq, event_id, kind, at_ms, payload, prev_hash, hash from events \
             where terminal_id = $1 and (epoch > $2 or (epoch = $2 and seq > $3)) order by epoch, seq limit $4",
        )
        .bind(terminal_id)
        .bind(after.0)
        .bind(after.1)
        .bind(PAGE)
        .fetch_all(&database.reader)
        .await?;
        if rows.is_empty() {
            return Ok(count);
        }
        for row in &rows {
            let line = ExportedLine {
                terminal_id: terminal_id.to_owned(),
                epoch: row.try_get("epoch")?,
                event: read_event(row)?,
            };
            serde_json::to_writer(&mut *into, &line).map_err(std::io::Error::from)?;
            into.write_all(b"\n")?;
            after = (line.epoch, line.event.seq);
            count += 1;
        }
    }
}
