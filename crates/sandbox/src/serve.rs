//! Serves HTTP/1 connections. Unlike a usual server it can cut a line without an answer and can leave out `Date`.
//!
//! Every `Date` header comes from the sandbox's clock, so a turned clock is seen by clients too.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::clock::{Clock, http_date};

/// Marks a response whose connection is to be cut instead.
#[derive(Clone, Copy, Debug)]
pub struct Cut;

/// Marks a response that is to go without a `Date` header.
#[derive(Clone, Copy, Debug)]
pub struct NoDate;

/// The line was cut on purpose.
#[derive(Debug, thiserror::Error)]
#[error("the line was cut on purpose")]
struct LineCut;

/// How long open connections may finish after the stop.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until `stop` turns true, then lets running answers finish.
pub async fn serve(listener: TcpListener, router: Router, clock: Clock, mut stop: watch::Receiver<bool>) {
    let mut lines = JoinSet::new();
    let stopped = stop.clone();
    loop {
        let accepted = tokio::select! {
            () = told_to_stop(&mut stop) => break,
            accepted = listener.accept() => accepted,
        };
        while lines.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                lines.spawn(serve_line(stream, router.clone(), clock.clone(), stopped.clone()));
            }
            Err(cause) => {
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let drained = async { while lines.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, drained).await.is_err() {
        tracing::warn!("connections were still open at the stop");
    }
}

/// Ends when the sandbox is told to stop, or when nobody is left who could tell.
pub async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    let _nobody_left = stop.wait_for(|stopped| *stopped).await;
}

async fn serve_line(stream: TcpStream, router: Router, clock: Clock, mut stop: watch::Receiver<bool>) {
    let service = service_fn(move |request| respond(router.clone(), clock.clone(), request));
    let connection = http1::Builder::new().auto_date_header(false).serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told_to_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended early");
    }
}

async fn respond(router: Router, clock: Clock, request: Request<Incoming>) -> Result<Response<Body>, LineCut> {
    let answered: Result<Response<Body>, Infallible> = router.oneshot(request.map(Body::new)).await;
    let Ok(mut response) = answered;
    if response.extensions().get::<Cut>().is_some() {
        return Err(LineCut);
    }
    if response.extensions().get::<NoDate>().is_none() {
        let date = HeaderValue::from_str(&http_date(clock.now())).expect("a date is a valid header value");
        response.headers_mut().insert(header::DATE, date);
    }
    Ok(response)
}
