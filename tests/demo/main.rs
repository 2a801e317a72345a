//! `make demo`: one sale over real HTTP between the real programs, told in one line of JSON.

use anyhow::{Result, ensure};
use harness::programs::{PATIENCE, Programs, text};
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, Instant};

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::disallowed_methods, reason = "measures what a customer waits")]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let programs = Programs::start(folder.path()).await?;
    let shop = &programs.visitor;
    let clicked = Instant::now();
    let bill = shop.collect("demo-1", "38.50", "click-1").await?;
    let click_to_qr_ms = clicked.elapsed().as_millis();
    ensure!(bill["qrCode"].is_string(), "no code came: {bill}");
    let out_trade_no = text(&bill, "outTradeNo")?;
    shop.buyer("scan", out_trade_no, "amy").await?;
    shop.buyer("pay", out_trade_no, "amy").await?;
    let bought = Instant::now();
    while shop.query("demo-1").await?["status"] != "SUCCESS" || shop.hq_counted(out_trade_no, 3850).await? == 0 {
        ensure!(bought.elapsed() < PATIENCE, "the sale did not end: {}", shop.query("demo-1").await?);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let paid = u64::from(shop.query("demo-1").await?["received"] == "38.50");
    let (charges, hq) = (shop.charges(out_trade_no).await?, shop.hq_counted(out_trade_no, 3850).await?);
    let line = json!({
        "paid": paid, "charges": charges, "hq": hq,
        "click_to_qr_ms": click_to_qr_ms, "pay_to_counted_ms": bought.elapsed().as_millis(),
    });
    writeln!(std::io::stdout(), "{line}")?;
    ensure!((paid, charges, hq) == (1, 1, 1), "paid, charges and hq must each be 1");
    Ok(())
}
