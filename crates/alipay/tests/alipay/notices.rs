//! Notices other people's software got wrong, as they come: raw form bodies.

use crate::fixtures::{APP_ID, SELLER_ID, alipay_key, bytes, json, text};
use rstest::rstest;
use yidan_alipay::{AlipayKey, Merchant, Notice, NoticeError, Trust, read_proof};
use yidan_payment::{Evidence, Fen, OutTradeNo, PaidTrade, Source, UtcMs};

const NUMBER: &str = "S01T02_20261130_000100";

fn merchant() -> Merchant {
    Merchant { app_id: APP_ID.into(), seller_id: Some(SELLER_ID.into()), trust: Trust::Keys(alipay_key()) }
}

fn read(id: &str) -> Result<Notice, NoticeError> {
    Notice::read(&bytes(&format!("cases/notify/{id}.body")), &merchant())
}

fn fen(text: &str) -> Fen {
    Fen::parse(text).unwrap()
}

fn paid(notice: &Notice) -> PaidTrade {
    let evidence = notice.evidence().unwrap();
    let Evidence::Paid(paid) = evidence else { panic!("{evidence:?}") };
    paid
}

#[rstest]
#[case::nt1_plus_and_equals_survive("NT1", "矿泉水")]
#[case::nt2_a_plus_in_the_subject("NT2", "会员+ A+B")]
#[case::nt3_split_before_decoding("NT3", "满减=5&赠")]
#[case::nt5_blanks_at_the_ends_stay("NT5", "foobar ")]
#[case::nt7_gbk("NT7", "会员充值")]
#[case::nt9_sign_type_is_not_signed("NT9", "矿泉水")]
#[case::nt11_unknown_fields_are_signed("NT11", "矿泉水")]
#[case::nt19_finished_is_paid("NT19", "矿泉水")]
#[case::nt26_the_answer_is_seven_bytes("NT26", "矿泉水")]
#[case::nt28_quotes_stay_quotes("NT28", "矿泉水")]
fn a_paid_notice_is_read(#[case] id: &str, #[case] subject: &str) {
    let notice = read(id).unwrap();
    assert_eq!(notice.text("subject"), Some(subject));
    assert_eq!(notice.out_trade_no(), Some(OutTradeNo::new(NUMBER).unwrap()));
    assert_eq!((paid(&notice).total, notice.refund()), (fen("10"), None));
    assert_eq!(yidan_alipay::NOTICE_KEPT.as_bytes(), [0x73, 0x75, 0x63, 0x63, 0x65, 0x73, 0x73]);
}

#[test]
fn nt1_the_time_of_payment_is_beijing_time() {
    // 2026-11-30T12:15:16Z
    assert_eq!(paid(&read("NT1").unwrap()).paid_at, Some(UtcMs(1_796_040_916_000)));
    assert_eq!(read("NT3").unwrap().text("body"), Some("a=b&c=d=="));
}

#[test]
fn nt18_scanned_is_not_paid() {
    assert!(matches!(read("NT18").unwrap().evidence(), Ok(Evidence::WaitBuyerPay(_))));
}

#[rstest]
#[case::nt13a_without_signature("NT13a")]
#[case::nt13b_with_an_empty_one("NT13b")]
#[case::nt13c_with_a_strangers("NT13c")]
fn a_notice_that_alipay_did_not_sign_is_refused(#[case] id: &str) {
    assert!(matches!(read(id), Err(NoticeError::NotSigned(_))));
}

#[test]
fn nt16_a_notice_for_somebody_else_is_refused() {
    assert!(matches!(read("NT16a"), Err(NoticeError::OtherApp { .. })));
    let other = Merchant { seller_id: Some("2088000000000009".into()), ..merchant() };
    let body = bytes("cases/notify/NT1.body");
    assert!(matches!(Notice::read(&body, &other), Err(NoticeError::OtherSeller { .. })));
}

#[test]
fn nt16_the_wrong_amount_and_number_are_told_as_they_are() {
    assert_eq!(paid(&read("NT16b").unwrap()).total, fen("0.01"));
    assert_eq!(read("NT16c").unwrap().out_trade_no().unwrap().as_str(), "S01T02_20261130_777777");
}

#[test]
fn a_stored_notice_proves_what_it_proved_when_it_came() {
    let number = OutTradeNo::new(NUMBER).unwrap();
    let notice = read("NT7").unwrap();
    let proof = notice.proof().clone();
    assert_eq!((proof.source, proof.text.as_bytes()), (Source::Notify, bytes("cases/notify/NT7.body").as_slice()));
    assert_eq!(read_proof(&proof, &merchant(), &number).unwrap(), notice.evidence().unwrap());
    assert!(read_proof(&proof, &merchant(), &OutTradeNo::new("S02").unwrap()).is_err());
    assert!(read_proof(&proof, &Merchant { app_id: "1".into(), ..merchant() }, &number).is_err());
}

#[test]
fn paid_partly_refunded_and_refunded_are_told_apart() {
    let file = json("vectors/notify/computed_cases.json");
    let key = text(&format!("vectors/{}", file["public_key_file"].as_str().unwrap()));
    let merchant = Merchant {
        app_id: "2021000000000000".into(),
        seller_id: Some("2088000000000156".into()),
        trust: Trust::Keys(AlipayKey::parse(&key).unwrap()),
    };
    let notices: Vec<Notice> = file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| Notice::read(case["form_body"].as_str().unwrap().as_bytes(), &merchant).unwrap())
        .collect();
    let refunds: Vec<_> = notices.iter().map(|notice| notice.refund().and_then(|hint| hint.refunded_in_all)).collect();
    assert_eq!(refunds, [None, Some(fen("8.88")), Some(fen("88.88"))]);
    assert_eq!((paid(&notices[0]), notices[0].text("subject")), (paid(&notices[1]), Some("奶茶 大杯+珍珠 100%")));
    assert!(matches!(notices[2].evidence(), Ok(Evidence::TradeClosedPaid(paid)) if paid.total == fen("88.88")));
    assert_eq!(notices[2].refund().unwrap().out_request_no.as_deref(), Some("R202610010002"));
}

#[rstest]
#[case::a_real_one("node_trade_success", true)]
#[case::a_changed_one("node_trade_bad", false)]
#[case::another_changed_one("gopay_trade_success_shape_only", false)]
#[case::not_about_a_trade("node_servicemarket_sign_type_kept", false)]
fn notices_from_the_test_suites_of_other_sdks(#[case] file: &str, #[case] is_believed: bool) {
    let vector = json(&format!("vectors/notify/{file}.json"));
    let params = vector["params"].as_object().unwrap();
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(params.iter().map(|(name, value)| (name, value.as_str().unwrap())))
        .finish();
    let key = text(&format!("vectors/{}", vector["public_key_file"].as_str().unwrap()));
    let merchant = Merchant {
        app_id: params["app_id"].as_str().unwrap().into(),
        seller_id: None,
        trust: Trust::Keys(AlipayKey::parse(&key).unwrap()),
    };
    assert_eq!(Notice::read(body.as_bytes(), &merchant).is_ok(), is_believed);
}

#[test]
fn the_debug_of_a_notice_names_no_buyer() {
    let shown = format!("{:?}", read("NT1").unwrap());
    assert!(shown.contains(NUMBER) && !shown.contains("2088000000000002") && !shown.contains("5620"), "{shown}");
}
