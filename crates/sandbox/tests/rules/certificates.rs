//! Certificate mode: numbers asked for and given, chains that hold, rotation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use rsa::pkcs1v15::{Signature, VerifyingKey};
use rsa::pkcs8::DecodePublicKey as _;
use rsa::signature::Verifier as _;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, DecodePem as _, Encode as _};
use yidan_sandbox::NoticeCertSn;

use crate::merchant::{PRECREATE, QUERY, Reply, Shop, receive};

const DOWNLOAD: &str = "alipay.open.app.alipaycert.download";

fn chain(pem: &str) -> Vec<Certificate> {
    pem.split_inclusive("-----END CERTIFICATE-----\n").map(|one| Certificate::from_pem(one).unwrap()).collect()
}

fn number(certificate: &Certificate) -> String {
    let tbs = certificate.tbs_certificate();
    let serial = num_bigint::BigUint::from_bytes_be(tbs.serial_number().as_bytes());
    hex::encode(Md5::digest(format!("{}{serial}", tbs.issuer())))
}

fn is_issued_by(certificate: &Certificate, issuer: &Certificate) -> bool {
    let key = issuer.tbs_certificate().subject_public_key_info().to_der().unwrap();
    let key = VerifyingKey::<Sha256>::new(rsa::PublicKey::from_public_key_der(&key).unwrap());
    let signature = Signature::try_from(certificate.signature().raw_bytes()).unwrap();
    let signed = certificate.tbs_certificate().to_der().unwrap();
    certificate.tbs_certificate().issuer() == issuer.tbs_certificate().subject()
        && key.verify(&signed, &signature).is_ok()
}

fn is_signed_with(certificate: &Certificate, text: &[u8], sign: &str) -> bool {
    let key = certificate.tbs_certificate().subject_public_key_info().to_der().unwrap();
    let key = VerifyingKey::<Sha256>::new(rsa::PublicKey::from_public_key_der(&key).unwrap());
    let raw = STANDARD.decode(sign).unwrap();
    key.verify(text, &Signature::try_from(raw.as_slice()).unwrap()).is_ok()
}

/// A call with certificate numbers; `None` keeps the right one.
async fn call(shop: &Shop, method: &str, biz: Value, app_sn: Option<&str>, root_sn: Option<&str>) -> Reply {
    let app = number(&chain(&shop.sandbox.app_cert_pem())[0]);
    let root = number(&chain(&shop.sandbox.alipay_root_cert_pem())[0]);
    let mut parameters = shop.parameters(method, &biz.to_string());
    parameters.push(("app_cert_sn".to_owned(), app_sn.unwrap_or(&app).to_owned()));
    parameters.push(("alipay_root_cert_sn".to_owned(), root_sn.unwrap_or(&root).to_owned()));
    shop.send(&parameters).await.unwrap()
}

/// The certificate number an answer states between object and sign.
fn stated_number(reply: &Reply) -> String {
    let text = String::from_utf8(reply.body.clone()).unwrap();
    let (_, tail) = text.split_once("},\"alipay_cert_sn\":\"").unwrap();
    let (sn, rest) = tail.split_once('"').unwrap();
    assert!(rest.starts_with(",\"sign\":\""), "{rest}");
    sn.to_owned()
}

#[tokio::test]
async fn the_certificates_chain_to_the_root_and_fit_the_keys() {
    let shop = Shop::open().await;
    let root = &chain(&shop.sandbox.alipay_root_cert_pem())[0];
    let alipay = chain(&shop.sandbox.alipay_cert_pem());
    let app = &chain(&shop.sandbox.app_cert_pem())[0];

    assert_eq!(alipay.len(), 2);
    assert!(is_issued_by(&alipay[0], &alipay[1]));
    assert!(is_issued_by(app, &alipay[1]));
    assert!(is_issued_by(&alipay[1], root));
    assert!(is_issued_by(root, root));
    let own = app.tbs_certificate().subject_public_key_info().to_der().unwrap();
    assert!(is_signed_with(app, b"x", &shop.sign_bytes(b"x")));
    assert!(x509_cert::spki::SubjectPublicKeyInfoOwned::from_der(&own).is_ok());
}

#[tokio::test]
async fn a_call_with_certificate_numbers_is_answered_with_one() {
    let shop = Shop::open().await;

    let reply = call(&shop, QUERY, json!({"out_trade_no": "T1"}), None, None).await;

    assert!(reply.is_genuine);
    assert_eq!(reply.sub_code(), "ACQ.TRADE_NOT_EXIST");
    assert_eq!(stated_number(&reply), number(&chain(&shop.sandbox.alipay_cert_pem())[0]));
    assert_eq!(shop.look("merchant").await["alipay_cert_sn"], stated_number(&reply));
}

