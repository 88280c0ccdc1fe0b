//! The outbox: events are written in the transaction that settles what they tell of, for apps whose webhook is active.

use std::collections::BTreeMap;

use hato_domain::{
    AppId, EventType, FailureReason, Plan, ResultStatus, SendId, UnixMillis, WebhookEventId,
};
use hato_service::ports::{IdRange, RecipientId, SendCounts, Settlement};
use uuid::Uuid;

use crate::dialect::{Connection, sql};
use crate::settlement::SettledPage;
use crate::webhook_events::Members;

/// Whether events about the app are written: it has a URL, the plan that takes, and was not switched off.
pub(crate) async fn is_active(c: &mut Connection, app: &AppId) -> sqlx::Result<bool> {
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
pub(crate) async fn announce_results(
    c: &mut Connection,
    page: &SettledPage,
    settlement: &Settlement,
    now: UnixMillis,
) -> sqlx::Result<Option<WebhookEventId>> {
    let groups = groups(page.attempt, settlement);
    if groups.is_empty() {
        return Ok(None);
    }
    let content = serde_json::to_string(&groups).map_err(unwritable)?;
    let (app, send) = (&page.app_id, Some(&page.send_id));
    announce(c, app, EventType::DeliveryResults, send, &content, now)
        .await
        .map(Some)
}

/// Tells that every recipient of a send is settled.
pub(crate) async fn announce_completion(
    c: &mut Connection,
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
    let content = serde_json::to_string(&numbers).map_err(unwritable)?;
    announce(c, app, EventType::SendCompleted, Some(send), &content, now)
        .await
        .map(drop)
}

/// Writes an event that tells nothing.
pub(crate) async fn announce_test(
    c: &mut Connection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    announce(c, app, EventType::Test, None, "[]", now)
        .await
        .map(drop)
}

async fn announce(
    c: &mut Connection,
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
        FIRST
        "INSERT INTO webhook_events (public_id, app_id, type, send_id, content, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)"
        SECOND
        "UPDATE webhooks SET due_at = $8
         WHERE app_id = $9 AND (due_at IS NULL OR (claimed = 0 AND due_at > $10))"
    ] id, name, kind, send, content, now.0, now.0, now.0, name, now.0)
    .execute(c)
    .await?;
    Ok(event)
}

/// Makes the app's outbox due, unless somebody looks after it.
pub(crate) async fn call_for(c: &mut Connection, app: &AppId, now: UnixMillis) -> sqlx::Result<()> {
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

/// Status, the push service's answer, attempts, and the recipients with this fate.
type Group = (&'static str, Option<u16>, u8, Vec<Members>);

fn groups(earlier_attempts: u8, settlement: &Settlement) -> Vec<Group> {
    let attempts = earlier_attempts + 1;
    let sent = settlement.sent.iter().map(|one| {
        let fate = (ResultStatus::Sent, Some(one.http_status), attempts);
        (fate, one.recipient)
    });
    let expired = settlement.expired.iter().map(|one| {
        let fate = (ResultStatus::Expired, Some(one.http_status), attempts);
        (fate, one.recipient)
    });
    let failed = settlement.dead_letters.iter().map(|one| {
        // For one for which no time was left no attempt was made.
        let attempts = attempts - u8::from(one.reason == FailureReason::OutOfTime);
        let fate = (ResultStatus::Failed, one.http_status, attempts);
        (fate, one.recipient)
    });
    let mut groups: BTreeMap<_, Vec<RecipientId>> = BTreeMap::new();
    for ((status, http_status, attempts), recipient) in sent.chain(expired).chain(failed) {
        let fate = (status.as_str(), http_status, attempts);
        groups.entry(fate).or_default().push(recipient);
    }
    let group = |((status, http_status, attempts), recipients)| {
        let runs = IdRange::from_ids(recipients).into_iter();
        let members = runs.map(Members::from).collect();
        (status, http_status, attempts, members)
    };
    groups.into_iter().map(group).collect()
}

fn unwritable(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Encode(error.into())
}
