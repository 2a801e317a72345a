//! Bills other people's software got wrong, and archives nobody should open.

use crate::fixtures::{DATE_MS, Gateway, SELLER_ID, bytes, json, settings, signed};
use encoding_rs::GB18030;
use rstest::rstest;
use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
};
use yidan_alipay::{Bill, BillAnswer, BillDay, BillError, BillKind, Client, FetchError, Settings};
use yidan_payment::UtcMs;
use zip::{ZipWriter, write::SimpleFileOptions};

const NOW: UtcMs = UtcMs(DATE_MS);

fn read(id: &str) -> Result<Bill, BillError> {
    Bill::read_archive(&bytes(&format!("cases/bill/{id}.zip")))
}

/// Yuan as the manifest writes them, with or without decimals.
fn fen(yuan: &serde_json::Value) -> i64 {
    let text = yuan.as_str().unwrap();
    let (yuan, cents) = text.split_once('.').unwrap_or((text, "00"));
    format!("{yuan}{cents}").parse().unwrap()
}

#[rstest]
#[case::bl1_gbk_crlf_and_tabs("BL1")]
#[case::bl2_refunds_are_rows_of_their_own("BL2")]
#[case::bl3_quotes_commas_and_line_ends_in_a_field("BL3")]
#[case::bl5_names_in_gbk_and_the_summary_first("BL5")]
#[case::bl8_a_day_without_sales("BL8")]
#[case::bl10_columns_moved_and_added("BL10")]
fn a_bill_adds_up(#[case] id: &str) {
    let manifest = json("cases/manifest.json");
    let expected = &manifest.as_array().unwrap().iter().find(|case| case["id"] == id).unwrap()["expect"];
    let bill = read(id).unwrap();
    let totals = bill.totals;
    assert_eq!(totals.trades.count, expected["trade_count"].as_u64().unwrap());
    assert_eq!(totals.refunds.count, expected["refund_count"].as_u64().unwrap());
    assert_eq!(bill.lines.len() as u64, totals.trades.count + totals.refunds.count);
    for (name, sum) in [
        ("trade_order_sum", totals.trades.order_fen),
        ("trade_received", totals.trades.receipt_fen),
        ("refund_order_sum", totals.refunds.order_fen),
        ("refund_received", totals.refunds.receipt_fen),
        ("merchant_discount", totals.trades.merchant_discount_fen),
        ("refund_merchant_discount", totals.refunds.merchant_discount_fen),
        ("fee_sum", totals.fee_fen),
        ("net", totals.net_fen()),
    ] {
        assert_eq!(sum, fen(&expected[name]), "{name}");
    }
    assert_eq!(bill.account.as_deref(), Some("20880000000000010156"));
    let day_ms = bill.end.unwrap().0 - bill.begin.unwrap().0;
    assert_eq!((bill.begin.map(BillDay::of), day_ms), (BillDay::parse("2026-11-29").ok(), 86_400_000));
}

#[test]
fn bl1_numbers_keep_all_their_digits() {
    let bill = read("BL1").unwrap();
    let first = &bill.lines[0];
    assert_eq!(first.trade_no.as_str(), "2026112922001400000000000001");
    assert_eq!((first.out_trade_no.as_str(), first.order_fen, first.fee_fen), ("S01T02_20261129_000001", 100, -1));
    // 2026-11-29T08:14:24+08:00
    assert_eq!((first.finished_at, &first.kind), (UtcMs(1_795_911_264_000), &BillKind::Trade));
}

#[test]
fn bl2_a_refund_carries_its_own_number() {
    let bill = read("BL2").unwrap();
    let refunds: Vec<_> = bill.lines.iter().filter(|line| line.kind == BillKind::Refund).collect();
    assert_eq!(refunds[1].out_request_no.as_deref(), Some("S01T02_20261129_000003_R2"));
    assert_eq!((refunds[1].order_fen, refunds[1].receipt_fen), (-5000, -4500));
    assert_eq!(bill.lines[0].out_request_no, None);
}

#[test]
fn bl3_names_are_kept_as_they_are() {
    let names: Vec<_> = read("BL3").unwrap().lines.into_iter().map(|line| line.subject).collect();
    assert_eq!(names, ["A,B 套餐 \"大份\"", "第一行\n第二行", "=1+1"]);
}

#[test]
fn bl12_a_file_saved_by_a_spreadsheet_is_refused() {
    let error = Bill::read(bytes("cases/bill/BL12_excel_resaved.csv").as_slice()).unwrap_err();
    assert!(matches!(error, BillError::ChangedBySpreadsheet(3)), "{error}");
}

