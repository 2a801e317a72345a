//! The members of one JSON object, each value as the exact text it had.
//!
//! Must always hold: a name that appears twice is refused, since two readers could disagree about it. The text of a value
//! is a slice of what came in, so a signature over it can be checked; numbers stay digits and never become floats.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, fmt};

/// An object, opened one level deep.
#[derive(Debug)]
pub(crate) struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    /// Opens an object; `None` if the text is not exactly one JSON object or names a member twice.
    pub fn parse(text: &'a str) -> Option<Members<'a>> {
        serde_json::from_str(text).ok()
    }

    /// The exact text of a member's value, without the white space around it.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|value| value.get())
    }

    /// Every member that is text or a number, as text. Lists and objects are left out.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.0.keys().filter_map(|name| Some((name.clone(), self.text(name)?))).collect()
    }

    /// A member as text, whether it came as a string or as a number. `None` if it is missing, null, empty or neither.
    pub fn text(&self, name: &str) -> Option<String> {
        let raw = self.raw(name)?;
        match raw.as_bytes().first()? {
            b'"' => serde_json::from_str(raw).ok().filter(|text: &String| !text.is_empty()),
            b'-' | b'0'..=b'9' => Some(raw.to_owned()),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Opener)
    }
}

struct Opener;

impl<'de> Visitor<'de> for Opener {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object that names no member twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members<'de>, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = object.next_entry::<String, &RawValue>()? {
            if members.insert(name, value).is_some() {
                return Err(serde::de::Error::custom("a member is named twice"));
            }
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_exact_text_it_had() {
        let members =
            Members::parse(r#"{ "a" : {"x":"}{\"\\" , "y":[1, 2]} , "b":"h\/i","c":10000,"d":null,"e":"" }"#).unwrap();
        assert_eq!(members.raw("a"), Some(r#"{"x":"}{\"\\" , "y":[1, 2]}"#));
        assert_eq!(members.text("b").as_deref(), Some("h/i"));
        assert_eq!(members.text("c").as_deref(), Some("10000"));
        assert_eq!((members.text("d"), members.text("e"), members.text("f")), (None, None, None));
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        for bad in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, "{} {}", "[]", "null", "", "{", r#"{"a":1,}"#] {
            assert!(Members::parse(bad).is_none(), "{bad}");
        }
    }
}
