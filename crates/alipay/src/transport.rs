//! One request, one answer, over TLS.
//!
//! Must always hold: what did not leave is told from what may have arrived. No redirects, no repeats, no way to switch
//! the check of the server's certificate off; plain http only to this computer.

use crate::{
    answer::{Answer, AnswerError},
    beijing::read_http_date,
    call::Call,
    request::{CONTENT_TYPE, Request},
    settings::Settings,
};
use reqwest::{Response, StatusCode, Url, header};
use std::time::Duration;
use yidan_payment::{GatewayError, UtcMs};

/// No answer of the gateway comes near it.
const LONGEST_ANSWER: usize = 1 << 20;
/// A bill is a file of some megabytes.
const DOWNLOAD: Duration = Duration::from_secs(120);

/// Makes the connections of one client.
pub(crate) fn http_client(settings: &Settings) -> reqwest::Result<reqwest::Client> {
    builder(settings).build()
}

fn builder(settings: &Settings) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder()
        .connect_timeout(settings.connect_timeout)
        .timeout(settings.timeout)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    match settings.gateway.is_loopback() {
        true => builder.no_proxy(),
        false => builder.https_only(true),
    }
}

/// Sends a request and cuts its answer open. With it the answer's `Date`.
pub(crate) async fn send(
    http: &reqwest::Client,
    call: Call,
    request: Request,
) -> Result<(Answer, Option<UtcMs>), GatewayError> {
    let post = http.post(request.url).header(header::CONTENT_TYPE, CONTENT_TYPE).body(request.body);
    let response = post.send().await.map_err(to_send_error)?;
    let date = date_of(&response);
    let answer = read_answer(call, response).await.map_err(GatewayError::from)?;
    Ok((answer, date))
}

async fn read_answer(call: Call, response: Response) -> Result<Answer, AnswerError> {
    Answer::open(call, &read_body(response, LONGEST_ANSWER).await?)
}

/// Fetches a file of at most `longest` bytes; it may take longer than a call.
pub(crate) async fn download(http: &reqwest::Client, url: &Url, longest: usize) -> Result<Vec<u8>, AnswerError> {
    let response = http.get(url.clone()).timeout(DOWNLOAD).send().await;
    read_body(response.map_err(|error| AnswerError::Lost(error.without_url().into()))?, longest).await
}

