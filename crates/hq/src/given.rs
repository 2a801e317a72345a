//! What a request gives, read at the border; what is not understood is refused like everything else.

use crate::problem::Problem;
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The JSON body of a request.
pub struct Given<T>(pub T);

/// The query of a request.
pub struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Given<T>, Problem> {
        let body = Json::from_request(request, state).await;
        body.map(|Json(value)| Given(value)).map_err(|error| Problem::NotUnderstood(error.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Problem> {
        let query = Query::from_request_parts(parts, state).await;
        query.map(|Query(value)| Asked(value)).map_err(|error| Problem::NotUnderstood(error.body_text()))
    }
}
