//! Who subscribes: the list of subscriptions, and whom a send would go to (CONTRACT 12).

use axum::Json;
use axum::extract::{FromRequestParts, Query, State};
use hato_domain::wire::{AudienceReport, Page, Subscription};
use hato_domain::{AudienceFilter, ErrorCode, Tag, UserId};
use hato_service::ports::{StateFilter, SubscriptionFilter};
use http::request::Parts;
use serde::Deserialize;

use crate::http::access::ManageAccess;
use crate::http::error::{ApiError, ApiResult};
use crate::http::paging::PagingParams;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/subscriptions`: newest first, all or those of a user, with a tag or in a state.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
    SubscriptionParams(filter): SubscriptionParams,
) -> ApiResult<Json<Page<Subscription>>> {
    let service = &state.service;
    let listed = service.listed_subscriptions(&access, &filter, &page);
    Ok(Json(listed.await?.map(Subscription::from)))
}

/// `GET /api/v1/apps/{appId}/audience`: whom a send would go to.
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    AudienceParams(filter): AudienceParams,
) -> ApiResult<Json<AudienceReport>> {
    let audience = state.service.audience(&access, filter.as_ref());
    Ok(Json(audience.await?.into()))
}

/// Which subscriptions a request asks for; a value that is none, or a member given twice, is `INVALID_INPUT`.
pub struct SubscriptionParams(SubscriptionFilter);

#[derive(Deserialize)]
struct SubscriptionQuery {
    user_id: Option<String>,
    tag: Option<String>,
    state: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for SubscriptionParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<SubscriptionQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        let state = match query.state.as_deref() {
            None => StateFilter::Any,
            Some("active") => StateFilter::Active,
            Some("deactivated") => StateFilter::Deactivated,
            Some(_) => return Err(ErrorCode::InvalidInput.into()),
        };
        Ok(Self(SubscriptionFilter {
            user: query.user_id.as_deref().map(UserId::parse).transpose()?,
            tag: query.tag.as_deref().map(Tag::parse).transpose()?,
            state,
            ..SubscriptionFilter::default()
        }))
    }
}

/// The part of the audience that a request asks about, `None` for everybody; a value that is none, or a member given twice, is
/// `INVALID_INPUT`.
pub struct AudienceParams(Option<AudienceFilter>);

#[derive(Deserialize)]
struct AudienceQuery {
    tags: Option<String>,
    user_id: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for AudienceParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<AudienceQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        if query.tags.is_none() && query.user_id.is_none() {
            return Ok(Self(None));
        }
        let users = query.user_id.map(|user| vec![user]);
        let filter = AudienceFilter::parse(users.as_deref(), query.tags.as_deref())?;
        Ok(Self(Some(filter)))
    }
}
