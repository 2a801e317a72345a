//! How a request says who sent it: HTTP message signatures (RFC 9421) with Ed25519 over method, path, query, the body's
//! digest (RFC 9530) and the moment.
//!
//! One form and no other is written and accepted, so nothing is negotiated. Pure: moments are handed in. There is no nonce:
//! what is signed this way is idempotent.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fmt::Write as _;
use yidan_payment::UtcMs;

/// Header with the digest of the body (RFC 9530).
pub const CONTENT_DIGEST: &str = "content-digest";
/// Header that says what is signed, by whom and when (RFC 9421).
pub const SIGNATURE_INPUT: &str = "signature-input";
/// Header with the signature (RFC 9421).
pub const SIGNATURE: &str = "signature";
/// `keyid` of the one request that is sent before headquarters has given a name: the enrolment.
pub const ENROLLING: &str = "enrolling";

/// A terminal's private key. Never leaves the terminal; wiped from memory when dropped.
pub struct TerminalKey(SigningKey);

/// What a valid signature says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whose key.
    pub keyid: String,
    /// When it was signed, by the sender's clock (whole seconds).
    pub created: UtcMs,
}

/// Why a request is not what it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// A header is missing.
    #[error("the request has no {0} header")]
    Missing(&'static str),
    /// A header does not have the one form we write.
    #[error("the {0} header does not have the expected form")]
    Malformed(&'static str),
    /// The key is not 32 bytes that are an Ed25519 public key.
    #[error("this is not an Ed25519 public key")]
    Key,
    /// The body is not the one that was signed.
    #[error("the body does not have the digest that was signed")]
    Digest,
    /// Another key, or something was changed on the way.
    #[error("the signature does not fit the request")]
    Wrong,
}

impl TerminalKey {
    /// Makes a key of 32 bytes from a cryptographic random source.
    #[must_use]
    pub fn generate(random: [u8; 32]) -> TerminalKey {
        TerminalKey::from_bytes(&random)
    }

    /// Reads a key back.
    #[must_use]
    pub fn from_bytes(secret: &[u8; 32]) -> TerminalKey {
        TerminalKey(SigningKey::from_bytes(secret))
    }

    /// The secret itself, to be stored encrypted. Whoever copies it wipes the copy.
    #[must_use]
    pub fn secret_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The public half: base64 of 32 bytes.
    #[must_use]
    pub fn public_key_base64(&self) -> String {
        STANDARD.encode(self.0.verifying_key().as_bytes())
    }

    /// Signs a request: the headers to send with it.
    ///
    /// `path_and_query` exactly as sent; `body` exactly as sent (after compression).
    #[must_use]
    pub fn sign(
        &self,
        method: &str,
        path_and_query: &str,
        body: &[u8],
        keyid: &str,
        created: UtcMs,
    ) -> Vec<(&'static str, String)> {
        let digest = content_digest(body);
        let input = Input::of(path_and_query, keyid, created);
        let base = signature_base(&components(method, path_and_query, &digest), &input.params);
        let signature = STANDARD.encode(self.0.sign(base.as_bytes()).to_bytes());
        vec![
            (CONTENT_DIGEST, digest),
            (SIGNATURE_INPUT, format!("yidan={}", input.params)),
            (SIGNATURE, format!("yidan=:{signature}:")),
        ]
    }
}

impl fmt::Debug for TerminalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TerminalKey(…)")
    }
}

/// Reads who claims to have signed, so that the key can be looked up. Nothing is proved yet.
///
/// # Errors
/// If the header is missing or does not have our form.
pub fn read_keyid<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Result<String, SignatureError> {
    read_input(header(SIGNATURE_INPUT)).map(|(keyid, _)| keyid)
}

