//! Text that Alipay takes: what a cashier typed is kept as it is; only what is sent is cleaned.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Sent when a subject has nothing in it.
const NAMELESS: &str = "商品";
/// Alipay's limit for `subject`, counted in UTF-16 units: the strictest way to count it.
const SUBJECT_LENGTH: usize = 256;

/// A subject without what Alipay refuses (`/`, `=`, `&` become their full-width forms) and without what could mislead a
/// reader (control characters become blanks, direction marks go). At most 256 UTF-16 units, never cut inside a
/// character, never empty.
#[must_use]
pub(crate) fn clean_subject(typed: &str) -> String {
    let cleaned: String = typed.chars().filter(|c| !is_direction_mark(*c)).map(replace).collect();
    match cut(cleaned.trim(), SUBJECT_LENGTH).trim_end() {
        "" => NAMELESS.to_owned(),
        subject => subject.to_owned(),
    }
}

/// The longest beginning of a text that has at most `length` UTF-16 units.
#[must_use]
pub(crate) fn cut(text: &str, length: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > length
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// `passback_params` percent-encoded, as Alipay demands; nothing if there is nothing.
#[must_use]
pub(crate) fn encode_passback(params: Option<&str>) -> Option<String> {
    params.filter(|text| !text.is_empty()).map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string())
}

fn replace(c: char) -> char {
    match c {
        '/' => '／',
        '=' => '＝',
        '&' => '＆',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// Embeddings, overrides and isolates: with them `00.99` can be made to look like `99.00`.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_alipay_refuses_is_replaced() {
        assert_eq!(clean_subject("A/B a=b c&d it's <b>50%</b>"), "A／B a＝b c＆d it's <b>50%<／b>");
        assert_eq!(clean_subject("\u{0}x\ty"), "x y");
        assert_eq!(clean_subject("\u{202e}00.99"), "00.99");
        assert_eq!(clean_subject(" \u{feff}\n").trim_matches('\u{feff}'), "");
        assert_eq!((clean_subject(""), clean_subject("  ")), (NAMELESS.into(), NAMELESS.into()));
    }

    #[test]
    fn long_subjects_end_between_two_characters() {
        assert_eq!(clean_subject(&"字".repeat(300)).chars().count(), 256);
        assert_eq!(clean_subject(&"🍎".repeat(200)).chars().count(), 128);
        assert_eq!(clean_subject(&format!("{}🍎", "a".repeat(255))), "a".repeat(255));
    }
}
