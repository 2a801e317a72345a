//! Damaged and hostile input: whatever comes, nothing panics, and nothing that was changed is believed.
//!
//! Every target has a stored corpus in `__fuzz__`, replayed on every run: each file says by its name what must become of
//! it. Then the fuzzer's bytes say how to damage these files and the fixtures, and are also taken as they are. Under
//! `cargo test` some hundred random inputs; for longer set BOLERO_RANDOM_TEST_TIME_MS and BOLERO_RANDOM_ITERATIONS.

use crate::fixtures::{APP_ID, SELLER_ID, alipay_key, bytes, path};
use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};
use yidan_alipay::{AlipayKey, Answer, AppKey, Bill, Call, Certificate, Certificates, Merchant, Notice, Trust};
use yidan_payment::UtcMs;

static MERCHANT: LazyLock<Merchant> = LazyLock::new(|| Merchant {
    app_id: APP_ID.into(),
    seller_id: Some(SELLER_ID.into()),
    trust: Trust::Keys(alipay_key()),
});

static ANSWERS: LazyLock<Vec<Seed>> = LazyLock::new(|| seeds("answers", "cases/response"));

/// A file to begin with, and its name.
type Seed = (String, Vec<u8>);

/// The stored corpus of a target, and every file of a folder of fixtures.
fn seeds(target: &str, fixtures: &str) -> Vec<Seed> {
    [corpus(target), files(&path(fixtures))].concat()
}

/// The stored corpus of a target, where bolero looks for it too.
fn corpus(target: &str) -> Vec<Seed> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/alipay/__fuzz__").join(target).join("corpus"))
}

fn files(folder: &Path) -> Vec<Seed> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read =
        |path: &PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap());
    paths.iter().filter(|path| path.is_file()).map(read).collect()
}

/// A seed with some bytes changed, cut out, or put in, as the fuzzer's bytes say.
fn damage(seeds: &[Seed], input: &[u8]) -> Vec<u8> {
    let Some((&which, edits)) = input.split_first() else { return Vec::new() };
    let mut text = seeds[usize::from(which) % seeds.len()].1.clone();
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

#[test]
fn fuzz_the_answer_extractor() {
    replay("answers", is_believed_answer);
    run("answers", ANSWERS.clone(), is_believed_answer);
}

#[test]
fn fuzz_the_notice_decoder() {
    replay("notices", is_believed_notice);
    run("notices", seeds("notices", "cases/notify"), is_believed_notice);
}

#[test]
fn fuzz_the_bill_reader() {
    replay("bills", is_whole_bill);
    run("bills", seeds("bills", "cases/bill"), is_whole_bill);
}

#[test]
fn fuzz_the_certificate_and_key_readers() {
    replay("certificates", is_key_or_certificate);
    run("certificates", seeds("certificates", "cases/certs"), is_key_or_certificate);
}

/// Both kinds must be there, or the corpus was lost.
fn replay(target: &str, is_taken: fn(&[u8]) -> bool) {
    let corpus = corpus(target);
    for (name, file) in &corpus {
        assert_eq!(is_taken(file), name.starts_with("real_"), "{target}: {name}");
    }
    for kind in ["real_", "hostile_"] {
        assert!(corpus.iter().filter(|(name, _)| name.starts_with(kind)).count() >= 5, "{target}: no corpus of {kind}");
    }
}

fn run(target: &str, seeds: Vec<Seed>, is_taken: fn(&[u8]) -> bool) {
    for (_, seed) in &seeds {
        is_taken(seed);
    }
    bolero::check!(name = target).with_iterations(300).for_each(|input: &[u8]| {
        is_taken(input);
        is_taken(&damage(&seeds, input));
    });
}

fn is_believed_answer(body: &[u8]) -> bool {
    [Call::Precreate, Call::Query].into_iter().any(|call| {
        let Ok(answer) = Answer::open(call, body) else { return false };
        let Some(sign) = &answer.signature else { return false };
        let is_believed = MERCHANT.trust.check(&answer.node, sign, answer.cert_sn.as_deref()).is_ok();
        // Believed means: the node is, byte for byte, one that the platform key signed.
        assert!(!is_believed || is_original(&answer.node), "{}", answer.node);
        is_believed
    })
}

fn is_original(node: &str) -> bool {
    let real = ANSWERS.iter().filter(|(name, _)| !name.starts_with("hostile_"));
    real.into_iter().any(|(_, seed)| String::from_utf8_lossy(seed).contains(node))
}

fn is_believed_notice(body: &[u8]) -> bool {
    let Ok(notice) = Notice::read(body, &MERCHANT) else { return false };
    drop((notice.evidence(), notice.refund(), notice.passback_params(), notice.sent_at()));
    assert!(notice.out_trade_no().is_some());
    true
}

fn is_whole_bill(file: &[u8]) -> bool {
    Bill::read(file).is_ok() || Bill::read_archive(file).is_ok()
}

fn is_key_or_certificate(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    let certificates = Certificate::parse_all(&text).unwrap_or_default();
    for certificate in &certificates {
        let is_over = certificate.days_left(UtcMs(i64::MAX)) < 0;
        assert!(!is_over || certificate.check_dates(UtcMs(i64::MAX)).is_err());
    }
    learn(&text);
    let is_key = AppKey::parse(&text).is_ok() || AlipayKey::parse(&text).is_ok();
    is_key || certificates.iter().any(|certificate| certificate.key().is_ok())
}

/// The file in every box at once, and as what the gateway sends.
fn learn(text: &str) {
    let roots = String::from_utf8(bytes("cases/certs/alipayRootCert_four_roots.crt")).unwrap();
    let Ok(certificates) = Certificates::new(Some(text), text, &roots) else { return };
    let sn = Certificate::parse(text).map(|first| first.sn().to_owned()).unwrap_or_default();
    drop((certificates.days_left(UtcMs(0)), certificates.learn(&sn, text, UtcMs(0))));
}
