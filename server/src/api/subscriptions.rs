//! Registering and removing browsers, and the key that they need for it (SPEC 4.1 to 4.4).

use axum::Json;
use axum::extract::State;
use hato_domain::SiteOrigin;
use hato_domain::wire::{
    Acknowledged, PublicKey, RegisterSubscription, Registered, SubscriptionUpdated, Unsubscribe,
    UpdateSubscription,
};
use hato_service::{Registrant, RegistrationReceipt};
use http::header::ORIGIN;
use http::{HeaderMap, StatusCode};

use crate::http::access::{PathSubscribeAccess, SubscribeAccess};
use crate::http::client_address::ClientInfo;
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::state::AppState;

/// `POST /api/v1/subscriptions`: 201 when the endpoint is new, 200 when it existed.
pub async fn register(
    State(state): State<AppState>,
    SubscribeAccess(access): SubscribeAccess,
    client: ClientInfo,
    headers: HeaderMap,
    ApiJson(body): ApiJson<RegisterSubscription>,
) -> ApiResult<(StatusCode, Json<Registered>)> {
    let from = registrant(client, &headers);
    let registration = state.service.register_subscription(&access, from, body);
    Ok(response(&registration.await?))
}

/// `POST /api/v1/apps/{appId}/subscriptions`: the same within the plan's limit (SPEC 4.2).
pub async fn register_within_limit(
    State(state): State<AppState>,
    PathSubscribeAccess(access): PathSubscribeAccess,
    client: ClientInfo,
    headers: HeaderMap,
    ApiJson(body): ApiJson<RegisterSubscription>,
) -> ApiResult<(StatusCode, Json<Registered>)> {
    let from = registrant(client, &headers);
    let registration = state.service.register_within_limit(&access, from, body);
    Ok(response(&registration.await?))
}

/// Who asks: a page says of which site it is (RFC 6454 §7).
fn registrant(client: ClientInfo, headers: &HeaderMap) -> Registrant {
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    Registrant {
        client: client.rate_limit_key,
        origin: origin.and_then(SiteOrigin::parse),
    }
}

fn response(registration: &RegistrationReceipt) -> (StatusCode, Json<Registered>) {
    let status = if registration.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    (status, Json(registration.into()))
}

/// `PATCH /api/v1/subscriptions`: the user, the tags, the language and the time zone of an endpoint (CONTRACT 12).
pub async fn update(
    State(state): State<AppState>,
    SubscribeAccess(access): SubscribeAccess,
    client: ClientInfo,
    ApiJson(body): ApiJson<UpdateSubscription>,
) -> ApiResult<Json<SubscriptionUpdated>> {
    let client = client.rate_limit_key;
    let updated = state.service.update_subscription(&access, client, body);
    let updated = updated.await?;
    Ok(Json(updated.into()))
}

/// `DELETE /api/v1/apps/{appId}/subscriptions`: an endpoint that is not subscribed is answered like one that was.
pub async fn unsubscribe(
    State(state): State<AppState>,
    PathSubscribeAccess(access): PathSubscribeAccess,
    client: ClientInfo,
    ApiJson(request): ApiJson<Unsubscribe>,
) -> ApiResult<Json<Acknowledged>> {
    let endpoint = request.into_endpoint()?;
    let client = client.rate_limit_key;
    state
        .service
        .unsubscribe(&access, client, &endpoint)
        .await?;
    Ok(Json(Acknowledged { ok: true }))
}

/// `GET /api/v1/vapid-public-key`: what a browser needs to subscribe.
pub async fn show_public_key(SubscribeAccess(access): SubscribeAccess) -> Json<PublicKey> {
    Json(PublicKey::from(&access))
}
