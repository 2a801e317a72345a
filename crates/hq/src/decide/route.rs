//! To whom a notice belongs.

/// Names of terminals that a notice may belong to, the surest first: what the precreate sent along (`S01T02-1`: store and
/// till, epoch), then what the number begins with (`S01T02_1_…`). Whether they exist is for the caller to look up.
#[must_use]
pub fn candidates<'a>(passback: Option<&'a str>, out_trade_no: &'a str) -> Vec<&'a str> {
    let token = passback.and_then(|text| text.rsplit_once('-')).map(|(terminal, _)| terminal);
    let prefix = out_trade_no.split_once('_').map(|(terminal, _)| terminal);
    let named = token.into_iter().chain(prefix);
    named.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_along_is_surer_than_the_number() {
        assert_eq!(candidates(Some("S01T02-1"), "S02T01_1_261130_0001_ff"), ["S01T02", "S02T01"]);
        assert_eq!(candidates(None, "S02T01_1_261130_0001_ff"), ["S02T01"]);
        assert_eq!(candidates(Some("S01T02-1"), "X0123456789abcdef"), ["S01T02"]);
    }

    #[test]
    fn somebody_elses_words_name_nobody() {
        assert!(candidates(Some("order=7&shop='; drop"), "A7").is_empty());
        assert!(candidates(Some("-1"), "_1").is_empty());
    }
}
