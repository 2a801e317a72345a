//! `alipay.data.dataservice.bill.downloadurl.query`: the address of a past day's or month's bill.

use super::{Stop, invalid_parameter, refuse};
use crate::answer::Answer;
use crate::bill_period::BillPeriod;
use crate::biz::Biz;
use crate::config::EmptyBill;
use crate::ledger::BillLink;
use crate::platform::Turn;

/// The bills this sandbox can make.
pub const BILL_TYPES: [&str; 2] = ["trade", "signcustomer"];

pub fn query_url(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let bill_type = biz.text("bill_type").ok_or_else(|| invalid_parameter("bill_type"))?;
    let bill_date = biz.text("bill_date").ok_or_else(|| invalid_parameter("bill_date"))?;
    let period = BillPeriod::read(&bill_date).filter(|period| period.end <= turn.now);
    let Some(period) = period.filter(|_| BILL_TYPES.contains(&bill_type.as_str())) else {
        return Err(refuse("isv.invalid_arguments", "入参不合法"));
    };
    let is_empty = is_empty(turn, period)?;
    if turn.now < period.ready_at || is_empty && turn.settings.empty_bill == EmptyBill::NotExist {
        return Err(refuse("isp.bill_not_exist", "账单不存在"));
    }
    let link = BillLink { token: turn.records.draw_token()?, bill_type, bill_date, made_at: turn.now };
    turn.records.add_bill_link(&link)?;
    Ok(Answer::success()
        .with_some("bill_file_code", is_empty.then_some("EMPTY_DATA_WITH_BILL_FILE"))
        .with("bill_download_url", address(turn, &link)))
}

fn is_empty(turn: &Turn<'_>, period: BillPeriod) -> Result<bool, Stop> {
    let paid = turn.records.list_paid_between(period.start, period.end)?;
    let refunded = turn.records.list_refunds_between(period.start, period.end)?;
    Ok(paid.is_empty() && refunded.is_empty())
}

/// Shaped like Alipay's own. Only the token counts.
fn address(turn: &Turn<'_>, link: &BillLink) -> String {
    let user = format!("{}0156", turn.merchant.seller_id);
    let date = link.bill_date.replace('-', "");
    let file = format!("{user}_{date}.csv.zip");
    format!(
        "{}/downloadBillFile.resource?bizType={}&userId={user}&fileType=csv.zip&bizDates={date}&downloadFileName={file}&fileId=%2F{}%2F{file}&timestamp={}&token={}",
        turn.origin, link.bill_type, link.bill_type, link.made_at, link.token
    )
}
