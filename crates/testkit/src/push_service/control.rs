//! The control side: JSON over plain HTTP, for programs that are not Rust.
//!
//! | request | answer |
//! |---|---|
//! | POST /subscriptions {applicationServerKey?, count?} | a subscription, or an array of them when `count` is given |
//! | DELETE /subscriptions {subscription} | {ok}: the endpoint answers 410 from now on |
//! | POST /script {subscription?, answers?, default?} | {ok}; answers in the text form of [`super::ScriptedResponse`] |
//! | POST /hold {subscription} | {ok}: its pushes wait for their answers |
//! | POST /release {subscription} | {ok}: they are answered, and wait no more |
//! | GET /messages?since=N&`wait_ms`=T | {messages, next}: those from sequence N on, waiting up to T for one |
//! | GET /acks?since=N&`wait_ms`=T | {acks, next}: those from the Nth on |
//! | POST /browsers/renew | {ok}: sockets end, the next hello gets a fresh uaid |
//! | GET /state | counts, violations, unmatched, browsers |
//!
//! `subscription` is an endpoint or its id.

use super::{
    scripted_response::ScriptedResponse,
    state::{ServiceState, SharedState},
};
use crate::plain_http::{PlainResponse, respond};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const MAX_BODY: usize = 1024 * 1024;
const MAX_SUBSCRIPTIONS: u64 = 1_000_000;
const MAX_WAIT: u64 = 60_000;

type ControlResult = Result<Value, (StatusCode, &'static str)>;

/// Answers one request of the control side.
pub(super) async fn answer(shared: Arc<SharedState>, request: Request<Incoming>) -> PlainResponse {
    let (status, body) = match route(&shared, request).await {
        Ok(body) => (StatusCode::OK, body),
        Err((status, error)) => (status, json!({"error": error})),
    };
    respond(status, "application/json", body.to_string())
}

async fn route(shared: &SharedState, request: Request<Incoming>) -> ControlResult {
    let (parts, body) = request.into_parts();
    match (&parts.method, parts.uri.path()) {
        (&Method::GET, "/state") => Ok(state(&shared.lock())),
        (&Method::GET, "/readyz") => Ok(json!({"ok": true})),
        (&Method::GET, "/messages") => Ok(messages(shared, &parts.uri).await),
        (&Method::GET, "/acks") => Ok(acks(shared, &parts.uri).await),
        (&Method::POST, "/subscriptions") => subscribe(shared, &read(body).await?),
        (&Method::DELETE, "/subscriptions") => unsubscribe(shared, &read(body).await?),
        (&Method::POST, "/script") => script(shared, &read(body).await?),
        (&Method::POST, "/hold") => hold(shared, &read(body).await?, true),
        (&Method::POST, "/release") => hold(shared, &read(body).await?, false),
        (&Method::POST, "/browsers/renew") => {
            shared.change(|state| state.browsers.renew_next());
            shared.disconnect_browsers();
            Ok(json!({"ok": true}))
        }
        _ => Err((StatusCode::NOT_FOUND, "no such call")),
    }
}

async fn read(body: Incoming) -> ControlResult {
    let bad = |_| (StatusCode::BAD_REQUEST, "the body is no JSON");
    let collected = Limited::new(body, MAX_BODY).collect().await;
    let bytes = collected
        .map_err(|_| (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"))?
        .to_bytes();
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&bytes).map_err(bad)
}

fn subscribe(shared: &SharedState, asked: &Value) -> ControlResult {
    let count = asked["count"].as_u64();
    if count.is_some_and(|count| count > MAX_SUBSCRIPTIONS) {
        return Err((StatusCode::BAD_REQUEST, "count is too large"));
    }
    let wanted = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
    let made = shared
        .subscribe(asked["applicationServerKey"].as_str(), wanted)
        .ok_or((StatusCode::BAD_REQUEST, "applicationServerKey is no key"))?;
    Ok(match count {
        Some(_) => json!(made),
        None => json!(made[0]),
    })
}

fn unsubscribe(shared: &SharedState, asked: &Value) -> ControlResult {
    let id = subscription_id(asked).unwrap_or_default();
    if shared.unsubscribe(id) {
        Ok(json!({"ok": true}))
    } else {
        Err((StatusCode::NOT_FOUND, "no such subscription"))
    }
}

fn script(shared: &SharedState, asked: &Value) -> ControlResult {
    let bad = (StatusCode::BAD_REQUEST, "no such answer");
    let id = subscription_id(asked);
    let answers = asked["answers"].as_array().into_iter().flatten();
    let answers: Option<Vec<_>> = answers.map(parse_scripted).collect();
    let answers = answers.ok_or(bad)?;
    let default = match &asked["default"] {
        Value::Null => None,
        answer => Some(parse_scripted(answer).ok_or(bad)?),
    };
    shared.change(|state| {
        state.script.queue(id, answers);
        if let Some(answer) = default {
            state.script.set_default(id, answer);
        }
    });
    Ok(json!({"ok": true}))
}

fn hold(shared: &SharedState, asked: &Value, is_held: bool) -> ControlResult {
    let missing = (StatusCode::BAD_REQUEST, "no subscription");
    let id = subscription_id(asked).ok_or(missing)?;
    shared.change(|state| {
        if is_held {
            state.held.insert(id.to_owned())
        } else {
            state.held.remove(id)
        }
    });
    Ok(json!({"ok": true}))
}

fn subscription_id(asked: &Value) -> Option<&str> {
    asked["subscription"].as_str()?.rsplit('/').next()
}

fn parse_scripted(value: &Value) -> Option<ScriptedResponse> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

async fn messages(shared: &SharedState, uri: &Uri) -> Value {
    let since = since(uri);
    shared
        .wait(wait(uri), |seen| seen.messages.len() > since)
        .await;
    let state = shared.lock();
    let found = state.seen.messages.get(since..).unwrap_or_default();
    json!({"messages": found, "next": since.saturating_add(found.len())})
}

async fn acks(shared: &SharedState, uri: &Uri) -> Value {
    let since = since(uri);
    shared.wait(wait(uri), |seen| seen.acks.len() > since).await;
    let state = shared.lock();
    let found = state.seen.acks.get(since..).unwrap_or_default();
    json!({"acks": found, "next": since.saturating_add(found.len())})
}

fn since(uri: &Uri) -> usize {
    usize::try_from(number(uri, "since").unwrap_or(0)).unwrap_or(usize::MAX)
}

fn state(state: &ServiceState) -> Value {
    let seen = &state.seen;
    json!({
        "requests": seen.total.requests,
        "created": seen.total.created,
        "subscriptions": state.subscriptions.len(),
        "violations": seen.violations,
        "unmatched": seen.unmatched,
        "browsers": state.browsers.connected(),
        "hellos": seen.hellos,
        "registrations": seen.registrations,
        "unregistrations": seen.unregistrations,
        "messages": seen.messages.len(),
        "acks": seen.acks.len(),
    })
}

fn wait(uri: &Uri) -> Duration {
    Duration::from_millis(number(uri, "wait_ms").unwrap_or(0).min(MAX_WAIT))
}

fn number(uri: &Uri, name: &str) -> Option<u64> {
    let pairs = uri.query()?.split('&');
    let mut values = pairs.filter_map(|pair| pair.split_once('='));
    values.find(|(key, _)| *key == name)?.1.parse().ok()
}
