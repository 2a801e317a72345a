//! The two charsets a request may ask for. GBK also stands for gb2312, as it does at Alipay.

use encoding_rs::GBK;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Gbk,
}

impl Charset {
    /// Reads the `charset` parameter, case not significant.
    pub fn read(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Some(Self::Utf8),
            "gbk" | "gb2312" | "gb18030" => Some(Self::Gbk),
            _ => None,
        }
    }

    /// The name used in `Content-Type` and in notices.
    pub fn text(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Gbk => "GBK",
        }
    }

    pub fn decode(self, raw: &[u8]) -> String {
        match self {
            Self::Utf8 => String::from_utf8_lossy(raw).into_owned(),
            Self::Gbk => GBK.decode_without_bom_handling(raw).0.into_owned(),
        }
    }

    /// Encodes plain text; what GBK cannot hold is replaced.
    pub fn encode_text(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Gbk => GBK.encode(text).0.into_owned(),
        }
    }

    /// Encodes JSON text; what GBK cannot hold becomes `\uXXXX`, which means the same in JSON.
    pub fn encode_json(self, json: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => json.as_bytes().to_vec(),
            Self::Gbk => json.chars().flat_map(gbk_or_escape).collect(),
        }
    }
}

fn gbk_or_escape(letter: char) -> Vec<u8> {
    let mut room = [0; 4];
    let (bytes, _, lossy) = GBK.encode(letter.encode_utf8(&mut room));
    if !lossy {
        return bytes.into_owned();
    }
    let mut units = [0; 2];
    letter.encode_utf16(&mut units).iter().flat_map(|unit| format!("\\u{unit:04x}").into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gbk_text_goes_round_and_emoji_are_escaped() {
        assert_eq!(Charset::Gbk.encode_json("奶茶"), b"\xc4\xcc\xb2\xe8");
        assert_eq!(Charset::Gbk.decode(b"\xc4\xcc\xb2\xe8"), "奶茶");
        assert_eq!(Charset::Gbk.encode_json("😀"), b"\\ud83d\\ude00");
    }
}
