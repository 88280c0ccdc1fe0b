//! Accepting a send: charged, recorded and queued in one transaction, or not at all.
//!
//! The order is that of the answers: a repeated request is recognised first, since it costs nothing; then an app or a subscriber
//! that is not there; then how often the app sends, and the quota. What is counted is taken back if the quota refuses the send, and
//! nothing can refuse it after that.
//!
//! Equal requests that come together wait for each other (`lock_request`): the second finds what the first has saved. A refused
//! request has saved nothing, so its idempotency key is free again.

use hato_service::ports::{AcceptSendOutcome, NewSend, SendCounts, SendStatus};

use crate::accounts::parse_plan;
use crate::audience::{ResolvedAudience, SendingApp, find_sending_app, resolve_audience};
use crate::dialect::{DbConnection, to_stored};
use crate::idempotency::{self, PriorRequest};
use crate::queue::{queue_list, queue_positions, queue_range};
use crate::selection::{self, QueuedSelection};
use crate::send_windows;
use crate::stored_content::StoredContent;
use crate::webhook_events::insert_completed_event;
use crate::webhooks::has_active_webhook;

/// Answers a repeated request, or accepts the send, or does nothing.
pub(crate) async fn accept(
    c: &mut DbConnection,
    send: &NewSend,
) -> sqlx::Result<AcceptSendOutcome> {
    match idempotency::find(c, send).await? {
        PriorRequest::Same {
            send_id,
            recipients,
        } => Ok(AcceptSendOutcome::Replayed {
            send_id,
            recipients,
        }),
        PriorRequest::Other => Ok(AcceptSendOutcome::Conflict),
        PriorRequest::None => accept_new(c, send).await,
    }
}

async fn accept_new(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<AcceptSendOutcome> {
    let Some(sending_app) = find_sending_app(c, send).await? else {
        return Ok(AcceptSendOutcome::NotFound);
    };
    let Some(audience) = resolve_audience(c, &sending_app, send).await? else {
        return Ok(AcceptSendOutcome::NotFound);
    };
    let recipients = audience.recipients();
    if !send_windows::count(c, send).await? {
        return Ok(AcceptSendOutcome::OverRateLimit);
    }
    if !charge(c, &sending_app, send, recipients).await? {
        send_windows::uncount(c, send).await?;
        return Ok(AcceptSendOutcome::OverMonthlyLimit);
    }
    insert_send(c, send, recipients).await?;
    count_send(c, send).await?;
    if recipients > 0 {
        queue(c, send, &audience).await?;
    } else if has_active_webhook(c, &send.app_id).await? {
        let completed = (0, SendCounts::default());
        insert_completed_event(c, &send.app_id, &send.id, completed, send.now).await?;
    }
    idempotency::save(c, send, recipients).await?;
    Ok(AcceptSendOutcome::Queued { recipients })
}

/// Counts the recipients toward the account's month; `false`, and nothing counted, when they would pass the limit.
///
/// The limit is a condition of the write itself, so concurrent sends cannot pass it together. The condition holds for adding to
/// the month's row only; a month without a row is empty, and what alone passes the limit is refused before. The row belongs to
/// the account and refers to no app, so deleting an app gives nothing back.
async fn charge(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    send: &NewSend,
    recipients: i64,
) -> sqlx::Result<bool> {
    let limit = parse_plan(&sending_app.plan)?
        .max_monthly_recipients()
        .unwrap_or(i64::MAX);
    if recipients == 0 || recipients > limit {
        return Ok(recipients == 0);
    }
    let charged = sqlx::query!(
        "INSERT INTO monthly_usage (account_id, month, recipients) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, month) DO UPDATE
         SET recipients = monthly_usage.recipients + excluded.recipients
         WHERE monthly_usage.recipients + excluded.recipients <= $4",
        sending_app.account_id,
        send.month.0,
        recipients,
        limit
    );
    Ok(charged.execute(c).await?.rows_affected() == 1)
}

/// Writes the send down; one to nobody is done at once.
async fn insert_send(c: &mut DbConnection, send: &NewSend, recipients: i64) -> sqlx::Result<()> {
    let (status, finished_at) = match recipients {
        0 => (SendStatus::Done, Some(send.now.0)),
        _ => (SendStatus::Queued, None),
    };
    let content = StoredContent::new(send, recipients);
    sqlx::query!(
        "INSERT INTO sends (id, app_id, title, body, url, payload, ttl, urgency, topic, recipients,
                            status, actor_kind, actor_id, actor_name, created_at, finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        send.id.as_str(),
        send.app_id.as_str(),
        &*to_stored(&content.title),
        &*to_stored(&content.body),
        content.url,
        content.payload,
        i64::from(send.options.ttl.seconds()),
        content.urgency,
        content.topic,
        recipients,
        status.as_str(),
        send.actor.kind.as_str(),
        send.actor.id,
        &*content.actor_name,
        send.now.0,
        finished_at
    )
    .execute(c)
    .await
    .map(drop)
}

/// Counts the send on its day, whose row settling then adds to.
async fn count_send(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO daily_counts (app_id, day, sends) VALUES ($1, $2, 1)
         ON CONFLICT (app_id, day) DO UPDATE SET sends = daily_counts.sends + 1",
        send.app_id.as_str(),
        send.now.day_number()
    )
    .execute(c)
    .await
    .map(drop)
}

/// Queues the first attempt, due now: one job, however many recipients there are.
async fn queue(
    c: &mut DbConnection,
    send: &NewSend,
    audience: &ResolvedAudience,
) -> sqlx::Result<()> {
    let (id, app) = (send.id.as_str(), send.app_id.as_str());
    match audience {
        ResolvedAudience::Positions { up_to, .. } => {
            queue_positions(c, id, app, (0, *up_to), send.now).await
        }
        ResolvedAudience::Listed(recipients) => {
            queue_list(c, id, app, recipients, 0, send.now).await
        }
        ResolvedAudience::Selected(positions) => {
            match selection::save(c, app, id, positions).await? {
                QueuedSelection::Listed(recipients) => {
                    queue_list(c, id, app, &recipients, 0, send.now).await
                }
                QueuedSelection::Range(range) => queue_range(c, id, app, range, send.now).await,
            }
        }
    }
}
