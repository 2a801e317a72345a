//! Bills: when there is one, how long its address lives, and what is in the zip to the last tab.

use std::io::Read as _;

use serde_json::json;
use yidan_sandbox::EmptyBill;

use crate::merchant::{HOUR, PRECREATE, Reply, Shop, beijing};

const DAY: i64 = 24 * HOUR;

async fn ask(shop: &Shop, kind: &str, date: &str) -> Reply {
    let biz = json!({"bill_type": kind, "bill_date": date});
    shop.call("alipay.data.dataservice.bill.downloadurl.query", biz).await
}

/// Turns the clock to eleven in the morning (Beijing) of the day after today.
fn turn_to_next_morning(shop: &Shop) {
    let now = shop.now();
    let into_day = (now + 8 * HOUR).rem_euclid(DAY);
    shop.turn_clock(DAY - into_day + 11 * HOUR);
}

fn today(shop: &Shop) -> String {
    beijing(shop.now())[..10].to_owned()
}

async fn download(shop: &Shop, reply: &Reply) -> Vec<u8> {
    let url = reply.text("bill_download_url");
    shop.client.get(url).send().await.unwrap().bytes().await.unwrap().to_vec()
}

/// Names and texts of a zip, both decoded from GBK.
fn unzip(zip: Vec<u8>) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    (0..archive.len())
        .map(|at| {
            let mut entry = archive.by_index(at).unwrap();
            assert!(std::str::from_utf8(entry.name_raw()).is_err(), "names are GBK");
            let name = encoding_rs::GBK.decode(entry.name_raw()).0.into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (name, encoding_rs::GBK.decode(&bytes).0.into_owned())
        })
        .collect()
}

async fn sell_with_refund(shop: &Shop) {
    let biz = json!({"out_trade_no": "T1", "total_amount": "12.34", "subject": "奶茶, 大杯",
        "store_id": "S1", "operator_id": "c01", "terminal_id": "7"});
    shop.call(PRECREATE, biz).await;
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
    let biz = json!({"out_trade_no": "T1", "refund_amount": "2.00", "out_request_no": "T1R1"});
    shop.call("alipay.trade.refund", biz).await;
    shop.precreate("T2").await;
}

#[tokio::test]
async fn a_days_bill_lists_payments_and_negative_refunds() {
    let shop = Shop::open().await;
    sell_with_refund(&shop).await;
    let date = today(&shop);
    turn_to_next_morning(&shop);

    let reply = ask(&shop, "trade", &date).await;
    let tables = unzip(download(&shop, &reply).await);

    assert!(reply.is_genuine);
    let prefix = format!("20880000000000010156_{}_", date.replace('-', ""));
    assert_eq!(tables[0].0, format!("{prefix}业务明细.csv"));
    assert_eq!(tables[1].0, format!("{prefix}业务明细(汇总).csv"));
    let lines: Vec<&str> = tables[0].1.split("\r\n").collect();
    assert_eq!(lines[0], "#支付宝业务明细查询");
    assert_eq!(lines[1], "#账号：[20880000000000010156]");
    assert_eq!(lines[4].split(',').count(), 25);
    let trade_no = shop.sandbox.trade("T1").unwrap().trade_no;
    assert!(lines[5].starts_with(&format!("{trade_no}\t,T1\t,交易,\"奶茶, 大杯\",{date} ")), "{}", lines[5]);
    assert!(lines[5].contains(",S1,,c01,7,amy***@sandbox.com,12.34,12.34,"), "{}", lines[5]);
    assert!(lines[5].contains(",-0.07,0.00,"), "the fee is six per mille: {}", lines[5]);
    assert!(lines[6].contains(",退款,") && lines[6].contains(",-2.00,-2.00,"), "{}", lines[6]);
    assert!(lines[6].contains(",T1R1\t,0.00,"), "{}", lines[6]);
    assert!(lines[7].starts_with("#") && lines[7].contains("业务明细列表结束"));
    assert_eq!(lines[8], "#交易合计：1笔，商家实收共12.34元，商家优惠共0.00元");
    assert_eq!(lines[9], "#退款合计：1笔，商家实收退款共-2.00元，商家优惠退款共0.00元");
    assert!(!tables[0].1.contains("T2"), "a code nobody scanned is in no bill");
    assert!(
        tables[1].1.contains("\r\nS1,,1,1,10.34,10.34,0.00,0.00,0.00,-0.07,0.00,10.27\r\n合计,"),
        "{}",
        tables[1].1
    );
}

#[tokio::test]
async fn the_account_bill_carries_the_balance() {
    let shop = Shop::open().await;
    sell_with_refund(&shop).await;
    let date = today(&shop);
    turn_to_next_morning(&shop);

    let tables = unzip(download(&shop, &ask(&shop, "signcustomer", &date).await).await);

    let rows: Vec<&str> =
        tables[0].1.split("\r\n").filter(|line| line.contains("\tT1\t") || line.contains(",T1\t,")).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[0].ends_with(",12.34,,12.34,支付宝,在线支付,"), "{}", rows[0]);
    assert!(rows[1].ends_with(",,-0.07,12.27,支付宝,收费,"), "{}", rows[1]);
    assert!(rows[2].ends_with(",,-2.00,10.27,支付宝,交易退款,"), "{}", rows[2]);
}

#[tokio::test]
async fn there_is_no_bill_for_today_nor_before_nine_in_the_morning() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    let date = today(&shop);
    assert_eq!(ask(&shop, "trade", &date).await.sub_code(), "isv.invalid_arguments");
    assert_eq!(ask(&shop, "gift", "2026-01-01").await.sub_code(), "isv.invalid_arguments");
    assert_eq!(ask(&shop, "trade", &date[..7]).await.sub_code(), "isv.invalid_arguments");

    turn_to_next_morning(&shop);
    shop.turn_clock(-3 * HOUR);

    assert_eq!(ask(&shop, "trade", &date).await.sub_code(), "isp.bill_not_exist");
    shop.turn_clock(3 * HOUR);
    assert_eq!(ask(&shop, "trade", &date).await.code(), "10000");
    shop.turn_clock(40 * DAY);
    assert_eq!(ask(&shop, "trade", &date[..7]).await.code(), "10000");
}

#[tokio::test]
async fn a_day_without_sales_has_no_bill_or_an_empty_one() {
    let shop = Shop::open().await;
    let date = today(&shop);
    turn_to_next_morning(&shop);
    assert_eq!(ask(&shop, "trade", &date).await.sub_code(), "isp.bill_not_exist");

    shop.sandbox.change_settings(|settings| settings.empty_bill = EmptyBill::EmptyFile);
    let reply = ask(&shop, "trade", &date).await;

    assert_eq!(reply.text("bill_file_code"), "EMPTY_DATA_WITH_BILL_FILE");
    let tables = unzip(download(&shop, &reply).await);
    assert!(tables[0].1.contains("#交易合计：0笔，商家实收共0.00元"));
}

#[tokio::test]
async fn the_address_of_a_bill_lives_thirty_seconds() {
    let shop = Shop::open().await;
    shop.sell("T1").await;
    let date = today(&shop);
    turn_to_next_morning(&shop);
    let reply = ask(&shop, "trade", &date).await;

    shop.turn_clock(31_000);
    let late = download(&shop, &reply).await;

    assert!(encoding_rs::GBK.decode(&late).0.contains("下载超时"));
}
