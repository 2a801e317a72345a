//! The account bill (账务明细): every change of the merchant's balance, fees included.

use crate::bill_file::{Movement, Table, as_cell, as_text, chinese_time};
use crate::bill_trade::fee_fen;
use crate::buyer::logon_id;
use crate::clock::{Millis, beijing_text};
use crate::money::yuan;

const COLUMNS: &str = "账务流水号,业务流水号,商户订单号,商品名称,发生时间,对方账号,收入金额（+元）,支出金额（-元）,账户余额（元）,交易渠道,业务类型,备注";

/// One change of the balance.
struct Entry<'a> {
    movement: &'a Movement,
    kind: &'static str,
    change_fen: i64,
}

pub fn tables(prefix: &str, head: &[String; 2], movements: &[Movement], now: Millis) -> Vec<Table> {
    let entries: Vec<Entry<'_>> = movements.iter().flat_map(entries_of).collect();
    let totals = totals(&entries, now);
    vec![
        Table { name: format!("{prefix}账务明细.csv"), lines: detail(head, &entries, &totals) },
        Table { name: format!("{prefix}账务明细(汇总).csv"), lines: summary(head, &totals) },
    ]
}

fn detail(head: &[String; 2], entries: &[Entry<'_>], totals: &[String; 3]) -> Vec<String> {
    let mut lines = vec!["#支付宝账务明细查询".to_owned()];
    lines.extend_from_slice(head);
    lines.push(
        "#-----------------------------------------账务明细列表----------------------------------------".to_owned(),
    );
    lines.push(COLUMNS.to_owned());
    lines.extend(balance_lines(entries));
    lines.push(
        "#-----------------------------------------账务明细列表结束------------------------------------".to_owned(),
    );
    lines.extend_from_slice(totals);
    lines
}

fn totals(entries: &[Entry<'_>], now: Millis) -> [String; 3] {
    let (income, spending): (Vec<i64>, Vec<i64>) =
        entries.iter().map(|entry| entry.change_fen).partition(|change_fen| *change_fen >= 0);
    [
        format!("#支出合计：{}笔，共{}元", spending.len(), yuan(spending.iter().sum())),
        format!("#收入合计：{}笔，共{}元", income.len(), yuan(income.iter().sum())),
        format!("#导出时间：[{}]", chinese_time(now)),
    ]
}

fn entries_of(movement: &Movement) -> Vec<Entry<'_>> {
    let entry = |kind, change_fen| Entry { movement, kind, change_fen };
    match &movement.refund {
        Some(refund) => vec![entry("交易退款", -refund.amount_fen)],
        None => vec![entry("在线支付", movement.trade.total_fen), entry("收费", -fee_fen(movement))],
    }
}

/// The balance begins at zero with the period: a sandbox merchant has no other money.
fn balance_lines(entries: &[Entry<'_>]) -> Vec<String> {
    let mut balance_fen = 0;
    let line = |(at, entry): (usize, &Entry<'_>)| {
        balance_fen += entry.change_fen;
        let trade = &entry.movement.trade;
        let (income, spending) = if entry.change_fen >= 0 {
            (yuan(entry.change_fen), String::new())
        } else {
            (String::new(), yuan(entry.change_fen))
        };
        [
            as_text(&format!("{}{at:04}", trade.trade_no)),
            as_text(&trade.trade_no),
            as_text(&trade.out_trade_no),
            as_cell(&trade.subject),
            as_text(&beijing_text(entry.movement.at)),
            as_cell(&logon_id(&trade.buyer)),
            income,
            spending,
            yuan(balance_fen),
            "支付宝".to_owned(),
            entry.kind.to_owned(),
            String::new(),
        ]
        .join(",")
    };
    entries.iter().enumerate().map(line).collect()
}

fn summary(head: &[String; 2], totals: &[String; 3]) -> Vec<String> {
    let mut lines = vec!["#支付宝账务汇总查询".to_owned()];
    lines.extend_from_slice(head);
    lines.extend_from_slice(totals);
    lines
}
