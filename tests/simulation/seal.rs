//! A cheap signature. Real ones are proved elsewhere; here only their place in the program matters.

use yidan_payment::{Evidence, Proof};

/// Signs what the gateway says about a number.
#[must_use]
pub fn sign(text: &str) -> String {
    format!("{:016x}", mix(text, 0x9e37_79b9_7f4a_7c15))
}

/// Writes a statement about a number.
#[must_use]
pub fn write(number: &str, evidence: &Evidence) -> String {
    let json = serde_json::to_string(evidence).expect("evidence is JSON");
    format!("{number}\n{json}")
}

/// What a text says about `number`, if it is signed and speaks of that number.
#[must_use]
pub fn read(text: &str, signature: Option<&str>, number: &str) -> Option<Evidence> {
    let (about, json) = text.split_once('\n')?;
    let holds = signature == Some(sign(text).as_str()) && about == number;
    if holds { serde_json::from_str(json).ok() } else { None }
}

/// The same, for a proof that was kept.
#[must_use]
pub fn read_proof(proof: &Proof, number: &str) -> Option<Evidence> {
    read(&proof.text, proof.signature.as_deref(), number)
}

/// FNV-1a.
fn mix(text: &str, start: u64) -> u64 {
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