/// Checks a request with the public key (base64) of the sender it names.
///
/// The caller decides whether `created` is near enough to now.
///
/// # Errors
/// If the request is not exactly what the owner of the key signed.
pub fn verify<'a>(
    public_key: &str,
    method: &str,
    path_and_query: &str,
    body: &[u8],
    header: impl Fn(&str) -> Option<&'a str>,
) -> Result<Verified, SignatureError> {
    let (keyid, created) = read_input(header(SIGNATURE_INPUT))?;
    let input = Input::of(path_and_query, &keyid, created);
    if header(SIGNATURE_INPUT).and_then(|text| text.strip_prefix("yidan=")) != Some(&input.params) {
        return Err(SignatureError::Malformed(SIGNATURE_INPUT));
    }
    let digest = header(CONTENT_DIGEST).ok_or(SignatureError::Missing(CONTENT_DIGEST))?;
    if digest != content_digest(body) {
        return Err(SignatureError::Digest);
    }
    let base = signature_base(&components(method, path_and_query, digest), &input.params);
    let signature = read_signature(header(SIGNATURE))?;
    read_public_key(public_key)?.verify_strict(base.as_bytes(), &signature).map_err(|_| SignatureError::Wrong)?;
    Ok(Verified { keyid, created })
}

/// Whether a text is a public key as [`TerminalKey::public_key_base64`] writes it.
///
/// # Errors
/// If it is not.
pub fn check_public_key(text: &str) -> Result<(), SignatureError> {
    read_public_key(text).map(|_| ())
}

/// The value of `@signature-params`: what is signed and by whom.
struct Input {
    params: String,
}

impl Input {
    fn of(path_and_query: &str, keyid: &str, created: UtcMs) -> Input {
        let query = if path_and_query.contains('?') { " \"@query\"" } else { "" };
        let seconds = created.0.div_euclid(1000);
        Input {
            params: format!(
                r#"("@method" "@path"{query} "content-digest");created={seconds};keyid="{keyid}";alg="ed25519""#
            ),
        }
    }
}

fn components<'a>(method: &'a str, path_and_query: &'a str, digest: &'a str) -> Vec<(&'static str, &'a str)> {
    let path = path_and_query.split('?').next().unwrap_or(path_and_query);
    let query = path_and_query.find('?').map(|at| ("@query", &path_and_query[at..]));
    [("@method", method), ("@path", path)].into_iter().chain(query).chain([(CONTENT_DIGEST, digest)]).collect()
}

/// The text that is signed (RFC 9421 §2.5).
fn signature_base(components: &[(&str, &str)], params: &str) -> String {
    let mut base = String::new();
    for (name, value) in components {
        let _ = writeln!(base, "\"{name}\": {value}");
    }
    base + "\"@signature-params\": " + params
}

fn content_digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(body)))
}

fn read_input(header: Option<&str>) -> Result<(String, UtcMs), SignatureError> {
    let text = header.ok_or(SignatureError::Missing(SIGNATURE_INPUT))?;
    let malformed = || SignatureError::Malformed(SIGNATURE_INPUT);
    let (_, rest) = text.split_once(";created=").ok_or_else(malformed)?;
    let (seconds, rest) = rest.split_once(";keyid=\"").ok_or_else(malformed)?;
    let (keyid, _) = rest.split_once('"').ok_or_else(malformed)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if keyid.is_empty() || keyid.len() > 64 || !keyid.bytes().all(is_plain) {
        return Err(malformed());
    }
    let seconds: i64 = seconds.parse().map_err(|_| malformed())?;
    Ok((keyid.to_owned(), UtcMs(seconds.checked_mul(1000).ok_or_else(malformed)?)))
}

fn read_signature(header: Option<&str>) -> Result<Signature, SignatureError> {
    let text = header.ok_or(SignatureError::Missing(SIGNATURE))?;
    text.strip_prefix("yidan=:")
        .and_then(|rest| rest.strip_suffix(':'))
        .and_then(|encoded| STANDARD.decode(encoded).ok())
        .and_then(|bytes| Signature::from_slice(&bytes).ok())
        .ok_or(SignatureError::Malformed(SIGNATURE))
}

