//! Damaged and hostile input: whatever comes, nothing panics, and nothing that was changed is believed.
//!
//! Real files are the seeds; the fuzzer's bytes say which seed and how to damage it, and are also taken as they are. Under
//! `cargo test` some hundred random inputs; for longer set BOLERO_RANDOM_TEST_TIME_MS and BOLERO_RANDOM_ITERATIONS.

use crate::fixtures::{APP_ID, SELLER_ID, alipay_key, bytes, path};
use std::sync::LazyLock;
use yidan_alipay::{AlipayKey, Answer, AppKey, Bill, Call, Certificate, Certificates, Merchant, Notice, Trust};
use yidan_payment::UtcMs;

static MERCHANT: LazyLock<Merchant> = LazyLock::new(|| Merchant {
    app_id: APP_ID.into(),
    seller_id: Some(SELLER_ID.into()),
    trust: Trust::Keys(alipay_key()),
});

/// Every file of a folder.
fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let mut names: Vec<_> = std::fs::read_dir(path(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names.iter().filter(|name| name.is_file()).map(|name| std::fs::read(name).unwrap()).collect()
}

/// A seed with some bytes changed, cut out, or put in, as the fuzzer's bytes say.
fn damage(seeds: &[Vec<u8>], input: &[u8]) -> Vec<u8> {
    let Some((&which, edits)) = input.split_first() else { return Vec::new() };
    let mut text = seeds[usize::from(which) % seeds.len()].clone();
    for edit in edits.chunks_exact(4) {
        let at = usize::from(u16::from_be_bytes([edit[0], edit[1]]));
        if text.is_empty() {
            break;
        }
        let at = at % text.len();
        match edit[2] % 4 {
            0 => text[at] = edit[3],
            1 => text.truncate(at),
            2 => text.insert(at, edit[3]),
            _ => drop(text.drain(at..(at + usize::from(edit[3])).min(text.len()))),
        }
    }
    text
}

fn run(folder: &str, check: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let seeds = seeds(folder);
    for seed in &seeds {
        check(seed);
    }
    bolero::check!().with_iterations(300).for_each(|input: &[u8]| {
        check(input);
        check(&damage(&seeds, input));
    });
}

#[test]
fn fuzz_the_answer_extractor() {
    run("cases/response", |body| {
        for call in [Call::Precreate, Call::Query] {
            if let Ok(answer) = Answer::open(call, body) {
                let is_believed = answer
                    .signature
                    .as_ref()
                    .is_some_and(|sign| MERCHANT.trust.check(&answer.node, sign, answer.cert_sn.as_deref()).is_ok());
                // Believed means: the node is, byte for byte, one that the platform key signed.
                assert!(!is_believed || is_original(&answer.node), "{}", answer.node);
            }
        }
    });
}

fn is_original(node: &str) -> bool {
    seeds("cases/response").iter().any(|seed| String::from_utf8_lossy(seed).contains(node))
}

#[test]
fn fuzz_the_notice_decoder() {
    run("cases/notify", |body| {
        if let Ok(notice) = Notice::read(body, &MERCHANT) {
            drop((notice.evidence(), notice.refund(), notice.passback_params(), notice.sent_at()));
            assert!(notice.out_trade_no().is_some());
        }
    });
}

#[test]
fn fuzz_the_bill_reader() {
    run("cases/bill", |file| {
        drop(Bill::read(file));
        drop(Bill::read_archive(file));
    });
}

#[test]
fn fuzz_the_certificate_and_key_readers() {
    let root = String::from_utf8(bytes("cases/certs/alipayRootCert_four_roots.crt")).unwrap();
    run("cases/certs", |file| {
        let text = String::from_utf8_lossy(file);
        drop((AppKey::parse(&text), AlipayKey::parse(&text)));
        for certificate in Certificate::parse_all(&text).unwrap_or_default() {
            drop((certificate.key(), certificate.days_left(UtcMs(0)), certificate.check_dates(UtcMs(i64::MAX))));
        }
        if let Ok(certificates) = Certificates::new(Some(&text), &text, &root) {
            let sn = Certificate::parse(&text).map(|first| first.sn().to_owned()).unwrap_or_default();
            drop((certificates.days_left(UtcMs(0)), certificates.learn(&sn, &text, UtcMs(0))));
        }
    });
}
