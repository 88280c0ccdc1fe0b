//! The columns of the files, which are named as the API names what they hold.

use hato_domain::{Endpoint, Tag, UnixMillis};
use hato_service::ports::{SendRecord, SubscriptionRecord};

/// The columns of `history.csv`, of which each row is a send.
pub const SEND_COLUMNS: [&str; 17] = [
    "id",
    "title",
    "body",
    "url",
    "status",
    "sender",
    "created_at",
    "send_at",
    "finished_at",
    "recipients",
    "sent",
    "failed_expired",
    "failed_other",
    "skipped",
    "cancelled",
    "displayed",
    "clicked",
];

/// The columns of `subscribers.csv`, of which each row is a subscription.
pub const SUBSCRIBER_COLUMNS: [&str; 12] = [
    "id",
    "platform",
    "push_service",
    "user_id",
    "tags",
    "lang",
    "time_zone",
    "state",
    "reason",
    "deactivated_at",
    "last_delivered_on",
    "created_at",
];

/// A send as a row of its columns.
pub fn send_row(send: SendRecord) -> [String; SEND_COLUMNS.len()] {
    let counts = send.counts;
    [
        send.id.to_string(),
        send.title,
        send.body,
        send.url.unwrap_or_default(),
        send.status.as_str().to_owned(),
        send.actor.name,
        send.created_at.to_rfc3339(),
        time(send.schedule.send_at()),
        time(send.finished_at),
        send.recipients.to_string(),
        counts.sent.to_string(),
        counts.failed_expired.to_string(),
        counts.failed_other.to_string(),
        counts.skipped.to_string(),
        counts.cancelled.to_string(),
        send.engagement.displayed.to_string(),
        send.engagement.clicked.to_string(),
    ]
}

/// A subscriber as a row of its columns.
pub fn subscriber_row(item: SubscriptionRecord) -> [String; SUBSCRIBER_COLUMNS.len()] {
    let tags: Vec<&str> = item.tags.iter().map(Tag::as_str).collect();
    let tags = tags.join(" ");
    let (state, reason) = item
        .deactivated
        .map_or(("active", ""), |end| ("deactivated", end.reason.as_str()));
    let last_delivered = item.last_success_on.map(UnixMillis::from_day_number);
    [
        item.id.to_string(),
        item.platform.unwrap_or_default(),
        Endpoint::written_host(&item.endpoint).to_owned(),
        item.user_id.unwrap_or_default(),
        tags,
        item.lang.unwrap_or_default(),
        item.time_zone.unwrap_or_default(),
        state.to_owned(),
        reason.to_owned(),
        time(item.deactivated.map(|end| end.at)),
        last_delivered.map(UnixMillis::day).unwrap_or_default(),
        item.created_at.to_rfc3339(),
    ]
}

fn time(at: Option<UnixMillis>) -> String {
    at.map(UnixMillis::to_rfc3339).unwrap_or_default()
}
