//! Keys and certificates as people paste them → DER.
//!
//! Takes PEM with LF or CRLF, PEM whose body is one line, bare base64 with or without line breaks, a byte order mark and
//! blank lines around. Says nothing about what the DER holds.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use zeroize::Zeroizing;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// One piece of DER, and what its header line called it.
pub(crate) struct Block {
    /// `PRIVATE KEY` and the like; `None` for bare base64.
    pub label: Option<String>,
    /// Wiped when dropped: it may be a private key.
    pub der: Zeroizing<Vec<u8>>,
}

/// Why a text holds no DER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArmorError {
    /// Not base64 between the header lines, or a header line without its end.
    #[error("this is not base64 text with or without BEGIN and END lines")]
    NotBase64,
    /// The key is protected by a password.
    #[error("this key is protected by a password")]
    Encrypted,
}

/// Reads every block of a text, in order; a text without header lines is one block.
pub(crate) fn read_blocks(text: &str) -> Result<Vec<Block>, ArmorError> {
    if text.contains("ENCRYPTED") {
        return Err(ArmorError::Encrypted);
    }
    if !text.contains(BEGIN) {
        return Ok(vec![Block { label: None, der: decode(text)? }]);
    }
    text.split(BEGIN).skip(1).map(read_block).collect()
}

fn read_block(after_begin: &str) -> Result<Block, ArmorError> {
    let (label, rest) = after_begin.split_once(DASHES).ok_or(ArmorError::NotBase64)?;
    let (body, _) = rest.split_once(END).ok_or(ArmorError::NotBase64)?;
    Ok(Block { label: Some(label.trim().to_owned()), der: decode(body)? })
}

fn decode(body: &str) -> Result<Zeroizing<Vec<u8>>, ArmorError> {
    let body: Zeroizing<String> =
        Zeroizing::new(body.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').collect());
    if body.is_empty() {
        return Err(ArmorError::NotBase64);
    }
    BASE64.decode(body.as_bytes()).map(Zeroizing::new).map_err(|_| ArmorError::NotBase64)
}
