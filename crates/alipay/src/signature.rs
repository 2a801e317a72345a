//! The text that a request's signature covers.

/// Joins parameters as Alipay signs them: without `sign` and without empty values, sorted by name, `name=value` joined by
/// `&`, values raw. `sign_type` stays in (for requests; a notice leaves it out).
#[must_use]
pub fn string_to_sign<'a>(parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut signed: Vec<(&str, &str)> =
        parameters.into_iter().filter(|(name, value)| *name != "sign" && !value.is_empty()).collect();
    signed.sort_unstable();
    signed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}
