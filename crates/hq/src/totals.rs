//! `GET /api/v1/totals`: one business day in fen, by store, terminal and hour.
//!
//! Only proved money is in it. net = gross − refunds; suspense is money that a person still has to decide on, and is in
//! none of the three.

use crate::app::App;
use crate::clock::day_in_china;
use crate::given::Asked;
use crate::problem::Problem;
use crate::sign_in::Reader;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;
use std::collections::BTreeMap;

/// Which day; without it today in China.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    day: Option<String>,
}

/// Sums of money.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Sums {
    /// Receipts that pay for a sale.
    count: i64,
    gross_fen: i64,
    refunds_fen: i64,
    net_fen: i64,
    /// What is left of receipts that a person must decide on.
    suspense_fen: i64,
}

/// One day.
#[derive(Serialize)]
pub struct Totals {
    day: String,
    #[serde(flatten)]
    sums: Sums,
    /// Payments of the day that may still bring money.
    open_count: i64,
    open_fen: i64,
    by_store: Vec<StoreSums>,
    by_terminal: Vec<TerminalSums>,
    by_hour: Vec<HourSums>,
}

#[derive(Serialize)]
struct StoreSums {
    store_id: String,
    store_name: String,
    terminals: i64,
    open_cases: i64,
    #[serde(flatten)]
    sums: Sums,
    /// Net by hour of the day, 0 to 23.
    net_by_hour: [i64; 24],
}

#[derive(Serialize)]
struct TerminalSums {
    store_id: String,
    terminal_id: String,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize)]
struct HourSums {
    hour: i64,
    #[serde(flatten)]
    sums: Sums,
}

/// One group of the day.
struct Group {
    store_id: String,
    terminal_id: String,
    hour: i64,
    sums: Sums,
}

/// `GET /api/v1/totals`
pub async fn totals(_: Reader, State(app): State<App>, Asked(which): Asked<Which>) -> Result<Json<Totals>, Problem> {
    let day = which.day.unwrap_or_else(|| day_in_china(app.clock.now()));
    let mut groups = load_receipts(&app, &day).await?;
    groups.extend(load_refunds(&app, &day).await?);
    let open = load_open(&app, &day).await?;
    Ok(Json(Totals {
        sums: sum(groups.iter()),
        open_count: open.try_get("count")?,
        open_fen: open.try_get("fen")?,
        by_store: load_stores(&app, &groups).await?,
        by_terminal: by(&groups, |group| (group.store_id.clone(), group.terminal_id.clone()))
            .map(|((store_id, terminal_id), sums)| TerminalSums { store_id, terminal_id, sums })
            .collect(),
        by_hour: by(&groups, |group| group.hour).map(|(hour, sums)| HourSums { hour, sums }).collect(),
        day,
    }))
}

async fn load_receipts(app: &App, day: &str) -> Result<Vec<Group>, sqlx::Error> {
    let rows = sqlx::query(
        "select store_id, terminal_id, hour, booked, cast(count(*) as bigint) as count, \
         cast(sum(total_fen) as bigint) as fen \
         from receipts where business_day = $1 group by store_id, terminal_id, hour, booked",
    )
    .bind(day)
    .fetch_all(&app.database.reader)
    .await?;
    read_groups(&rows, |count, fen, is_recognised| {
        if is_recognised {
            Sums { count, gross_fen: fen, net_fen: fen, ..Sums::default() }
        } else {
            Sums { suspense_fen: fen, ..Sums::default() }
        }
    })
}

