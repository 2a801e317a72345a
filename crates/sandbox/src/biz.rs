//! The business parameters of a call (`biz_content`), read leniently: clients send strings or numbers.

use serde_json::{Map, Value};

use crate::clock::{Millis, end_of_beijing_day};

#[derive(Clone, Debug, Default)]
pub struct Biz {
    members: Map<String, Value>,
}

impl Biz {
    /// `None` if the text is not a JSON object.
    pub fn read(text: &str) -> Option<Self> {
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Some(Self { members }),
            Ok(_) | Err(_) => None,
        }
    }

    /// A string or a number as text; empty and missing are the same.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = match self.members.get(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// Says whether `query_options` names an option.
    pub fn asks_for(&self, option: &str) -> bool {
        let options = self.members.get("query_options").and_then(Value::as_array);
        options.is_some_and(|options| options.iter().any(|known| known == option))
    }

    pub fn json(&self) -> String {
        Value::Object(self.members.clone()).to_string()
    }
}

/// Alipay's relative times: `5m`, `2h`, `1d` (1m to 15d, whole numbers) or `1c`, the end of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Millis(Millis),
    EndOfDay,
}

impl Span {
    pub fn read(text: &str) -> Option<Self> {
        const MINUTE: Millis = 60_000;
        if text == "1c" {
            return Some(Self::EndOfDay);
        }
        let unit = match text.chars().next_back()? {
            'm' => MINUTE,
            'h' => 60 * MINUTE,
            'd' => 1440 * MINUTE,
            _ => return None,
        };
        let count = &text[..text.len() - 1];
        if count.is_empty() || count.len() > 5 || !count.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let millis = count.parse::<Millis>().ok()? * unit;
        (MINUTE..=15 * 1440 * MINUTE).contains(&millis).then_some(Self::Millis(millis))
    }

    pub fn end_from(self, start: Millis) -> Millis {
        match self {
            Self::Millis(millis) => start + millis,
            Self::EndOfDay => end_of_beijing_day(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_whole_numbers_of_minutes_hours_or_days() {
        assert_eq!(Span::read("90m"), Some(Span::Millis(5_400_000)));
        assert_eq!(Span::read("2h"), Some(Span::Millis(7_200_000)));
        assert_eq!(Span::read("15d"), Some(Span::Millis(1_296_000_000)));
        assert_eq!(Span::read("1c"), Some(Span::EndOfDay));
        for refused in ["", "m", "1.5h", "16d", "0m", "5", "5s", "-5m", "五m"] {
            assert_eq!(Span::read(refused), None, "{refused}");
        }
    }
}
