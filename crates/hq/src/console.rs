//! The console: the page that is inside this program.
//!
//! The program compiles without it, so that a clean clone does; then the page says how to build it.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, Response, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};

/// What `npm run build:hq` made. A debug build reads it from the folder at every request.
#[derive(RustEmbed)]
#[folder = "../../ui/dist-hq"]
#[allow_missing = true]
struct Built;

/// Nothing inline, nothing from elsewhere.
const POLICY: &str = "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>一单 · 总部</title>\
    <p>总部的页面还没有编译：在 ui 目录运行 npm ci 和 npm run build:hq，再编译一次。\
    <p>The console was not built: run npm ci and npm run build:hq in ui, then build again.";

/// `GET /`
pub async fn page() -> Response<Body> {
    match Built::get("index.html") {
        Some(file) => answer("index.html", file, "no-cache"),
        None => html(StatusCode::OK, NOT_BUILT),
    }
}

/// `GET /assets/{name}` and the icon. The names carry a hash of the content, so they may be kept.
pub async fn asset(Path(name): Path<String>) -> Response<Body> {
    match Built::get(&format!("assets/{name}")) {
        Some(file) => answer(&name, file, "public, max-age=31536000, immutable"),
        None => html(StatusCode::NOT_FOUND, "not found"),
    }
}

fn answer(name: &str, file: EmbeddedFile, keep: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(file.data));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind_of(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some(_) | None => "application/octet-stream",
    }
}

fn html(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}
