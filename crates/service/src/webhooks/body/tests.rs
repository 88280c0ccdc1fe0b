//! What the posted bodies hold.

use hato_domain::{
    AppId, Endpoint, ResultStatus, SendId, SubscriptionId, UnixMillis, WebhookEventId,
};
use serde_json::{Value, json};

use super::{event_body, in_range};
use crate::ports::{
    EventContent, IdRange, RecipientId, ReportedRecipient, ResultGroup, WebhookEvent,
};

const ENDPOINTS: [&str; 4] = [
    "https://push.example/1",
    "https://push.example/\"\\2",
    "https://push.example/\u{1}\n3",
    "https://push.example/鳩",
];

fn recipients(numbers: &[i64]) -> Vec<ReportedRecipient> {
    let recipients = numbers.iter().zip(ENDPOINTS);
    let recipients = recipients.map(|(number, endpoint)| ReportedRecipient {
        id: RecipientId(*number),
        subscription_id: SubscriptionId::trusted(format!("sub_{number}")),
        endpoint: Endpoint::trusted(endpoint.to_owned()),
    });
    recipients.collect()
}

fn group(status: ResultStatus, http_status: Option<u16>, numbers: [i64; 2]) -> ResultGroup {
    ResultGroup {
        status,
        http_status,
        attempts: 2,
        recipients: IdRange::from_ids(numbers.map(RecipientId).into()),
    }
}

fn body(recipients: &[ReportedRecipient]) -> Value {
    let groups = vec![
        group(ResultStatus::Sent, Some(201), [1, 3]),
        group(ResultStatus::Failed, None, [9, 10]),
        group(ResultStatus::Expired, Some(410), [2, 4]),
    ];
    let event = WebhookEvent {
        number: 1,
        id: WebhookEventId::trusted("msg_1".into()),
        content: EventContent::Results(SendId::trusted("snd_1".into()), groups),
        created_at: UnixMillis(1_790_000_000_123),
        attempts: 0,
        resends: 0,
        resend: None,
    };
    let app = AppId::trusted("app_1".into());
    let body = event_body(&app, &event, recipients).expect("it is JSON");
    serde_json::from_str(&body).expect("it is JSON")
}

#[test]
fn results_name_those_who_are_left_with_their_outcomes() {
    let result = |number: usize, status: &str, http_status: Value| {
        json!({
            "subscription_id": format!("sub_{number}"),
            "endpoint": ENDPOINTS[number - 1],
            "status": status,
            "http_status": http_status,
            "attempts": 2,
        })
    };
    let expected = json!({
        "type": "delivery.results",
        "timestamp": "2026-09-21T14:13:20.123Z",
        "data": {"app_id": "app_1", "send_id": "snd_1", "results": [
            result(1, "sent", json!(201)),
            result(3, "sent", json!(201)),
            result(2, "expired", json!(410)),
            result(4, "expired", json!(410)),
        ]},
    });
    assert_eq!(body(&recipients(&[1, 2, 3, 4])), expected);
    assert_eq!(body(&[])["data"]["results"], json!([]));
}

#[test]
fn a_refused_send_says_so() {
    let send = SendId::trusted("snd_1".into());
    let event = WebhookEvent {
        number: 1,
        id: WebhookEventId::trusted("msg_1".into()),
        content: EventContent::Refused(send, "MONTHLY_LIMIT_EXCEEDED".into()),
        created_at: UnixMillis(1_790_000_000_123),
        attempts: 0,
        resends: 0,
        resend: None,
    };
    let body = event_body(&AppId::trusted("app_1".into()), &event, &[]).expect("it is JSON");
    let body: Value = serde_json::from_str(&body).expect("it is JSON");
    let expected = json!({
        "app_id": "app_1", "send_id": "snd_1", "recipients": 0, "sent_count": 0,
        "failed_expired": 0, "failed_other": 0, "skipped_count": 0, "cancelled_count": 0,
        "status": "refused", "refused_reason": "MONTHLY_LIMIT_EXCEEDED",
    });
    assert_eq!(
        (&body["type"], &body["data"]),
        (&json!("send.completed"), &expected)
    );
}

#[test]
fn a_range_finds_those_who_are_left() {
    let recipients = recipients(&[3, 5, 9]);
    let found = |first, last| -> Vec<_> {
        let (first, last) = (RecipientId(first), RecipientId(last));
        let found = in_range(&recipients, IdRange { first, last }).iter();
        found.map(|one| one.id.0).collect()
    };
    assert_eq!(found(3, 8), [3, 5]);
    assert_eq!(found(9, 9), [9]);
    assert!(found(6, 8).is_empty());
}
