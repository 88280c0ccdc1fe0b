//! From an event of the outbox to the JSON that is posted.

use std::error::Error;

use hato_domain::AppId;
use hato_domain::wire::{EventBody, EventData, EventResult};

use crate::ports::{EventContent, KnownRecipients, ResultGroup, StoreError, WebhookEvent};

/// Bytes of a body without results.
const SMALL: usize = 512;
/// Bytes of a result around its texts.
const AROUND: usize = 96;

/// The body of the event, the same at every attempt. `recipients` are those whom it names; whose subscription has been
/// removed meanwhile is left out, which happens only to events that somebody posts again after
/// `HATO_RETENTION_DAYS`.
pub fn event_body(
    app: &AppId,
    event: &WebhookEvent,
    recipients: &KnownRecipients,
) -> Result<String, StoreError> {
    let body = EventBody {
        kind: event.content.kind().as_str(),
        timestamp: event.created_at.to_rfc3339(),
        data: data(app.as_str(), &event.content, recipients),
    };
    let mut text = Vec::with_capacity(SMALL + recipients.size() + recipients.count() * AROUND);
    serde_json::to_writer(&mut text, &body).map_err(unwritable)?;
    String::from_utf8(text).map_err(unwritable)
}

fn unwritable(error: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError {
        context: "write an event's body",
        source: error.into(),
    }
}

fn data<'a>(
    app_id: &'a str,
    content: &'a EventContent,
    known: &'a KnownRecipients,
) -> EventData<'a> {
    match content {
        EventContent::Results(send, groups) => EventData::Results {
            app_id,
            send_id: send.as_str(),
            results: results(groups, known),
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

fn results<'a>(groups: &[ResultGroup], known: &'a KnownRecipients) -> Vec<EventResult<'a>> {
    let mut results = Vec::with_capacity(known.count());
    for group in groups {
        let recipients = group.recipients.iter().flat_map(|run| known.of(*run));
        results.extend(recipients.map(|recipient| EventResult {
            subscription_id: recipient.subscription_id.as_str(),
            endpoint: recipient.endpoint.as_str(),
            status: group.status.as_str(),
            http_status: group.http_status,
            attempts: group.attempts,
        }));
    }
    results
}