fn read_public_key(text: &str) -> Result<VerifyingKey, SignatureError> {
    let bytes = STANDARD.decode(text).map_err(|_| SignatureError::Key)?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| SignatureError::Key)?;
    VerifyingKey::from_bytes(&bytes).map_err(|_| SignatureError::Key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of `test-key-ed25519` in RFC 9421 appendix B.1.4, behind the PKCS#8 and SPKI prefixes.
    const RFC_SECRET: &str = "n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU=";
    const RFC_PUBLIC: &str = "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";

    fn rfc_key() -> TerminalKey {
        TerminalKey::from_bytes(&STANDARD.decode(RFC_SECRET).unwrap().try_into().unwrap())
    }

    #[test]
    fn the_rfc_9421_ed25519_example_is_reproduced() {
        let components = [
            ("date", "Tue, 20 Apr 2021 02:07:55 GMT"),
            ("@method", "POST"),
            ("@path", "/foo"),
            ("@authority", "example.com"),
            ("content-type", "application/json"),
            ("content-length", "18"),
        ];
        let params = r#"("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#;

        let base = signature_base(&components, params);

        let expected = "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\"@method\": POST\n\"@path\": /foo\n\
            \"@authority\": example.com\n\"content-type\": application/json\n\"content-length\": 18\n\
            \"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\")\
            ;created=1618884473;keyid=\"test-key-ed25519\"";
        assert_eq!(base, expected);
        assert_eq!(rfc_key().public_key_base64(), RFC_PUBLIC);
        assert_eq!(
            STANDARD.encode(rfc_key().0.sign(base.as_bytes()).to_bytes()),
            "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
        );
    }

    #[test]
    fn the_rfc_9530_digest_example_is_reproduced() {
        assert_eq!(
            content_digest(b"{\"hello\": \"world\"}\n"),
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        );
    }

    type Headers = Vec<(&'static str, String)>;

    fn find<'a>(headers: &'a Headers) -> impl Fn(&str) -> Option<&'a str> {
        |name| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    fn signed() -> Headers {
        rfc_key().sign("POST", "/api/v1/events?x=1", b"{}", "S01T02", UtcMs(1_764_500_000_999))
    }

    #[test]
    fn what_was_signed_is_accepted_and_says_who_and_when() {
        let headers = signed();
        let verified = verify(RFC_PUBLIC, "POST", "/api/v1/events?x=1", b"{}", find(&headers)).unwrap();
        assert_eq!(verified, Verified { keyid: "S01T02".into(), created: UtcMs(1_764_500_000_000) });
        assert_eq!(read_keyid(find(&headers)), Ok("S01T02".into()));
    }

    #[test]
    fn anything_else_than_what_was_signed_is_refused() {
        let check = |method: &str, path: &str, body: &[u8], headers: &Headers| {
            verify(RFC_PUBLIC, method, path, body, find(headers)).unwrap_err()
        };
        let headers = signed();
        assert_eq!(check("PUT", "/api/v1/events?x=1", b"{}", &headers), SignatureError::Wrong);
        assert_eq!(check("POST", "/api/v1/enrol?x=1", b"{}", &headers), SignatureError::Wrong);
        assert_eq!(check("POST", "/api/v1/events?x=2", b"{}", &headers), SignatureError::Wrong);
        assert_eq!(check("POST", "/api/v1/events?x=1", b"{ }", &headers), SignatureError::Digest);
        assert_eq!(
            check("POST", "/api/v1/events", b"{}", &headers),
            SignatureError::Malformed(SIGNATURE_INPUT),
            "a query that was signed may not be cut off"
        );
        let mut later = signed();
        later[1].1 = later[1].1.replace("created=1764500000", "created=1764500001");
        assert_eq!(check("POST", "/api/v1/events?x=1", b"{}", &later), SignatureError::Wrong);
        let mut renamed = signed();
        renamed[1].1 = renamed[1].1.replace("S01T02", "S01T03");
        assert_eq!(check("POST", "/api/v1/events?x=1", b"{}", &renamed), SignatureError::Wrong);
        for missing in 0..3 {
            let mut headers = signed();
            let (name, _) = headers.remove(missing);
            assert_eq!(check("POST", "/api/v1/events?x=1", b"{}", &headers), SignatureError::Missing(name));
        }
    }

    #[test]
    fn another_key_is_refused() {
        let other = TerminalKey::generate([7; 32]).public_key_base64();
        let headers = signed();
        let answer = verify(&other, "POST", "/api/v1/events?x=1", b"{}", find(&headers));
        assert_eq!(answer, Err(SignatureError::Wrong));
        assert_eq!(check_public_key("not a key"), Err(SignatureError::Key));
    }

    #[test]
    fn a_private_key_does_not_show_itself() {
        assert_eq!(format!("{:?}", rfc_key()), "TerminalKey(…)");
    }
}