/// The text of a bill with these rows.
fn text(rows: &[&str], trades: usize, sum: &str) -> String {
    let mut text = String::from(
        "#支付宝业务明细查询\r\n#账号：[20880000000000010156]\r\n#----业务明细列表----\r\n支付宝交易号,商户订单号,业务类型,完成时间,订单金额（元）,商家实收（元）\r\n",
    );
    for row in rows {
        write!(text, "{row}\r\n").unwrap();
    }
    write!(text, "#----业务明细列表结束----\r\n#交易合计：{trades}笔，商家实收共{sum}元，商家优惠共0元\r\n").unwrap();
    text + "#退款合计：0笔，商家实收退款共0元，商家优惠退款共0元\r\n#导出时间：[2026年11月30日 08:31:07]\r\n"
}

fn gbk(text: &str) -> Vec<u8> {
    GB18030.encode(text).0.into_owned()
}

const ROW: &str = "2026112922001400000000000001\t,S01\t,交易\t,2026-11-29 08:14:24,1.00,1.00";

#[test]
fn line_ends_and_charset_do_not_matter() {
    let crlf = text(&[ROW], 1, "1.00");
    let lf = crlf.replace("\r\n", "\n");
    let bills = [gbk(&crlf), gbk(&lf), lf.clone().into_bytes(), format!("\u{feff}{lf}").into_bytes()];
    let bills: Vec<_> = bills.iter().map(|bytes| Bill::read(bytes.as_slice()).unwrap()).collect();
    assert!(bills.iter().all(|bill| *bill == bills[0] && bill.lines.len() == 1));
}

#[test]
fn a_bill_that_is_cut_off_at_any_byte_is_refused() {
    let whole = gbk(&text(&[ROW, ROW], 2, "2.00"));
    // The last line tells only when the file was made.
    let end =
        whole.len() - gbk("#导出时间：[2026年11月30日 08:31:07]\r\n").len() - gbk("，商家优惠退款共0元\r\n").len();
    for length in 0..end {
        assert!(Bill::read(&whole[..length]).is_err(), "{length}");
    }
    assert!(Bill::read(whole.as_slice()).is_ok());
}

#[test]
fn rows_that_do_not_add_up_are_refused() {
    for (count, sum) in [(2, "1.00"), (1, "1.01")] {
        let error = Bill::read(gbk(&text(&[ROW], count, sum)).as_slice()).unwrap_err();
        assert!(matches!(error, BillError::WrongTotals), "{error}");
    }
}

#[rstest]
#[case::no_amount("2026112922001400000000000001,S01,交易,2026-11-29 08:14:24,,1.00", "订单金额")]
#[case::an_amount_in_words("2026112922001400000000000001,S01,交易,2026-11-29 08:14:24,1.00,一元", "商家实收")]
#[case::no_number(",S01,交易,2026-11-29 08:14:24,1.00,1.00", "支付宝交易号")]
#[case::no_time("2026112922001400000000000001,S01,交易,,1.00,1.00", "完成时间")]
fn a_row_that_cannot_be_understood_is_named(#[case] row: &str, #[case] name: &str) {
    let error = Bill::read(gbk(&text(&[ROW, row], 2, "2.00")).as_slice()).unwrap_err();
    assert!(matches!(error, BillError::BadRow { row: 6, column } if column == name), "{error}");
}

