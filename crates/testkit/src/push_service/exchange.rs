//! One push request: checked, decrypted, recorded, answered.

use super::{
    autopush_error::AutopushError,
    body::{MockResponseBody, empty, endless, full},
    headers::PushHeaders,
    scripted_response::ScriptedResponse,
    seen::{ReceivedMessage, Violation},
    sender_connection::SenderConnection,
    state::{ServiceState, SharedState, now},
    subscription::{StoredSubscription, SubscriptionOwner, check_encoding},
    vapid::VapidClaims,
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version,
    header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER},
    request::Parts,
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;

/// The largest body a push service has to take (RFC 8030 §7.2, RFC 8291 §4).
const MAX_BODY: usize = 4096;
/// What is read of a body that is too large anyway.
const MAX_READ: usize = 64 * 1024;

/// A request that passed every check.
struct ValidPush {
    id: String,
    subscription: StoredSubscription,
    headers: PushHeaders,
    vapid: VapidClaims,
    version: Version,
    body: Bytes,
}

/// Answers one request; for the script's `hang` and `reset` it never returns.
pub(super) async fn answer(
    shared: &SharedState,
    connection: &SenderConnection,
    request: Request<Incoming>,
) -> Response<MockResponseBody> {
    let Some((id, subscription)) = find(shared, &request) else {
        return unmatched(shared, &request);
    };
    if !shared.latency.is_zero() {
        tokio::time::sleep(shared.latency).await;
    }
    let (parts, body) = request.into_parts();
    let Some(body) = read(body).await else {
        return cut_off();
    };
    match validate(shared, &id, subscription, &parts, body) {
        Ok(push) => {
            let ttl = push.headers.ttl;
            shared.wait_for_turn().await;
            shared.wait_while_held(&id).await;
            let answer = record_and_choose(shared, push);
            respond(shared, connection, &id, ttl, answer).await
        }
        Err(error) => {
            shared.change(|state| state.seen.record_violation(violation(&id, &error)));
            refuse(&error)
        }
    }
}

fn find(shared: &SharedState, request: &Request<Incoming>) -> Option<(String, StoredSubscription)> {
    let id = request.uri().path().strip_prefix("/push/")?;
    let subscription = shared.lock().subscriptions.get(id)?.clone();
    (request.method() == Method::POST).then(|| (id.to_owned(), subscription))
}

