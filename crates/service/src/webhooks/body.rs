//! From an event of the outbox to the JSON that is posted.

use std::error::Error;

use hato_domain::AppId;
use hato_domain::wire::{EventBody, EventData, EventResult};

use crate::ports::{EventContent, ReportedRecipients, ResultGroup, StoreError, WebhookEvent};

/// Bytes of a body without results.
const BASE_BYTES: usize = 512;
/// Bytes of a result around its texts.
const RESULT_OVERHEAD_BYTES: usize = 96;
/// How a result with empty texts begins.
const EMPTY_RESULT_PREFIX: &[u8] = br#"{"subscription_id":"","endpoint":"""#;
/// What stands after the last result.
const BODY_END: &[u8] = b"]}}";

/// The body of the event, the same at every attempt. `recipients` are those whom it names, perhaps among others; whose subscription
/// was removed is left out, by the app's owner or, for events that are posted again so late, after `HATO_RETENTION_DAYS`.
pub fn event_body(
    app: &AppId,
    event: &WebhookEvent,
    recipients: &ReportedRecipients,
) -> Result<String, StoreError> {
    let body = EventBody {
        kind: event.content.kind().as_str(),
        timestamp: event.created_at.to_rfc3339(),
        data: data(app.as_str(), &event.content),
    };
    let mut text = Vec::with_capacity(
        BASE_BYTES + recipients.size() + recipients.count() * RESULT_OVERHEAD_BYTES,
    );
    serde_json::to_writer(&mut text, &body).map_err(serialize_error)?;
    if let EventContent::Results(_, groups) = &event.content {
        debug_assert!(text.ends_with(BODY_END), "results are the last member");
        text.truncate(text.len() - BODY_END.len());
        write_results(&mut text, groups, recipients).map_err(serialize_error)?;
        text.extend_from_slice(BODY_END);
    }
    String::from_utf8(text).map_err(serialize_error)
}

fn serialize_error(error: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError {
        context: "write an event's body",
        source: error.into(),
    }
}

/// What happened, without results.
fn data<'a>(app_id: &'a str, content: &'a EventContent) -> EventData<'a> {
    match content {
        EventContent::Results(send, _) => EventData::Results {
            app_id,
            send_id: send.as_str(),
            results: Vec::new(),
        },
        EventContent::Completed(send, recipients, counts) => EventData::Completed {
            app_id,
            send_id: send.as_str(),
            recipients: *recipients,
            sent_count: counts.sent,
            failed_expired: counts.failed_expired,
            failed_other: counts.failed_other,
            skipped_count: counts.skipped,
            cancelled_count: counts.cancelled,
        },
        EventContent::Test => EventData::Test { app_id },
    }
}

/// Writes what serde would, in half the time: an event has 500 of them.
fn write_results(
    text: &mut Vec<u8>,
    groups: &[ResultGroup],
    known: &ReportedRecipients,
) -> serde_json::Result<()> {
    let mut before: &[u8] = b"{";
    for group in groups {
        let empty = serde_json::to_vec(&EventResult {
            subscription_id: "",
            endpoint: "",
            status: group.status.as_str(),
            http_status: group.http_status,
            attempts: group.attempts,
        })?;
        let rest = empty.strip_prefix(EMPTY_RESULT_PREFIX).unwrap_or_default();
        for recipient in group
            .recipients
            .iter()
            .flat_map(|range| known.in_range(*range))
        {
            text.extend_from_slice(before);
            text.extend_from_slice(br#""subscription_id":"#);
            write_text(text, recipient.subscription_id.as_str())?;
            text.extend_from_slice(br#","endpoint":"#);
            write_text(text, recipient.endpoint.as_str())?;
            text.extend_from_slice(rest);
            before = b",{";
        }
    }
    Ok(())
}

/// Writes a JSON string.
fn write_text(to: &mut Vec<u8>, text: &str) -> serde_json::Result<()> {
    if has_escapes(text) {
        return serde_json::to_writer(to, text);
    }
    to.push(b'"');
    to.extend_from_slice(text.as_bytes());
    to.push(b'"');
    Ok(())
}

/// Looks at every byte, which is faster than stopping at the first.
fn has_escapes(text: &str) -> bool {
    let is_escaped = |byte| matches!(byte, ..b' ' | b'"' | b'\\');
    text.bytes().fold(false, |has, byte| has | is_escaped(byte))
}

#[cfg(test)]
mod tests {
    use hato_domain::wire::{EventBody, EventData, EventResult};
    use hato_domain::{
        AppId, Endpoint, ResultStatus, SendId, SubscriptionId, UnixMillis, WebhookEventId,
    };

    use super::event_body;
    use crate::ports::{
        EventContent, IdRange, RecipientId, ReportedRecipient, ReportedRecipients, ResultGroup,
        WebhookEvent,
    };

    const ENDPOINTS: [&str; 4] = [
        "https://push.example/1",
        "https://push.example/\"\\2",
        "https://push.example/\u{1}\n3",
        "https://push.example/鳩",
    ];

    fn known(ids: &[&str]) -> ReportedRecipients {
        let known = (1..).zip(ids.iter().zip(ENDPOINTS));
        let known = known.map(|(number, (id, endpoint))| ReportedRecipient {
            id: RecipientId(number),
            subscription_id: SubscriptionId::trusted((*id).to_owned()),
            endpoint: Endpoint::trusted(endpoint.to_owned()),
        });
        ReportedRecipients::new(known.collect())
    }

    fn group(status: ResultStatus, http_status: Option<u16>, numbers: [i64; 2]) -> ResultGroup {
        ResultGroup {
            status,
            http_status,
            attempts: 2,
            recipients: IdRange::from_ids(numbers.map(RecipientId).into()),
        }
    }

    #[test]
    fn results_are_written_as_serde_writes_them() {
        let ids = ["sub_1", "sub_2", "sub_3", "sub_4"];
        let groups = vec![
            group(ResultStatus::Sent, Some(201), [1, 3]),
            group(ResultStatus::Failed, None, [9, 10]),
            group(ResultStatus::Expired, Some(410), [2, 4]),
        ];
        let (app, send) = (
            AppId::trusted("app_1".into()),
            SendId::trusted("snd_1".into()),
        );
        let event = WebhookEvent {
            number: 1,
            id: WebhookEventId::trusted("msg_1".into()),
            content: EventContent::Results(send.clone(), groups),
            created_at: UnixMillis(1_790_000_000_123),
            attempts: 0,
            resend: None,
        };
        let result = |index: usize, status, http_status| EventResult {
            subscription_id: ids[index],
            endpoint: ENDPOINTS[index],
            status,
            http_status,
            attempts: 2,
        };
        for (known, results) in [
            (known(&[]), vec![]),
            (
                known(&ids),
                vec![
                    result(0, "sent", Some(201)),
                    result(2, "sent", Some(201)),
                    result(1, "expired", Some(410)),
                    result(3, "expired", Some(410)),
                ],
            ),
        ] {
            let body = EventBody {
                kind: "delivery.results",
                timestamp: event.created_at.to_rfc3339(),
                data: EventData::Results {
                    app_id: app.as_str(),
                    send_id: send.as_str(),
                    results,
                },
            };
            let expected = serde_json::to_string(&body).expect("it is JSON");
            let written = event_body(&app, &event, &known).expect("it is JSON");
            assert_eq!(written, expected);
        }
    }
}
