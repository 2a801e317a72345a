//! Somebody on the way plays headquarters. The counter tells it nothing: the check of a server's certificate is the real
//! program's, and no setting switches it off.

use crate::prelude::*;
use rstest::rstest;
use rustls::{
    ServerConfig, ServerConnection, Stream,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
    thread::{self, JoinHandle},
};

#[rstest]
#[case::as_it_should_be("good.crt", true)]
#[case::expired("expired.crt", false)]
#[case::not_yet_valid("not_yet_valid.crt", false)]
#[case::for_another_host("other_host.crt", false)]
#[case::vouching_for_itself("itself.crt", false)]
#[tokio::test]
async fn se2_headquarters_is_told_only_under_a_right_certificate(#[case] certificate: &str, #[case] is_told: bool) {
    let mut shop = Shop::open().await;
    shop.counter.dies();
    let (url, heard) = headquarters(certificate);

    let ended = enrol(&shop, &url);

    assert!(!ended.status.success(), "nobody answered: {ended:?}");
    assert_eq!(heard.join().expect("the server's thread").contains("POST /api/v1/enrol"), is_told, "{ended:?}");
}

/// Takes one connection and gives what it was told; answers nothing.
fn headquarters(certificate: &str) -> (String, JoinHandle<String>) {
    let chain = vec![CertificateDer::from_pem_file(fixture("tls").join(certificate)).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(fixture("cases/keys/unrelated_private_pkcs8.pem")).expect("its key");
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).expect("they fit");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("https://localhost:{}", listener.local_addr().expect("it listens").port());
    let hear = move || {
        let (mut tcp, _) = listener.accept().expect("a visitor");
        let mut connection = ServerConnection::new(Arc::new(config)).expect("the configuration is whole");
        let mut told = [0; 16_384];
        let length = Stream::new(&mut connection, &mut tcp).read(&mut told).unwrap_or(0);
        String::from_utf8_lossy(&told[..length]).into_owned()
    };
    (url, thread::spawn(hear))
}

/// The real program, on a computer that trusts the root of these tests.
fn enrol(shop: &Shop, hq: &str) -> Output {
    let demo = format!("--demo={}", yidan::demo::address_of(&shop.alipay));
    let data = shop.counter.folder().0.display().to_string();
    Command::new(harness::programs::program("yidan").expect("it is built"))
        .args(["enrol", &demo, "--data", &data, "--hq", hq, "--code", "ABCD-EFGH-JKLM-NPQR"])
        .env("SSL_CERT_FILE", fixture("tls/root.crt"))
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}
