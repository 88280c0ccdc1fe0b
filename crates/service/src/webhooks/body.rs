//! From an event of the outbox to the JSON that is posted.

use hato_domain::AppId;
use hato_domain::wire::{EventBody, EventData, EventResult};

use crate::ports::{
    EventContent, KnownRecipient, RecipientId, ResultGroup, StoreError, WebhookEvent, WebhookQueue,
};

/// The body of the event, the same at every attempt. Recipients whose subscription has been removed meanwhile are left out,
/// which happens only to events that somebody posts again after `HATO_RETENTION_DAYS`.
pub async fn event_body<Q: WebhookQueue + ?Sized>(
    queue: &Q,
    app: &AppId,
    event: &WebhookEvent,
) -> Result<String, StoreError> {
    let known = match &event.content {
        EventContent::Results(_, groups) => queue.known_recipients(&everybody(groups)).await?,
        EventContent::Completed(..) | EventContent::Test => Vec::new(),
    };
    let body = EventBody {
        kind: event.content.kind().as_str(),
        timestamp: event.created_at.to_rfc3339(),
        data: data(app.as_str(), &event.content, &known),
    };
    serde_json::to_string(&body).map_err(|error| StoreError {
        context: "write an event's body",
        source: error.into(),
    })
}

fn everybody(groups: &[ResultGroup]) -> Vec<RecipientId> {
    let recipients = groups.iter().flat_map(|group| &group.recipients);
    recipients.copied().collect()
}

fn data<'a>(
    app_id: &'a str,
    content: &'a EventContent,
    known: &'a [KnownRecipient],
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

fn results<'a>(groups: &[ResultGroup], known: &'a [KnownRecipient]) -> Vec<EventResult<'a>> {
    let mut results = Vec::with_capacity(known.len());
    for group in groups {
        let recipients = group.recipients.iter().filter_map(|id| find(known, *id));
        results.extend(recipients.map(|recipient| EventResult {
            subscription_id: &recipient.subscription_id,
            endpoint: &recipient.endpoint,
            status: group.status.as_str(),
            http_status: group.http_status,
            attempts: group.attempts,
        }));
    }
    results
}

/// The recipients are in the order of their numbers.
fn find(known: &[KnownRecipient], id: RecipientId) -> Option<&KnownRecipient> {
    let place = known.binary_search_by_key(&id, |recipient| recipient.id);
    place.ok().map(|place| &known[place])
}
