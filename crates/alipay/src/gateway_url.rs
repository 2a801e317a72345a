//! Where requests go: checked once, when it is set.

use reqwest::Url;
use std::net::IpAddr;

/// Alipay's own hosts: production, the sandbox, the sandbox's old name.
const OFFICIAL_HOSTS: &[&str] = &["openapi.alipay.com", "openapi-sandbox.dl.alipaydev.com", "openapi.alipaydev.com"];
const OFFICIAL_PATH: &str = "/gateway.do";

/// Whether real money can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only Alipay's own hosts.
    Live,
    /// Only this computer.
    Demo,
}

/// An address that may be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayUrl(Url);

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatewayUrlError {
    /// Not an address.
    #[error("this is not an address like https://openapi.alipay.com/gateway.do")]
    NotAUrl,
    /// Live mode asks nobody but Alipay.
    #[error("live mode only uses https://openapi.alipay.com/gateway.do or Alipay's sandbox")]
    NotAlipay,
    /// Demo mode asks nobody but this computer.
    #[error("demo mode only uses an address on this computer, like http://127.0.0.1:8099/gateway.do")]
    NotLoopback,
}

impl GatewayUrl {
    /// Checks an address: in live mode https to one of Alipay's own hosts, in demo mode http to this computer.
    ///
    /// # Errors
    /// See [`GatewayUrlError`]. An address with a user name, a query or a fragment is not one.
    pub fn check(text: &str, mode: Mode) -> Result<GatewayUrl, GatewayUrlError> {
        let url = Url::parse(text.trim()).map_err(|_| GatewayUrlError::NotAUrl)?;
        let is_plain =
            url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
        match mode {
            _ if !is_plain => Err(GatewayUrlError::NotAUrl),
            Mode::Live if !is_official(&url) => Err(GatewayUrlError::NotAlipay),
            Mode::Demo if !is_loopback(&url) => Err(GatewayUrlError::NotLoopback),
            Mode::Live | Mode::Demo => Ok(GatewayUrl(url)),
        }
    }

    /// The host, without the port: part of the account's name, and a demo's port changes with every start.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// An address that no person could set.
    #[cfg(test)]
    pub(crate) fn unchecked(text: &str) -> GatewayUrl {
        GatewayUrl(Url::parse(text).unwrap())
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

fn is_official(url: &Url) -> bool {
    url.scheme() == "https"
        && url.host_str().is_some_and(|host| OFFICIAL_HOSTS.contains(&host))
        && url.port().is_none()
        && url.path() == OFFICIAL_PATH
}

/// Plain http to this computer.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let is_local = host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_local && url.scheme() == "http"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_mode_asks_nobody_but_alipay() {
        for ok in ["https://openapi.alipay.com/gateway.do", " https://openapi-sandbox.dl.alipaydev.com/gateway.do\n"] {
            assert!(GatewayUrl::check(ok, Mode::Live).is_ok(), "{ok}");
        }
        for bad in [
            "http://openapi.alipay.com/gateway.do",
            "https://openapi.alipay.com/v3/alipay/trade/precreate",
            "https://openapi.alipay.com:8443/gateway.do",
            "https://openapi.alipay.com.evil.example/gateway.do",
            "https://127.0.0.1/gateway.do",
            "http://127.0.0.1:8099/gateway.do",
        ] {
            assert_eq!(GatewayUrl::check(bad, Mode::Live), Err(GatewayUrlError::NotAlipay), "{bad}");
        }
        for bad in
            ["", "gateway", "https://a@openapi.alipay.com/gateway.do", "https://openapi.alipay.com/gateway.do?a=b"]
        {
            assert_eq!(GatewayUrl::check(bad, Mode::Live), Err(GatewayUrlError::NotAUrl), "{bad}");
        }
    }

    #[test]
    fn demo_mode_never_leaves_this_computer() {
        for ok in ["http://127.0.0.1:1/gateway.do", "http://localhost:8099/gateway.do", "http://[::1]:8099/gateway.do"]
        {
            assert!(GatewayUrl::check(ok, Mode::Demo).is_ok(), "{ok}");
        }
        for bad in
            ["http://192.168.1.2/gateway.do", "https://openapi.alipay.com/gateway.do", "http://127.0.0.1.example/"]
        {
            assert_eq!(GatewayUrl::check(bad, Mode::Demo), Err(GatewayUrlError::NotLoopback), "{bad}");
        }
    }
}