/// Reads a body of at most `longest` bytes.
async fn read_body(mut response: Response, longest: usize) -> Result<Vec<u8>, AnswerError> {
    if response.status() != StatusCode::OK {
        return Err(AnswerError::Status(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| AnswerError::Lost(error.without_url().into()))? {
        if body.len() + chunk.len() > longest {
            return Err(AnswerError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn date_of(response: &Response) -> Option<UtcMs> {
    read_http_date(response.headers().get(header::DATE)?.to_str().ok()?)
}

/// Without a connection nothing was sent. Everything later may have arrived.
fn to_send_error(error: reqwest::Error) -> GatewayError {
    match error.is_connect() || error.is_builder() {
        true => GatewayError::NotSent(error.without_url().into()),
        false => GatewayError::Unanswered(Box::new(AnswerError::Lost(error.without_url().into()))),
    }
}

impl From<AnswerError> for GatewayError {
    fn from(error: AnswerError) -> GatewayError {
        match error {
            AnswerError::Limited => GatewayError::Limited,
            AnswerError::Lost(_)
            | AnswerError::Status(_)
            | AnswerError::TooLong
            | AnswerError::NotAlipay
            | AnswerError::Encrypted
            | AnswerError::Unsigned { .. }
            | AnswerError::BadSignature
            | AnswerError::UnknownCertificate(_)
            | AnswerError::Unclear { .. }
            | AnswerError::AskAgain
            | AnswerError::OtherNumber
            | AnswerError::Missing(_) => GatewayError::Unanswered(Box::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AlipayKey, AppKey, GatewayUrl, Trust, request::sign_request};
    use rstest::rstest;
    use rustls::{
        ServerConfig, ServerConnection, Stream,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    };
    use std::{
        io::{Read, Write},
        net::TcpListener,
        path::{Path, PathBuf},
        sync::Arc,
        thread,
    };

    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
    }

    fn text(name: &str) -> String {
        std::fs::read_to_string(fixture(name)).unwrap()
    }

    /// A TLS server with a certificate; it answers one request. Gives its port.
    fn server(certificate: &str) -> u16 {
        let chain = vec![CertificateDer::from_pem_file(fixture(certificate)).unwrap()];
        let key = PrivateKeyDer::from_pem_file(fixture("cases/keys/unrelated_private_pkcs8.pem")).unwrap();
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut tcp, _) = listener.accept().unwrap();
            let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
            let mut tls = Stream::new(&mut connection, &mut tcp);
            let mut request = [0; 4096];
            if tls.read(&mut request).is_ok() {
                tls.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
            }
        });
        port
    }

    /// Asks with the client as it is, but for a root that this computer trusts besides its own.
    async fn ask(gateway: &str, extra_root: Option<&str>) -> GatewayError {
        let settings = Settings {
            gateway: GatewayUrl::unchecked(gateway),
            app_id: "2021000100000001".into(),
            seller_id: None,
            app_key: AppKey::parse(&text("cases/keys/app_private_pkcs8.pem")).unwrap(),
            trust: Trust::Keys(AlipayKey::parse(&text("cases/keys/platform_public.pem")).unwrap()),
            notify_url: None,
            connect_timeout: Settings::CONNECT,
            timeout: Settings::WHOLE,
        };
        let roots = extra_root.map(|file| reqwest::Certificate::from_pem(text(file).as_bytes()).unwrap());
        let http = builder(&settings).tls_certs_merge(roots).build().unwrap();
        send(&http, Call::Query, sign_request(&settings, Call::Query, "{}", UtcMs(0))).await.unwrap_err()
    }

    /// Everything that went wrong, outermost first.
    fn causes(error: &GatewayError) -> String {
        let first: &dyn std::error::Error = error;
        std::iter::successors(Some(first), |error| error.source()).map(|error| format!("{error}: ")).collect()
    }

    #[tokio::test]
    async fn se2_a_server_that_vouches_for_itself_gets_no_request() {
        let port = server("tls/itself.crt");
        for host in ["localhost", "127.0.0.1"] {
            let error = ask(&format!("https://{host}:{port}/gateway.do"), None).await;
            assert!(matches!(error, GatewayError::NotSent(_)), "{error:?}");
        }
    }

    #[tokio::test]
    async fn se2_a_certificate_of_a_trusted_root_for_this_host_and_day_is_asked() {
        let url = format!("https://localhost:{}/gateway.do", server("tls/good.crt"));
        let error = ask(&url, Some("tls/root.crt")).await;
        assert!(matches!(error, GatewayError::Unanswered(_)), "it answered, if not as Alipay does: {error:?}");
    }

    #[rstest]
    #[case::an_unknown_root("tls/good.crt", None, "UnknownIssuer")]
    #[case::expired("tls/expired.crt", Some("tls/root.crt"), "expired")]
    #[case::not_yet_valid("tls/not_yet_valid.crt", Some("tls/root.crt"), "not valid yet")]
    #[case::for_another_host("tls/other_host.crt", Some("tls/root.crt"), "not valid for name")]
    #[tokio::test]
    async fn se2_a_server_with_a_wrong_certificate_gets_no_request(
        #[case] certificate: &str,
        #[case] extra_root: Option<&str>,
        #[case] why: &str,
    ) {
        let error = ask(&format!("https://localhost:{}/gateway.do", server(certificate)), extra_root).await;
        assert!(matches!(error, GatewayError::NotSent(_)), "{error:?}");
        assert!(causes(&error).contains(why), "{}", causes(&error));
    }

    #[tokio::test]
    async fn se2_plain_http_to_another_computer_is_refused() {
        let error = ask("http://192.0.2.1/gateway.do", None).await;
        assert!(matches!(error, GatewayError::NotSent(_)), "{error:?}");
    }
}
