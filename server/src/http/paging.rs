//! The query of lists that are newest first: `limit`, `before`, `before_id` (SPEC 4.11, 4.12, CONTRACT 4).

use axum::extract::{FromRequestParts, Query};
use hato_domain::{ErrorCode, PageRequest};
use hato_service::ports::SendStatus;
use http::request::Parts;
use serde::Deserialize;

use super::error::ApiError;

/// The page that a request asks for; a bad limit or cursor, or a member given twice, is `INVALID_INPUT`. Stands after the
/// access in a handler's parameters, which is judged first.
pub struct PagingParams(pub PageRequest);

#[derive(Deserialize)]
struct PagingQuery {
    limit: Option<String>,
    before: Option<String>,
    before_id: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for PagingParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<PagingQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        let (limit, before) = (query.limit.as_deref(), query.before.as_deref());
        let page = PageRequest::parse(limit, before, query.before_id.as_deref())?;
        Ok(Self(page))
    }
}

/// The status of the sends that a request asks for; one that there is not is `INVALID_INPUT`.
pub struct StatusParam(pub Option<SendStatus>);

#[derive(Deserialize)]
struct StatusQuery {
    status: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for StatusParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<StatusQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        let status = query.status.as_deref().map(SendStatus::parse).transpose()?;
        Ok(Self(status))
    }
}
