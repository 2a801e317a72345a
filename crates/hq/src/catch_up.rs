//! At start: projects the stored lines that an older program did not understand.
//!
//! One transaction per page, so that a stop in between loses nothing and repeats nothing. Lines that are still not
//! understood stay as they are.

use crate::database::Database;
use crate::decide::money::Reporter;
use crate::ingest::{mark_projected, read};
use crate::merchant::Merchant;
use crate::project;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use yidan_payment::{Event, UtcMs};

const PAGE: i64 = 1000;

/// One journal with lines to project.
struct Journal {
    reporter: Reporter,
    epoch: i64,
}

/// Projects what can be understood now.
///
/// # Errors
/// The database.
pub async fn catch_up(database: &Database, merchant: &Merchant, now: UtcMs) -> Result<(), sqlx::Error> {
    let rows = sqlx::query(
        "select distinct e.terminal_id, e.epoch, t.store_id from events e \
         join terminals t on t.terminal_id = e.terminal_id where e.projected = 0 order by e.terminal_id, e.epoch",
    )
    .fetch_all(&database.reader)
    .await?;
    for row in rows {
        let reporter = Reporter { terminal_id: row.try_get("terminal_id")?, store_id: row.try_get("store_id")? };
        let journal = Journal { reporter, epoch: row.try_get("epoch")? };
        let mut after = Some(0);
        while let Some(seq) = after {
            after = project_page(database, merchant, &journal, seq, now).await?;
        }
    }
    Ok(())
}

/// Projects the next lines after `seq`; answers with the last one looked at, or `None` if there was none.
async fn project_page(
    database: &Database,
    merchant: &Merchant,
    journal: &Journal,
    seq: i64,
    now: UtcMs,
) -> Result<Option<i64>, sqlx::Error> {
    let mut transaction = database.writer.begin().await?;
    let events = load_lines(&mut transaction, journal, seq).await?;
    let projected = project::read(merchant, &events);
    mark_projected(&mut transaction, &journal.reporter.terminal_id, journal.epoch, &projected).await?;
    project::write(&mut transaction, merchant, &journal.reporter, journal.epoch, &projected, now).await?;
    transaction.commit().await?;
    Ok(events.last().map(|event| event.seq))
}

async fn load_lines(db: &mut AnyConnection, journal: &Journal, seq: i64) -> Result<Vec<Event>, sqlx::Error> {
    let rows = sqlx::query(
        "select seq, event_id, kind, at_ms, payload, prev_hash, hash from events \
         where terminal_id = $1 and epoch = $2 and seq > $3 and projected = 0 order by seq limit $4",
    )
    .bind(&journal.reporter.terminal_id)
    .bind(journal.epoch)
    .bind(seq)
    .bind(PAGE)
    .fetch_all(db)
    .await?;
    rows.iter().map(read_event).collect()
}

/// Reads a stored line.
///
/// # Errors
/// If a column is not what it should be.
pub fn read_event(row: &AnyRow) -> Result<Event, sqlx::Error> {
    Ok(Event {
        seq: row.try_get("seq")?,
        event_id: read(row, "event_id")?,
        kind: row.try_get("kind")?,
        at: UtcMs(row.try_get("at_ms")?),
        payload: row.try_get("payload")?,
        prev_hash: read(row, "prev_hash")?,
        hash: read(row, "hash")?,
    })
}
