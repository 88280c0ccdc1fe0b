//! The outbox: events are written in the transaction that settles what they tell of, for apps whose webhook is active.

use std::collections::BTreeMap;

use hato_domain::{
    AppId, EventType, FailureReason, Plan, ResultStatus, SendId, UnixMillis, WebhookEventId,
};
use hato_service::ports::{IdRange, RecipientId, SendCounts, Settlement};
use uuid::Uuid;

use crate::dialect::{DbConnection, sql};
use crate::settlement::SettledPage;
use crate::webhook_events::IdRangeJson;

/// Whether events about the app are written: it has a URL, the plan that takes, and is not disabled.
pub(crate) async fn is_active(c: &mut DbConnection, app: &AppId) -> sqlx::Result<bool> {
    let (app, plan) = (app.as_str(), Plan::FOR_WEBHOOKS.as_str());
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
             SELECT 1 FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                                         JOIN accounts AS a ON a.id = p.account_id
             WHERE w.app_id = $1 AND w.disabled_reason IS NULL AND p.webhook_url IS NOT NULL
               AND p.deleted_at IS NULL AND a.plan = $2) AS "it!: bool""#,
        app,
        plan
    )
    .fetch_one(c)
    .await
}

/// Tells what became of a page's recipients, in this event; in none when nothing is final yet.
pub(crate) async fn insert_results_event(
    c: &mut DbConnection,
    page: &SettledPage,
    settlement: &Settlement,
    now: UnixMillis,
) -> sqlx::Result<Option<WebhookEventId>> {
    let groups = groups(page.attempt, settlement);
    if groups.is_empty() {
        return Ok(None);
    }
    let content = serde_json::to_string(&groups).map_err(encode_error)?;
    let (app, send) = (&page.app_id, Some(&page.send_id));
    insert_event(c, app, EventType::DeliveryResults, send, &content, now)
        .await
        .map(Some)
}

/// Tells that every recipient of a send is settled.
pub(crate) async fn insert_completed_event(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    (recipients, counts): (i64, SendCounts),
    now: UnixMillis,
) -> sqlx::Result<()> {
    let numbers = [
        recipients,
        counts.sent,
        counts.failed_expired,
        counts.failed_other,
        counts.skipped,
        counts.cancelled,
    ];
    let content = serde_json::to_string(&numbers).map_err(encode_error)?;
    insert_event(c, app, EventType::SendCompleted, Some(send), &content, now)
        .await
        .map(drop)
}

/// Writes an event that tells nothing.
pub(crate) async fn insert_test_event(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    insert_event(c, app, EventType::Test, None, "[]", now)
        .await
        .map(drop)
}

async fn insert_event(
    c: &mut DbConnection,
    app: &AppId,
    kind: EventType,
    send: Option<&SendId>,
    content: &str,
    now: UnixMillis,
) -> sqlx::Result<WebhookEventId> {
    let event = WebhookEventId::from_uuid(Uuid::now_v7());
    let (id, name, kind) = (event.as_str(), app.as_str(), kind.as_str());
    let send = send.map(SendId::as_str);
    sql!(query [
        "INSERT INTO webhook_events (public_id, app_id, type, send_id, content, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)"
        NEXT_STATEMENT
        "UPDATE webhooks SET due_at = $8
         WHERE app_id = $9 AND (due_at IS NULL OR (claimed = 0 AND due_at > $10))"
    ] id, name, kind, send, content, now.0, now.0, now.0, name, now.0)
    .execute(c)
    .await?;
    Ok(event)
}

/// Makes the app's outbox due, unless a worker holds its lease.
pub(crate) async fn mark_due(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let app = app.as_str();
    sqlx::query!(
        "UPDATE webhooks SET due_at = $2
         WHERE app_id = $1 AND (due_at IS NULL OR (claimed = 0 AND due_at > $2))",
        app,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Status, the push service's answer, attempts, and the recipients with these three.
type StoredResultGroup = (&'static str, Option<u16>, u8, Vec<IdRangeJson>);

fn groups(earlier_attempts: u8, settlement: &Settlement) -> Vec<StoredResultGroup> {
    let attempts = earlier_attempts + 1;
    let sent = settlement.sent.iter().map(|one| {
        let key = (ResultStatus::Sent, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let expired = settlement.expired.iter().map(|one| {
        let key = (ResultStatus::Expired, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let failed = settlement.dead_letters.iter().map(|one| {
        // For one for which no time was left no attempt was made.
        let attempts = attempts - u8::from(one.reason == FailureReason::OutOfTime);
        let key = (ResultStatus::Failed, one.http_status, attempts);
        (key, one.recipient)
    });
    let mut groups: BTreeMap<_, Vec<RecipientId>> = BTreeMap::new();
    for ((status, http_status, attempts), recipient) in sent.chain(expired).chain(failed) {
        let key = (status.as_str(), http_status, attempts);
        groups.entry(key).or_default().push(recipient);
    }
    let group = |((status, http_status, attempts), recipients)| {
        let ranges = IdRange::from_ids(recipients).into_iter();
        let recipients = ranges.map(IdRangeJson::from).collect();
        (status, http_status, attempts, recipients)
    };
    groups.into_iter().map(group).collect()
}

fn encode_error(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Encode(error.into())
}
