//! The push service judged from outside, by a sender that shares no code with Hato's.

use crate::sender::{Http2Client, ReferenceSender, send_http1};
use hato_testkit::push_service::{
    Decryption, Protocols, PushService, PushServiceOptions, ScriptedResponse,
};
use http::{Request, Version};
use serde_json::json;
use web_push_native::jwt_simple::prelude::{Clock, Duration};

#[tokio::test]
async fn delivers_decrypted_over_http2() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let browser = service.subscribe(Some(&sender.public_key()));
    let mut request = sender.push(&browser, r#"{"title":"焼きたて"}"#);
    request
        .headers_mut()
        .insert("urgency", "high".parse().expect("ASCII"));
    request
        .headers_mut()
        .insert("topic", "bread".parse().expect("ASCII"));

    let mut connection = Http2Client::connect(&service).await;
    let answer = connection.send(request).await.expect("an answer");

    assert_eq!(
        (answer.status.as_u16(), answer.version),
        (201, Version::HTTP_2)
    );
    assert!(answer.headers.contains_key("location"));
    assert_eq!(answer.headers["ttl"], "43200");
    service
        .wait_until(|seen| seen.counts(&browser.id).created == 1)
        .await;
    service.seen(|seen| {
        let message = &seen.messages[0];
        assert_eq!(message.json(), json!({"title": "焼きたて"}));
        assert_eq!(message.subscription, browser.id);
        assert_eq!((message.sequence, message.ttl), (0, 43_200));
        assert_eq!(message.urgency.as_deref(), Some("high"));
        assert_eq!(message.topic.as_deref(), Some("bread"));
        assert_eq!(message.vapid.aud, service.origin());
        assert_eq!(message.http_version, "HTTP/2.0");
        assert_eq!(message.answer, ScriptedResponse::Created);
    });
    service.assert_no_violations();
}

#[tokio::test]
async fn offers_http1_alone_when_asked() {
    let options = PushServiceOptions {
        protocols: Protocols::Http1,
        ..PushServiceOptions::default()
    };
    let service = PushService::start_with(options).await.expect("it starts");
    let sender = ReferenceSender::new();
    let browser = service.subscribe(None);

    let answer = send_http1(&service, sender.push(&browser, "{}")).await;

    assert_eq!(
        (answer.status.as_u16(), answer.version),
        (201, Version::HTTP_11)
    );
    service.seen(|seen| assert_eq!(seen.messages[0].http_version, "HTTP/1.1"));
    service.assert_no_violations();
}

/// Sends a push changed by `spoil`; status and errno of the answer, which must have been recorded.
async fn spoiled(
    spoil: impl FnOnce(&ReferenceSender, &PushService, &mut Request<Vec<u8>>),
) -> (u16, u64) {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let browser = service.subscribe(Some(&sender.public_key()));
    let mut request = sender.push(&browser, "{}");
    spoil(&sender, &service, &mut request);
    let mut connection = Http2Client::connect(&service).await;
    let answer = connection.send(request).await.expect("an answer");
    service.seen(|seen| {
        assert_eq!(seen.violations.len(), 1);
        assert_eq!(seen.violations[0].status, answer.status.as_u16());
        assert_eq!(seen.total.requests, 0);
    });
    (answer.status.as_u16(), answer.errno())
}

fn set(request: &mut Request<Vec<u8>>, name: &'static str, value: &str) {
    let value = value.parse().expect("a header value");
    request.headers_mut().insert(name, value);
}

#[tokio::test]
async fn refuses_a_wrong_audience() {
    for suffix in ["/", "0", ".example"] {
        let answer = spoiled(|sender, service, request| {
            let claims = ReferenceSender::claims(&format!("{}{suffix}", service.origin()));
            set(request, "authorization", &sender.authorization(claims));
        });
        assert_eq!(answer.await, (401, 109), "aud ending in {suffix}");
    }
}

