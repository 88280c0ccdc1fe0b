//! One push request: judged, decrypted, recorded, answered.

use super::{
    answer::Answer,
    body::{AnswerBody, empty, endless, full},
    connection::Connection,
    desk::{Desk, State, now},
    headers::PushHeaders,
    refusal::Refusal,
    seen::{Message, Violation},
    subscription::{Recipient, Subscription, check_encoding},
    vapid::VapidClaims,
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version,
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
struct Push {
    id: String,
    subscription: Subscription,
    headers: PushHeaders,
    vapid: VapidClaims,
    version: Version,
    body: Bytes,
}

/// Answers one request; never returns when the script says so.
pub(super) async fn answer(
    desk: &Desk,
    connection: &Connection,
    request: Request<Incoming>,
) -> Response<AnswerBody> {
    let Some((id, subscription)) = find(desk, &request) else {
        return stray(desk, &request);
    };
    if !desk.latency.is_zero() {
        tokio::time::sleep(desk.latency).await;
    }
    let (parts, body) = request.into_parts();
    let Some(body) = read(body).await else {
        return cut_off();
    };
    match judge(desk, &id, subscription, &parts, body) {
        Ok(push) => {
            let ttl = push.headers.ttl;
            desk.while_held(&id).await;
            let answer = settle(desk, push);
            speak(desk, connection, &id, ttl, answer).await
        }
        Err(refusal) => {
            desk.change(|state| state.seen.violate(violation(&id, &refusal)));
            refuse(&refusal)
        }
    }
}

fn find(desk: &Desk, request: &Request<Incoming>) -> Option<(String, Subscription)> {
    let id = request.uri().path().strip_prefix("/push/")?;
    let subscription = desk.look().subscriptions.get(id)?.clone();
    (request.method() == Method::POST).then(|| (id.to_owned(), subscription))
}

fn stray(desk: &Desk, request: &Request<Incoming>) -> Response<AnswerBody> {
    let line = format!("{} {}", request.method(), request.uri().path());
    desk.change(|state| state.seen.stray(line));
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The sender went away in the middle: no rule is broken, nothing was pushed and nobody reads the answer.
fn cut_off() -> Response<AnswerBody> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

fn judge(
    desk: &Desk,
    id: &str,
    subscription: Subscription,
    parts: &Parts,
    body: Result<Bytes, Refusal>,
) -> Result<Push, Refusal> {
    let body = body?;
    let vapid = authenticate(desk, &parts.headers, &subscription)?;
    let headers = PushHeaders::read(&parts.headers)?;
    check_encoding(&body)?;
    Ok(Push {
        id: id.to_owned(),
        subscription,
        headers,
        vapid,
        version: parts.version,
        body,
    })
}

/// The whole body, or why it is refused; None when it broke off.
async fn read(body: Incoming) -> Option<Result<Bytes, Refusal>> {
    let collected = Limited::new(body, MAX_READ).collect().await;
    match collected.map(http_body_util::Collected::to_bytes) {
        Ok(body) if body.len() <= MAX_BODY => Some(Ok(body)),
        Err(error) if !error.is::<LengthLimitError>() => None,
        _ => Some(Err(Refusal::too_large())),
    }
}

fn authenticate(
    desk: &Desk,
    headers: &HeaderMap,
    subscription: &Subscription,
) -> Result<VapidClaims, Refusal> {
    let header = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .ok_or_else(|| Refusal::vapid("no Authorization"))?;
    desk.token(header)?.claims(
        &desk.origin,
        subscription.application_server_key.as_deref(),
        now().as_secs(),
    )
}

fn violation(id: &str, refusal: &Refusal) -> Violation {
    Violation {
        subscription: id.to_owned(),
        status: refusal.status.as_u16(),
        reason: refusal.message.clone(),
    }
}

/// Opens the push if it is wanted, then numbers, answers, forwards and records it in one step.
fn settle(desk: &Desk, push: Push) -> Answer {
    let keep = desk.keeps_next();
    let opened = match &push.subscription.recipient {
        Recipient::Here(decryptor) if keep => decryptor.open(&push.body).map(Some),
        _ => Ok(None),
    };
    desk.change(|state| {
        let number = state.seen.total.requests;
        let answer = choose(state, &push, number);
        state.seen.count(&push.id, answer.accepts());
        if answer.accepts() {
            forward(state, &push, number);
        }
        let plaintext = opened.unwrap_or_else(|reason| {
            state.seen.violate(unreadable(&push.id, reason));
            None
        });
        if keep {
            let message = record(push, state.seen.messages.len(), plaintext, &answer);
            state.seen.messages.push(message);
        }
        answer
    })
}

fn choose(state: &mut State, push: &Push, number: u64) -> Answer {
    if push.subscription.gone {
        return Answer::Status(StatusCode::GONE.as_u16());
    }
    state.script.next(&push.id, number)
}

fn forward(state: &mut State, push: &Push, number: u64) {
    if let Recipient::Browser { uaid, channel } = &push.subscription.recipient {
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

fn record(push: Push, place: usize, plaintext: Option<Vec<u8>>, answer: &Answer) -> Message {
    Message {
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

async fn speak(
    desk: &Desk,
    connection: &Connection,
    id: &str,
    ttl: u64,
    answer: Answer,
) -> Response<AnswerBody> {
    match answer {
        Answer::Created => created(&desk.origin, id, ttl),
        Answer::Status(status) => scripted(status),
        Answer::RetryAfter(status, after) => {
            let mut response = scripted(status);
            let after = HeaderValue::try_from(after).expect("a script's Retry-After is text");
            response.headers_mut().insert(RETRY_AFTER, after);
            response
        }
        Answer::Hang => std::future::pending().await,
        Answer::Reset => {
            connection.cut();
            std::future::pending().await
        }
        Answer::Redirect => redirect(&desk.origin),
        Answer::Endless => Response::new(endless()),
    }
}

fn created(origin: &str, id: &str, ttl: u64) -> Response<AnswerBody> {
    let mut response = located(StatusCode::CREATED, format!("{origin}/m/{id}"));
    response.headers_mut().insert("ttl", HeaderValue::from(ttl));
    response
}

fn redirect(origin: &str) -> Response<AnswerBody> {
    located(
        StatusCode::TEMPORARY_REDIRECT,
        format!("{origin}/redirected"),
    )
}

fn located(status: StatusCode, location: String) -> Response<AnswerBody> {
    let mut response = Response::new(empty());
    *response.status_mut() = status;
    let location = HeaderValue::try_from(location).expect("an origin and an id are ASCII");
    response.headers_mut().insert(LOCATION, location);
    response
}

fn scripted(status: u16) -> Response<AnswerBody> {
    let status = StatusCode::from_u16(status).expect("a script's status is a status");
    if status.is_success() {
        let mut response = Response::new(empty());
        *response.status_mut() = status;
        return response;
    }
    refuse(&Refusal::scripted(status))
}

fn refuse(refusal: &Refusal) -> Response<AnswerBody> {
    let mut response = Response::new(full(refusal.body()));
    *response.status_mut() = refusal.status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