async fn load_refunds(app: &App, day: &str) -> Result<Vec<Group>, sqlx::Error> {
    let rows = sqlx::query(
        "select f.store_id, f.terminal_id, f.hour, r.booked, cast(count(*) as bigint) as count, \
         cast(sum(f.amount_fen) as bigint) as fen \
         from refunds f join receipts r on r.account = f.account and r.trade_no = f.trade_no \
         where f.business_day = $1 group by f.store_id, f.terminal_id, f.hour, r.booked",
    )
    .bind(day)
    .fetch_all(&app.database.reader)
    .await?;
    read_groups(&rows, |_, fen, is_recognised| {
        if is_recognised {
            Sums { refunds_fen: fen, net_fen: -fen, ..Sums::default() }
        } else {
            Sums { suspense_fen: -fen, ..Sums::default() }
        }
    })
}

fn read_groups(rows: &[AnyRow], sums: impl Fn(i64, i64, bool) -> Sums) -> Result<Vec<Group>, sqlx::Error> {
    let read = |row: &AnyRow| {
        let is_recognised = row.try_get::<String, _>("booked")? == "RECOGNISED";
        Ok(Group {
            store_id: row.try_get("store_id")?,
            terminal_id: row.try_get("terminal_id")?,
            hour: row.try_get("hour")?,
            sums: sums(row.try_get("count")?, row.try_get("fen")?, is_recognised),
        })
    };
    rows.iter().map(read).collect()
}

async fn load_open(app: &App, day: &str) -> Result<AnyRow, sqlx::Error> {
    sqlx::query(
        "select cast(count(*) as bigint) as count, cast(coalesce(sum(amount_fen), 0) as bigint) as fen \
         from payments where business_day = $1 and status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING')",
    )
    .bind(day)
    .fetch_one(&app.database.reader)
    .await
}

/// Every store, also one that has not reported anything today.
async fn load_stores(app: &App, groups: &[Group]) -> Result<Vec<StoreSums>, sqlx::Error> {
    let rows = sqlx::query(
        "select s.store_id, s.store_name, \
         (select cast(count(*) as bigint) from terminals t where t.store_id = s.store_id) as terminals, \
         (select cast(count(*) as bigint) from cases c where c.store_id = s.store_id and c.status = 'OPEN') as cases \
         from stores s order by s.store_id",
    )
    .fetch_all(&app.database.reader)
    .await?;
    let mut of_store: BTreeMap<&str, Vec<&Group>> = BTreeMap::new();
    for group in groups {
        of_store.entry(&group.store_id).or_default().push(group);
    }
    let store = |row: &AnyRow| {
        let store_id: String = row.try_get("store_id")?;
        let groups = of_store.get(store_id.as_str()).map_or(&[][..], Vec::as_slice);
        let mut net_by_hour = [0; 24];
        for group in groups {
            if let Some(net) = usize::try_from(group.hour).ok().and_then(|hour| net_by_hour.get_mut(hour)) {
                *net += group.sums.net_fen;
            }
        }
        Ok(StoreSums {
            sums: sum(groups.iter().copied()),
            net_by_hour,
            store_name: row.try_get("store_name")?,
            terminals: row.try_get("terminals")?,
            open_cases: row.try_get("cases")?,
            store_id,
        })
    };
    rows.iter().map(store).collect()
}

fn by<K: Ord>(groups: &[Group], key: impl Fn(&Group) -> K) -> impl Iterator<Item = (K, Sums)> {
    let mut sums: BTreeMap<K, Sums> = BTreeMap::new();
    for group in groups {
        let entry = sums.entry(key(group)).or_default();
        *entry = entry.plus(&group.sums);
    }
    sums.into_iter()
}

fn sum<'a>(groups: impl Iterator<Item = &'a Group>) -> Sums {
    groups.fold(Sums::default(), |sums, group| sums.plus(&group.sums))
}

impl Sums {
    fn plus(self, other: &Sums) -> Sums {
        Sums {
            count: self.count + other.count,
            gross_fen: self.gross_fen + other.gross_fen,
            refunds_fen: self.refunds_fen + other.refunds_fen,
            net_fen: self.net_fen + other.net_fen,
            suspense_fen: self.suspense_fen + other.suspense_fen,
        }
    }
}
