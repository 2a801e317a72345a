//! What is read out once and kept only as a hash: enrolment codes, session tokens, the token of programs.

use rand::RngExt as _;
use sha2::{Digest, Sha256};
use std::fmt;

/// Letters of a code: no I, L, O, U, so that nobody reads one for another (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A text that must not be seen.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret that was given.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// A new one for programs: 256 random bits as hex.
    #[must_use]
    pub fn random() -> Secret {
        let bytes: [u8; 32] = rand::random();
        Secret(hex::encode(bytes))
    }

    /// A new one for people: 80 random bits in groups of four, `K7Q4-…`.
    #[must_use]
    pub fn random_code() -> Secret {
        let mut random = rand::rng();
        let mut letter = || char::from(LETTERS[random.random_range(0..LETTERS.len())]);
        let groups: Vec<String> = (0..4).map(|_| (0..4).map(|_| letter()).collect()).collect();
        Secret(groups.join("-"))
    }

    /// The secret itself, for the one it is meant for.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored instead.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&self.0)
    }

    /// The hash of a code as a person typed it: lower case, blanks and missing dashes do not matter.
    #[must_use]
    pub fn hash_of_code(&self) -> String {
        let plain =
            self.0.chars().filter(char::is_ascii_alphanumeric).map(|letter| match letter.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            });
        hash_of(&plain.collect::<String>())
    }
}

fn hash_of(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_typed() {
        let code = Secret::new("K0Q4-1BCD-EFGH-JKMN");
        assert_eq!(code.hash_of_code(), Secret::new("koq4 ibcdefgh-jkmn").hash_of_code());
        assert_ne!(code.hash_of_code(), Secret::new("K0Q4-1BCD-EFGH-JKMP").hash_of_code());
        assert_eq!(Secret::random_code().reveal().len(), 19);
        assert_eq!(format!("{code:?}"), "Secret(…)");
    }
}