#[tokio::test]
async fn refuses_an_expiry_that_is_past_or_too_far() {
    let past = spoiled(|sender, service, request| {
        let mut claims = ReferenceSender::claims(service.origin());
        claims.expires_at = Some(Clock::now_since_epoch() - Duration::from_secs(1));
        set(request, "authorization", &sender.authorization(claims));
    });
    assert_eq!(past.await, (401, 109));
    let far = spoiled(|sender, service, request| {
        let mut claims = ReferenceSender::claims(service.origin());
        claims.expires_at = Some(Clock::now_since_epoch() + Duration::from_hours(25));
        set(request, "authorization", &sender.authorization(claims));
    });
    assert_eq!(far.await, (401, 109));
}

#[tokio::test]
async fn refuses_a_key_it_is_not_bound_to_and_a_signature_of_another() {
    let stranger = ReferenceSender::new();
    let unbound = spoiled(|_, service, request| {
        let claims = ReferenceSender::claims(service.origin());
        set(request, "authorization", &stranger.authorization(claims));
    });
    assert_eq!(unbound.await, (401, 109));
    let forged = spoiled(|sender, service, request| {
        let header = stranger.authorization(ReferenceSender::claims(service.origin()));
        let (token, _) = header.split_once(", k=").expect("t comes first");
        let header = format!("{token}, k={}", sender.public_key());
        set(request, "authorization", &header);
    });
    assert_eq!(forged.await, (401, 109));
}

#[tokio::test]
async fn refuses_a_missing_subject_and_a_missing_token() {
    let nameless = spoiled(|sender, service, request| {
        let mut claims = ReferenceSender::claims(service.origin());
        claims.subject = None;
        set(request, "authorization", &sender.authorization(claims));
    });
    assert_eq!(nameless.await, (401, 109));
    let anonymous = spoiled(|_, _, request| {
        request.headers_mut().remove("authorization");
    });
    assert_eq!(anonymous.await, (401, 109));
}

#[tokio::test]
async fn refuses_wrong_headers_with_mozillas_numbers() {
    let no_ttl = spoiled(|_, _, request| {
        request.headers_mut().remove("ttl");
    });
    assert_eq!(no_ttl.await, (400, 111));
    let cases = [
        ("ttl", "-1", 112),
        ("ttl", "soon", 112),
        ("topic", "a topic", 113),
        ("topic", "abcdefghijklmnopqrstuvwxyz0123456", 113),
        ("urgency", "urgent", 110),
        ("content-encoding", "aesgcm", 110),
    ];
    for (name, value, errno) in cases {
        let answer = spoiled(|_, _, request| set(request, name, value));
        assert_eq!(answer.await, (400, errno), "{name}: {value}");
    }
}

#[tokio::test]
async fn refuses_bodies_that_are_too_large_or_no_record() {
    let large = spoiled(|_, _, request| {
        request.headers_mut().remove("content-length");
        request.body_mut().resize(4097, 0);
    });
    assert_eq!(large.await, (413, 104));
    let short = spoiled(|_, _, request| {
        request.headers_mut().remove("content-length");
        request.body_mut().truncate(90);
    });
    assert_eq!(short.await, (400, 110));
}

#[tokio::test]
async fn records_what_cannot_be_decrypted() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let [addressee, other] = [service.subscribe(None), service.subscribe(None)];
    let mut request = sender.push(&other, "{}");
    *request.uri_mut() = addressee.endpoint.parse().expect("a URI");

    let mut connection = Http2Client::connect(&service).await;
    let answer = connection.send(request).await.expect("an answer");

    assert_eq!(answer.status, 201);
    service.seen(|seen| {
        assert_eq!(seen.messages[0].plaintext, None);
        assert!(seen.violations[0].reason.contains("decrypted"));
    });
}

#[tokio::test]
async fn answers_by_script_then_by_default() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let [scripted, plain] = [service.subscribe(None), service.subscribe(None)];
    service.script(
        &scripted,
        [
            ScriptedResponse::Status(500),
            ScriptedResponse::RetryAfter(429, "7".into()),
            ScriptedResponse::Redirect,
        ],
    );
    service.respond_by_number(|number| match number {
        4 => ScriptedResponse::Status(404),
        _ => ScriptedResponse::Created,
    });
    let mut connection = Http2Client::connect(&service).await;

    let mut statuses = Vec::new();
    for browser in [&scripted, &scripted, &scripted, &scripted, &plain, &plain] {
        let request = sender.push(browser, "{}");
        let answer = connection.send(request).await.expect("an answer");
        if answer.status == 429 {
            assert_eq!(answer.headers["retry-after"], "7");
            assert_eq!(answer.errno(), 120);
        }
        statuses.push(answer.status.as_u16());
    }

    assert_eq!(statuses, [500, 429, 307, 201, 404, 201]);
    service.seen(|seen| {
        assert_eq!(seen.counts(&scripted.id).requests, 4);
        assert_eq!(seen.counts(&scripted.id).created, 1);
        assert_eq!(seen.subscriptions_served(), 2);
    });
    service.assert_no_violations();
}