#[tokio::test]
async fn wrong_certificate_numbers_are_refused() {
    let shop = Shop::open().await;
    let biz = json!({"out_trade_no": "T1"});

    let app = call(&shop, QUERY, biz.clone(), Some("0123"), None).await;
    let root = call(&shop, QUERY, biz, None, Some("0123")).await;

    assert_eq!(app.sub_code(), "isv.invalid-app-cert-sn");
    assert_eq!(root.sub_code(), "isv.invalid-alipay-root-cert-sn");
}

#[tokio::test]
async fn after_a_rotation_the_new_certificate_signs_and_both_can_be_downloaded() {
    let mut shop = Shop::open().await;
    let old = shop.sandbox.alipay_cert_pem();
    let old_number = number(&chain(&old)[0]);

    let new_number = shop.sandbox.rotate_certificate();
    shop.restart(|_| {}).await;
    let reply = call(&shop, QUERY, json!({"out_trade_no": "T1"}), None, None).await;
    let fetched = call(&shop, DOWNLOAD, json!({"alipay_cert_sn": new_number}), None, None).await;
    let fetched_old = call(&shop, DOWNLOAD, json!({"alipay_cert_sn": old_number}), None, None).await;
    let unknown = call(&shop, DOWNLOAD, json!({"alipay_cert_sn": "0123"}), None, None).await;

    assert_ne!(new_number, old_number);
    assert_eq!(stated_number(&reply), new_number);
    assert!(!reply.is_genuine, "the first key does not sign any more");
    let pem = String::from_utf8(STANDARD.decode(fetched.text("alipay_cert_content")).unwrap()).unwrap();
    assert_eq!(number(&chain(&pem)[0]), new_number);
    assert!(is_issued_by(&chain(&pem)[0], &chain(&pem)[1]));
    assert_eq!(STANDARD.decode(fetched_old.text("alipay_cert_content")).unwrap(), old.as_bytes());
    assert_eq!(unknown.code(), "40004");
    assert!(shop.query("T1").await.is_genuine, "key mode keeps its key");
}

#[tokio::test]
async fn a_notice_of_certificate_mode_states_the_number_signed_unsigned_or_not_at_all() {
    for wording in [NoticeCertSn::Signed, NoticeCertSn::Unsigned, NoticeCertSn::Absent] {
        let shop = Shop::open().await;
        shop.sandbox.change_settings(|settings| settings.notice_cert_sn = wording);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let current = chain(&shop.sandbox.alipay_cert_pem());
        sell_in_cert_mode(&shop, &url).await;

        let mut notice = receive(&listener, "success").await;

        let stated = notice.iter().find(|(name, _)| name == "alipay_cert_sn").map(|(_, value)| value.clone());
        assert_eq!(stated, (wording != NoticeCertSn::Absent).then(|| number(&current[0])));
        let sign = notice.iter().find(|(name, _)| name == "sign").unwrap().1.clone();
        notice.retain(|(name, _)| name != "sign" && name != "sign_type");
        if wording == NoticeCertSn::Unsigned {
            notice.retain(|(name, _)| name != "alipay_cert_sn");
        }
        notice.sort();
        let lines: Vec<String> = notice.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert!(is_signed_with(&current[0], lines.join("&").as_bytes(), &sign), "{wording:?}");
    }
}

async fn sell_in_cert_mode(shop: &Shop, notify_url: &str) {
    let app = number(&chain(&shop.sandbox.app_cert_pem())[0]);
    let root = number(&chain(&shop.sandbox.alipay_root_cert_pem())[0]);
    let biz = json!({"out_trade_no": "T1", "total_amount": "1.00", "subject": "x"});
    let mut parameters = shop.parameters(PRECREATE, &biz.to_string());
    parameters.retain(|(name, _)| name != "notify_url");
    for (name, value) in [("app_cert_sn", app.as_str()), ("alipay_root_cert_sn", &root), ("notify_url", notify_url)] {
        parameters.push((name.to_owned(), value.to_owned()));
    }
    shop.send(&parameters).await.unwrap();
    shop.sandbox.scan("T1", "amy").unwrap();
    shop.sandbox.pay("T1", "amy").unwrap();
}