fn unmatched(shared: &SharedState, request: &Request<Incoming>) -> Response<MockResponseBody> {
    let line = format!("{} {}", request.method(), request.uri().path());
    shared.change(|state| state.seen.record_unmatched(line));
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The sender went away in the middle: no rule is broken, nothing was pushed and nobody reads the answer.
fn cut_off() -> Response<MockResponseBody> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

fn validate(
    shared: &SharedState,
    id: &str,
    subscription: StoredSubscription,
    parts: &Parts,
    body: Result<Bytes, AutopushError>,
) -> Result<ValidPush, AutopushError> {
    let body = body?;
    let vapid = authenticate(shared, &parts.headers, &subscription)?;
    let headers = PushHeaders::read(&parts.headers)?;
    check_encoding(&body)?;
    Ok(ValidPush {
        id: id.to_owned(),
        subscription,
        headers,
        vapid,
        version: parts.version,
        body,
    })
}

/// The whole body, or why it is refused; None when it broke off.
async fn read(body: Incoming) -> Option<Result<Bytes, AutopushError>> {
    let collected = Limited::new(body, MAX_READ).collect().await;
    match collected.map(http_body_util::Collected::to_bytes) {
        Ok(body) if body.len() <= MAX_BODY => Some(Ok(body)),
        Err(error) if !error.is::<LengthLimitError>() => None,
        _ => Some(Err(AutopushError::too_large())),
    }
}

fn authenticate(
    shared: &SharedState,
    headers: &HeaderMap,
    subscription: &StoredSubscription,
) -> Result<VapidClaims, AutopushError> {
    let header = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .ok_or_else(|| AutopushError::vapid("no Authorization"))?;
    shared.token(header)?.claims(
        &shared.origin,
        subscription.application_server_key.as_deref(),
        now().as_secs(),
    )
}

fn violation(id: &str, error: &AutopushError) -> Violation {
    Violation {
        subscription: id.to_owned(),
        status: error.status.as_u16(),
        reason: error.message.clone(),
    }
}

/// Opens the push if it is wanted, then numbers, answers, forwards and records it in one step.
fn record_and_choose(shared: &SharedState, push: ValidPush) -> ScriptedResponse {
    let keep = shared.should_keep_next();
    let opened = match &push.subscription.recipient {
        SubscriptionOwner::Service(decryptor) if keep => decryptor.open(&push.body).map(Some),
        _ => Ok(None),
    };
    shared.change(|state| {
        let number = state.seen.total.requests;
        let answer = choose(state, &push, number);
        state.seen.count(&push.id, answer.accepts());
        if answer.accepts() {
            forward(state, &push, number);
        }
        let plaintext = opened.unwrap_or_else(|reason| {
            state.seen.record_violation(unreadable(&push.id, reason));
            None
        });
        if keep {
            let message = record(push, state.seen.messages.len(), plaintext, &answer);
            state.seen.messages.push(message);
        }
        answer
    })
}

fn choose(state: &mut ServiceState, push: &ValidPush, number: u64) -> ScriptedResponse {
    if push.subscription.gone {
        return ScriptedResponse::Status(StatusCode::GONE.as_u16());
    }
    state.script.next(&push.id, number)
}

fn forward(state: &mut ServiceState, push: &ValidPush, number: u64) {
    if let SubscriptionOwner::Browser { uaid, channel } = &push.subscription.recipient {
        let storable = push.headers.ttl > 0;
        state
            .browsers
            .notify(uaid, channel, (number, &push.id), &push.body, storable);
    }
}

fn unreadable(id: &str, reason: String) -> Violation {
    Violation {
        subscription: id.to_owned(),
        status: StatusCode::CREATED.as_u16(),
        reason,
    }
}

fn record(
    push: ValidPush,
    place: usize,
    plaintext: Option<Vec<u8>>,
    answer: &ScriptedResponse,
) -> ReceivedMessage {
    ReceivedMessage {
        sequence: place as u64,
        received_at: u64::try_from(now().as_millis()).expect("the year is below 500 million"),
        subscription: push.id,
        plaintext,
        ttl: push.headers.ttl,
        urgency: push.headers.urgency,
        topic: push.headers.topic,
        vapid: push.vapid,
        http_version: format!("{:?}", push.version),
        answer: answer.clone(),
    }
}

async fn respond(
    shared: &SharedState,
    connection: &SenderConnection,
    id: &str,
    ttl: u64,
    answer: ScriptedResponse,
) -> Response<MockResponseBody> {
    match answer {
        ScriptedResponse::Created => created(&shared.origin, id, ttl),
        ScriptedResponse::Status(status) => scripted(status),
        ScriptedResponse::RetryAfter(status, after) => {
            let mut response = scripted(status);
            let after = HeaderValue::try_from(after).expect("a script's Retry-After is text");
            response.headers_mut().insert(RETRY_AFTER, after);
            response
        }
        ScriptedResponse::Header(status, name, value) => {
            let mut response = scripted(status);
            let name = HeaderName::try_from(name).expect("a script's header has a name");
            let value = HeaderValue::try_from(value).expect("a script's header is text");
            response.headers_mut().insert(name, value);
            response
        }
        ScriptedResponse::Hang => std::future::pending().await,
        ScriptedResponse::Reset => {
            connection.cut();
            std::future::pending().await
        }
        ScriptedResponse::Redirect => redirect(&shared.origin),
        ScriptedResponse::Endless => Response::new(endless()),
    }
}

fn created(origin: &str, id: &str, ttl: u64) -> Response<MockResponseBody> {
    let mut response = located(StatusCode::CREATED, format!("{origin}/m/{id}"));
    response.headers_mut().insert("ttl", HeaderValue::from(ttl));
    response
}

fn redirect(origin: &str) -> Response<MockResponseBody> {
    located(
        StatusCode::TEMPORARY_REDIRECT,
        format!("{origin}/redirected"),
    )
}

fn located(status: StatusCode, location: String) -> Response<MockResponseBody> {
    let mut response = Response::new(empty());
    *response.status_mut() = status;
    let location = HeaderValue::try_from(location).expect("an origin and an id are ASCII");
    response.headers_mut().insert(LOCATION, location);
    response
}

fn scripted(status: u16) -> Response<MockResponseBody> {
    let status = StatusCode::from_u16(status).expect("a script's status is a status");
    if status.is_success() {
        let mut response = Response::new(empty());
        *response.status_mut() = status;
        return response;
    }
    refuse(&AutopushError::scripted(status))
}

fn refuse(error: &AutopushError) -> Response<MockResponseBody> {
    let mut response = Response::new(full(error.body()));
    *response.status_mut() = error.status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
