//! The business bill (业务明细): one line for each payment and each refund, and a summary by store.

use std::collections::BTreeMap;

use crate::bill_file::{Movement, Table, as_cell, as_text, chinese_time};
use crate::biz::Biz;
use crate::buyer::logon_id;
use crate::clock::{Millis, beijing_text};
use crate::money::yuan;

const COLUMNS: &str = "支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注";
const SUMMARY_COLUMNS: &str = "门店编号,门店名称,交易订单总笔数,退款订单总笔数,订单金额（元）,商家实收（元）,支付宝优惠（元）,商家优惠（元）,卡消费金额（元）,服务费（元）,分润（元）,实收净额（元）";

/// What a group of movements comes to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    payments: u32,
    refunds: u32,
    paid_fen: i64,
    refunded_fen: i64,
    fee_fen: i64,
}

pub fn tables(prefix: &str, head: &[String; 2], movements: &[Movement], now: Millis) -> Vec<Table> {
    vec![
        Table { name: format!("{prefix}业务明细.csv"), lines: detail(head, movements, now) },
        Table { name: format!("{prefix}业务明细(汇总).csv"), lines: summary(head, movements, now) },
    ]
}

fn detail(head: &[String; 2], movements: &[Movement], now: Millis) -> Vec<String> {
    let totals = Totals::of(movements);
    let mut lines = vec!["#支付宝业务明细查询".to_owned()];
    lines.extend_from_slice(head);
    lines.push(
        "#-----------------------------------------业务明细列表----------------------------------------".to_owned(),
    );
    lines.push(COLUMNS.to_owned());
    lines.extend(movements.iter().map(line));
    lines.push(
        "#-----------------------------------------业务明细列表结束------------------------------------".to_owned(),
    );
    lines.push(format!("#交易合计：{}笔，商家实收共{}元，商家优惠共0.00元", totals.payments, yuan(totals.paid_fen)));
    lines.push(format!(
        "#退款合计：{}笔，商家实收退款共{}元，商家优惠退款共0.00元",
        totals.refunds,
        yuan(-totals.refunded_fen)
    ));
    lines.push(format!("#导出时间：[{}]", chinese_time(now)));
    lines
}

fn line(movement: &Movement) -> String {
    let trade = &movement.trade;
    let terms = Biz::read(&trade.biz).unwrap_or_default();
    let cell = |name| as_cell(&terms.text(name).unwrap_or_default());
    let amount = yuan(amount_fen(movement));
    let request = movement.refund.as_ref().map(|refund| as_text(&refund.out_request_no));
    let nothing = "0.00";
    [
        as_text(&trade.trade_no).as_str(),
        &as_text(&trade.out_trade_no),
        if movement.refund.is_some() { "退款" } else { "交易" },
        &as_cell(&trade.subject),
        &as_text(&beijing_text(trade.created_at)),
        &as_text(&beijing_text(movement.at)),
        &cell("store_id"),
        "",
        &cell("operator_id"),
        &cell("terminal_id"),
        &as_cell(&logon_id(&trade.buyer)),
        &amount,
        &amount,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        "",
        nothing,
        nothing,
        request.as_deref().unwrap_or_default(),
        &yuan(-fee_fen(movement)),
        nothing,
        &as_cell(movement.refund.as_ref().and_then(|refund| refund.reason.as_deref()).unwrap_or_default()),
    ]
    .join(",")
}

fn summary(head: &[String; 2], movements: &[Movement], now: Millis) -> Vec<String> {
    let mut stores: BTreeMap<String, Vec<&Movement>> = BTreeMap::new();
    for movement in movements {
        let terms = Biz::read(&movement.trade.biz).unwrap_or_default();
        stores.entry(terms.text("store_id").unwrap_or_default()).or_default().push(movement);
    }
    let mut lines = vec!["#支付宝业务汇总查询".to_owned()];
    lines.extend_from_slice(head);
    lines.push(
        "#-----------------------------------------业务汇总列表----------------------------------------".to_owned(),
    );
    lines.push(SUMMARY_COLUMNS.to_owned());
    for (store, own) in &stores {
        lines.push(summary_line(store, &Totals::of(own.iter().copied())));
    }
    lines.push(summary_line("合计", &Totals::of(movements)));
    lines.push(
        "#-----------------------------------------业务汇总列表结束------------------------------------".to_owned(),
    );
    lines.push(format!("#导出时间：[{}]", chinese_time(now)));
    lines
}

fn summary_line(store: &str, totals: &Totals) -> String {
    let amount = yuan(totals.paid_fen - totals.refunded_fen);
    let net = yuan(totals.paid_fen - totals.refunded_fen - totals.fee_fen);
    [
        as_cell(store).as_str(),
        "",
        &totals.payments.to_string(),
        &totals.refunds.to_string(),
        &amount,
        &amount,
        "0.00",
        "0.00",
        "0.00",
        &yuan(-totals.fee_fen),
        "0.00",
        &net,
    ]
    .join(",")
}

impl Totals {
    fn of<'a>(movements: impl IntoIterator<Item = &'a Movement>) -> Self {
        let mut totals = Self::default();
        for movement in movements {
            match &movement.refund {
                Some(refund) => {
                    totals.refunds += 1;
                    totals.refunded_fen += refund.amount_fen;
                }
                None => {
                    totals.payments += 1;
                    totals.paid_fen += movement.trade.total_fen;
                }
            }
            totals.fee_fen += fee_fen(movement);
        }
        totals
    }
}

fn amount_fen(movement: &Movement) -> i64 {
    movement.refund.as_ref().map_or(movement.trade.total_fen, |refund| -refund.amount_fen)
}

/// Six per mille of a payment, rounded half up. Fees are not given back with a refund.
pub fn fee_fen(movement: &Movement) -> i64 {
    match movement.refund {
        Some(_) => 0,
        None => (movement.trade.total_fen * 6 + 500) / 1000,
    }
}