#[tokio::test]
async fn an_ended_subscription_is_gone_and_an_unknown_one_unmatched() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let browser = service.subscribe(None);
    let mut connection = Http2Client::connect(&service).await;

    service.unsubscribe(&browser);
    let gone = connection.send(sender.push(&browser, "{}")).await;
    let gone = gone.expect("an answer");
    assert_eq!((gone.status.as_u16(), gone.errno()), (410, 106));

    let mut request = sender.push(&browser, "{}");
    let unknown = format!("{}/push/unknown", service.origin());
    *request.uri_mut() = unknown.parse().expect("a URI");
    let garbled = connection.send(request).await.expect("an answer");
    assert_eq!((garbled.status.as_u16(), garbled.body.len()), (404, 0));
    service.seen(|seen| assert_eq!(seen.unmatched, ["POST /push/unknown"]));
}

#[tokio::test]
async fn cuts_hangs_and_retires_connections() {
    let options = PushServiceOptions {
        requests_per_connection: Some(2),
        ..PushServiceOptions::default()
    };
    let service = PushService::start_with(options).await.expect("it starts");
    let sender = ReferenceSender::new();
    let browser = service.subscribe(None);
    service.script(&browser, [ScriptedResponse::Reset, ScriptedResponse::Hang]);

    let mut cut = Http2Client::connect(&service).await;
    let answer = cut.send(sender.push(&browser, "{}")).await;
    assert!(answer.is_err());

    let mut hanging = Http2Client::connect(&service).await;
    let request = sender.push(&browser, "{}");
    let unanswered = tokio::spawn(async move { hanging.send(request).await });
    service
        .wait_until(|seen| seen.counts(&browser.id).requests == 2)
        .await;
    assert!(!unanswered.is_finished());
    unanswered.abort();

    let mut retired = Http2Client::connect(&service).await;
    for _ in 0..2 {
        let answer = retired.send(sender.push(&browser, "{}")).await;
        assert_eq!(answer.expect("an answer").status, 201);
    }
    // The third meets GOAWAY: at once, or after the connection has ended.
    assert!(retired.send(sender.push(&browser, "{}")).await.is_err());
}

#[tokio::test]
async fn counts_what_it_does_not_keep() {
    let options = PushServiceOptions {
        decryption: Decryption::EveryNth(3),
        ..PushServiceOptions::default()
    };
    let service = PushService::start_with(options).await.expect("it starts");
    let sender = ReferenceSender::new();
    let browsers = service.subscribe_many(None, 7);
    let mut connection = Http2Client::connect(&service).await;
    for browser in &browsers {
        let answer = connection.send(sender.push(browser, "{}")).await;
        assert_eq!(answer.expect("an answer").status, 201);
    }

    service.seen(|seen| {
        assert_eq!((seen.total.created, seen.messages.len()), (7, 3));
        assert_eq!(seen.subscriptions_served(), 7);
    });
    service.assert_no_violations();
}

#[tokio::test]
async fn a_slow_one_handles_what_its_sender_has_given_up_as_well() {
    let options = PushServiceOptions {
        requests_per_second: Some(1),
        ..PushServiceOptions::default()
    };
    let service = PushService::start_with(options).await.expect("it starts");
    let sender = ReferenceSender::new();
    let browser = service.subscribe(None);
    let mut connection = Http2Client::connect(&service).await;
    let push = connection.send(sender.push(&browser, "{}"));
    let too_short = std::time::Duration::from_millis(500);
    assert!(tokio::time::timeout(too_short, push).await.is_err());
    service
        .wait_until(|seen| seen.counts(&browser.id).created == 1)
        .await;
    service.assert_no_violations();
}