#[test]
fn an_unknown_kind_of_row_is_shown_and_not_counted() {
    let bill = Bill::read(gbk(&text(&[ROW, &ROW.replace("交易", "分账")], 1, "1.00")).as_slice()).unwrap();
    assert_eq!((bill.lines[1].kind.clone(), bill.totals.trades.count), (BillKind::Other("分账".into()), 1));
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn hostile_archives_are_refused() {
    let bill = gbk(&text(&[], 0, "0"));
    let good = ("2088_20261129_业务明细.csv", bill.as_slice());
    assert!(Bill::read_archive(&archive(&[good, ("2088_20261129_业务明细(汇总).csv", b"x")])).is_ok());
    for name in ["../业务明细.csv", "a/业务明细.csv", "..\\x.csv", "C:\\业务明细.csv"] {
        assert!(matches!(Bill::read_archive(&archive(&[(name, &bill)])), Err(BillError::HostileArchive(_))), "{name}");
    }
    let two = archive(&[good, ("2_业务明细.csv", &bill)]);
    assert!(matches!(Bill::read_archive(&two), Err(BillError::HostileArchive(_))));
    let many: Vec<String> = (0..20).map(|index| format!("{index}.csv")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    assert!(matches!(Bill::read_archive(&archive(&many)), Err(BillError::HostileArchive(_))));
    for nothing in [b"".as_slice(), b"<html>expired</html>", &archive(&[("x.csv", b"")])] {
        assert!(matches!(Bill::read_archive(nothing), Err(BillError::NotABill)));
    }
    let whole = archive(&[good]);
    assert!((0..whole.len()).all(|length| Bill::read_archive(&whole[..length]).is_err()));
}

#[test]
fn a_hundred_thousand_rows_are_read_in_one_pass() {
    let rows = vec![ROW; 100_000];
    let bytes = gbk(&text(&rows, rows.len(), "100000.00"));
    let archive = archive(&[("2088_业务明细.csv", &bytes)]);
    let bill = Bill::read_archive(&archive).unwrap();
    assert_eq!((bill.lines.len(), bill.totals.trades.order_fen), (100_000, 10_000_000));
}

const MEMBER: &str = "alipay_data_dataservice_bill_downloadurl_query_response";

/// The answer that names where the bill is.
fn address(url: &str) -> Vec<u8> {
    let url = url.replace("gateway.do", "downloadBillFile.resource?token=abc");
    signed(MEMBER, &format!(r#"{{"code":"10000","msg":"Success","bill_download_url":"{url}"}}"#))
}

#[tokio::test(flavor = "current_thread")]
async fn bl16_an_expired_address_is_asked_for_again() {
    let page = b"<html>download timed out</html>".to_vec();
    let bill = bytes("cases/bill/BL2.zip");
    let gateway = Gateway::answering_at(|url| vec![Some(address(url)), Some(page), Some(address(url)), Some(bill)]);
    let client = Client::new(settings(&gateway.url), || NOW).unwrap();
    let answer = client.fetch_bill(BillDay::parse("2026-11-29").unwrap()).await.unwrap();
    assert!(matches!(answer, BillAnswer::Ready(bill) if bill.lines.len() == 8));
    let asked = gateway.seen.recv().unwrap();
    assert_eq!(asked.body[0].1, r#"{"bill_date":"2026-11-29","bill_type":"trade"}"#);
}

#[tokio::test(flavor = "current_thread")]
async fn an_address_that_never_works_is_an_error() {
    let page = || Some(b"<html></html>".to_vec());
    let gateway = Gateway::answering_at(|url| vec![Some(address(url)), page(), Some(address(url)), page()]);
    let client = Client::new(settings(&gateway.url), || NOW).unwrap();
    let error = client.fetch_bill(BillDay::parse("2026-11-29").unwrap()).await.unwrap_err();
    assert!(matches!(error, FetchError::Bill(BillError::NotABill)), "{error:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn a_bill_of_another_day_or_account_is_refused() {
    let fetch = |day: &'static str, seller_id: &'static str| async move {
        let bill = bytes("cases/bill/BL2.zip");
        let gateway = Gateway::answering_at(|url| vec![Some(address(url)), Some(bill)]);
        let settings = Settings { seller_id: Some(seller_id.into()), ..settings(&gateway.url) };
        let client = Client::new(settings, || NOW).unwrap();
        client.fetch_bill(BillDay::parse(day).unwrap()).await.unwrap_err()
    };
    let error = fetch("2026-11-28", SELLER_ID).await;
    assert!(matches!(error, FetchError::Bill(BillError::OtherDay)), "{error:?}");
    let error = fetch("2026-11-29", "2088000000000009").await;
    assert!(matches!(error, FetchError::Bill(BillError::OtherAccount)), "{error:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn bl14_a_day_that_is_not_over_is_not_asked_about() {
    let gateway = Gateway::answering(vec![]);
    let client = Client::new(settings(&gateway.url), || NOW).unwrap();
    let answer = client.fetch_bill(BillDay::parse("2026-12-01").unwrap()).await.unwrap();
    assert_eq!(answer, BillAnswer::NotReady(None));
}

#[tokio::test(flavor = "current_thread")]
async fn bl15_an_empty_day_needs_no_download() {
    let node = &json("cases/bill/BL15_answer.json")[MEMBER];
    let gateway = Gateway::answering(vec![Some(signed(MEMBER, &node.to_string()))]);
    let client = Client::new(settings(&gateway.url), || NOW).unwrap();
    let answer = client.fetch_bill(BillDay::parse("2026-11-29").unwrap()).await.unwrap();
    assert_eq!(answer, BillAnswer::NoTrades);
}
