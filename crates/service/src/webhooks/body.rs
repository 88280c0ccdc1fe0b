//! From an event of the outbox to the JSON that is posted.

use hato_domain::wire::{EventBody, EventData, EventResult};
use hato_domain::{AppId, SendId};

use crate::ports::{
    EventContent, IdRange, ReportedRecipient, ResultGroup, SendCounts, SendStatus, StoreError,
    WebhookEvent,
};

/// The body of the event, the same at every attempt. `recipients` are those whom it names, in the order of their numbers; whose
/// subscription was removed is left out, by the app's owner or, for events that are posted again so late, after
/// `HATO_RETENTION_DAYS`.
pub fn event_body(
    app: &AppId,
    event: &WebhookEvent,
    recipients: &[ReportedRecipient],
) -> Result<String, StoreError> {
    let body = EventBody {
        kind: event.content.kind().as_str(),
        timestamp: event.created_at.to_rfc3339(),
        data: data(app.as_str(), &event.content, recipients),
    };
    serde_json::to_string(&body).map_err(|error| StoreError {
        context: "write an event's body",
        is_overload: false,
        source: error.into(),
    })
}

fn data<'a>(
    app_id: &'a str,
    content: &'a EventContent,
    recipients: &'a [ReportedRecipient],
) -> EventData<'a> {
    match content {
        EventContent::Results(send, groups) => EventData::Results {
            app_id,
            send_id: send.as_str(),
            results: results(groups, recipients),
        },
        EventContent::Completed(send, recipients, counts) => {
            completed((app_id, send), *recipients, *counts, None)
        }
        EventContent::Refused(send, reason) => {
            completed((app_id, send), 0, SendCounts::default(), Some(reason))
        }
        EventContent::Engagement(send, counts) => EventData::Engagement {
            app_id,
            send_id: send.as_str(),
            displayed_count: counts.displayed,
            clicked_count: counts.clicked,
            dismissed_count: counts.dismissed,
            clicks_by_action: &counts.clicks_by_action,
        },
        EventContent::Test => EventData::Test { app_id },
    }
}

fn completed<'a>(
    (app_id, send): (&'a str, &'a SendId),
    recipients: i64,
    counts: SendCounts,
    refused_reason: Option<&'a str>,
) -> EventData<'a> {
    EventData::Completed {
        app_id,
        send_id: send.as_str(),
        recipients,
        sent_count: counts.sent,
        failed_expired: counts.failed_expired,
        failed_other: counts.failed_other,
        skipped_count: counts.skipped,
        cancelled_count: counts.cancelled,
        status: refused_reason.map(|_| SendStatus::Refused.as_str()),
        refused_reason,
    }
}

fn results<'a>(
    groups: &'a [ResultGroup],
    recipients: &'a [ReportedRecipient],
) -> Vec<EventResult<'a>> {
    let results = groups.iter().flat_map(|group| {
        let ranges = group.recipients.iter();
        let members = ranges.flat_map(|range| in_range(recipients, *range));
        members.map(|recipient| EventResult {
            subscription_id: recipient.subscription_id.as_str(),
            endpoint: recipient.endpoint.as_str(),
            status: group.status.as_str(),
            http_status: group.http_status,
            attempts: group.attempts,
        })
    });
    results.collect()
}

/// The recipients with numbers in the range; `recipients` are in the order of their numbers.
fn in_range(recipients: &[ReportedRecipient], range: IdRange) -> &[ReportedRecipient] {
    let begin = recipients.partition_point(|one| one.id < range.first);
    let end = recipients.partition_point(|one| one.id <= range.last);
    &recipients[begin..end]
}

#[cfg(test)]
mod tests;
