//! A form body as a notice brings it: names and values as bytes, decoded exactly once.
//!
//! Must always hold: the body is split before it is decoded, `+` is a blank, and what is signed is the decoded bytes, in
//! whatever charset they are. Nothing is trimmed. A name that comes twice is refused, since two readers could disagree.

use encoding_rs::{Encoding, GB18030, UTF_8};
use std::collections::BTreeMap;

/// Longer bodies are not notices.
const LONGEST_BODY: usize = 64 << 10;

/// The fields of a form, sorted by name as Alipay signs them.
pub(crate) struct Form(BTreeMap<Vec<u8>, Vec<u8>>);

impl Form {
    /// Splits and decodes a body. `None` if it is too long or names a field twice.
    pub fn parse(body: &str) -> Option<Form> {
        if body.len() > LONGEST_BODY {
            return None;
        }
        let mut fields = BTreeMap::new();
        for field in body.trim_end_matches(['\r', '\n']).split('&').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            if fields.insert(decode(name), decode(value)).is_some() {
                return None;
            }
        }
        Some(Form(fields))
    }

    /// The bytes that are signed: every field but `sign`, `sign_type` and those that `is_left_out`.
    pub fn signed_bytes(&self, is_left_out: impl Fn(&[u8], &[u8]) -> bool) -> Vec<u8> {
        let is_signed =
            |name: &[u8], value: &[u8]| !matches!(name, b"sign" | b"sign_type") && !is_left_out(name, value);
        let mut bytes = Vec::new();
        for (name, value) in self.0.iter().filter(|(name, value)| is_signed(name, value)) {
            if !bytes.is_empty() {
                bytes.push(b'&');
            }
            bytes.extend_from_slice(name);
            bytes.push(b'=');
            bytes.extend_from_slice(value);
        }
        bytes
    }

    /// The fields as text, in the charset that the form names (UTF-8 if it names none). `None` if they are not in it.
    pub fn texts(&self) -> Option<BTreeMap<String, String>> {
        let charset = self.charset()?;
        let text = |bytes: &[u8]| charset.decode_without_bom_handling_and_without_replacement(bytes).map(String::from);
        self.0.iter().map(|(name, value)| Some((text(name)?, text(value)?))).collect()
    }

    fn charset(&self) -> Option<&'static Encoding> {
        match self.0.get(b"charset".as_slice()).map(|name| name.to_ascii_lowercase()).as_deref() {
            None | Some(b"" | b"utf-8" | b"utf8") => Some(UTF_8),
            Some(b"gbk" | b"gb2312" | b"gb18030") => Some(GB18030),
            Some(_) => None,
        }
    }
}

fn decode(text: &str) -> Vec<u8> {
    percent_encoding::percent_decode_str(&text.replace('+', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_split_first_and_decoded_once() {
        let form = Form::parse("b=a%3Db%26c&a=1%2B1+%25&sign=x%3D&sign_type=RSA2&e=").unwrap();
        assert_eq!(form.signed_bytes(|_, _| false), b"a=1+1 %&b=a=b&c&e=");
        assert_eq!(form.signed_bytes(|_, value| value.is_empty()), b"a=1+1 %&b=a=b&c");
        assert_eq!(form.texts().unwrap()["b"], "a=b&c");
    }

    #[test]
    fn gbk_is_read_as_gbk() {
        let form = Form::parse("charset=GBK&subject=%BB%E1%D4%B1").unwrap();
        assert_eq!(form.texts().unwrap()["subject"], "会员");
        assert!(Form::parse("charset=utf-8&subject=%BB%E1").unwrap().texts().is_none());
        assert!(Form::parse("charset=utf-7&subject=x").unwrap().texts().is_none());
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        assert!(Form::parse("a=1&a=2").is_none());
        assert!(Form::parse("a=1&%61=2").is_none());
        assert!(Form::parse(&format!("a={}", "x".repeat(70_000))).is_none());
    }
}
