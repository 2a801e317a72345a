//! Who may use the local API: programs on this computer that hold the token. A web page never may.

use super::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::SocketAddr;
use std::sync::Arc;

/// What is checked on every request.
#[derive(Clone)]
pub struct Access {
    port: u16,
    token: Arc<str>,
}

impl Access {
    /// The API listens on `address`; whoever knows `token` may use it.
    #[must_use]
    pub fn new(address: SocketAddr, token: String) -> Access {
        Access { port: address.port(), token: token.into() }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !self.is_our_host(text(header::HOST)) {
            return Err(Problem::forbidden("the Host header must be this computer's loopback name and port"));
        }
        if headers.contains_key(header::ORIGIN) {
            return Err(Problem::forbidden("requests from web pages are refused"));
        }
        if !self.is_our_token(text(header::AUTHORIZATION).strip_prefix("Bearer ").unwrap_or_default()) {
            return Err(Problem::unauthorized());
        }
        Ok(())
    }

    /// A name that only this computer answers to: otherwise a page could rebind its own name to us.
    fn is_our_host(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        ["127.0.0.1", "localhost", "[::1]"].contains(&name) && port.parse() == Ok(self.port)
    }

    /// Compares every byte, so that the time taken tells nothing.
    fn is_our_token(&self, given: &str) -> bool {
        let differs = given.bytes().zip(self.token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
        given.len() == self.token.len() && differs == 0
    }
}

/// Lets a request through, or says why not.
pub async fn only_here(State(access): State<Access>, request: Request, next: Next) -> Result<Response, Problem> {
    access.check(request.headers())?;
    Ok(next.run(request).await)
}
