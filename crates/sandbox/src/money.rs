//! Yuan text to whole fen and back. No floating point anywhere.

/// Prints 1234 fen as `12.34`.
pub fn yuan(fen: i64) -> String {
    let sign = if fen < 0 { "-" } else { "" };
    let fen = fen.unsigned_abs();
    format!("{sign}{}.{:02}", fen / 100, fen % 100)
}

/// Reads Alipay's price: plain digits, at most two decimals, 0.01 to 100000000. `None` for anything else.
pub fn read_price(text: &str) -> Option<i64> {
    let (whole, cents) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 9 || cents.len() > 2 || !all_digits(whole) || !all_digits(cents) {
        return None;
    }
    let fen = whole.parse::<i64>().ok()? * 100 + format!("{cents:0<2}").parse::<i64>().ok()?;
    (1..=10_000_000_000).contains(&fen).then_some(fen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_strictly() {
        assert_eq!(read_price("88.88"), Some(8888));
        assert_eq!(read_price("12"), Some(1200));
        assert_eq!(read_price("12.5"), Some(1250));
        assert_eq!(read_price("100000000"), Some(10_000_000_000));
        for refused in ["", "0", "0.00", "1.234", "-1", "1e2", ".5", "1,000", "100000000.01", "１"] {
            assert_eq!(read_price(refused), None, "{refused}");
        }
    }

    #[test]
    fn fen_are_printed_with_two_decimals() {
        assert_eq!(yuan(5), "0.05");
        assert_eq!(yuan(-1234), "-12.34");
    }
}
