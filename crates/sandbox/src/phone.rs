//! The page that plays the customer's phone. Nothing from elsewhere, no inline script.

use axum::Router;
use axum::http::{HeaderName, header};
use axum::routing::get;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Page = ([(HeaderName, &'static str); 4], &'static str);

pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Router::new()
        .route("/", get(|| async { page("text/html; charset=utf-8", include_str!("../assets/phone.html")) }))
        .route("/phone.css", get(|| async { page("text/css; charset=utf-8", include_str!("../assets/phone.css")) }))
        .route("/phone.js", get(|| async { page(SCRIPT, include_str!("../assets/phone.js")) }))
        .route("/panel.js", get(|| async { page(SCRIPT, include_str!("../assets/panel.js")) }))
        .route("/parts.js", get(|| async { page(SCRIPT, include_str!("../assets/parts.js")) }))
        .route("/words.js", get(|| async { page(SCRIPT, include_str!("../assets/words.js")) }))
}

fn page(content_type: &'static str, text: &'static str) -> Page {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text)
}
