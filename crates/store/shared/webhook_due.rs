//! The due events of an outbox, and the inputs of an attempt: one statement each, for each runs for every event.

use hato_domain::UnixMillis;
use hato_service::ports::{AttemptInputs, DueEvents, IdRange, OutboxLease, WebhookEvent};

use crate::Database;
use crate::dialect::{DbConnection, read_dedicated, sql};
use crate::error::decode_error;
use crate::queue::number_list;
use crate::webhook_events::{EventRow, parse_recipients, range_list};
use crate::webhooks::WebhookRow;

/// A due event, and the webhook; without an event when none is due.
struct DueEventRow {
    url: Option<String>,
    plan: String,
    sealed_secret: Option<Vec<u8>>,
    sealed_previous_secret: Option<Vec<u8>>,
    previous_secret_expires_at: Option<i64>,
    disabled_reason: Option<String>,
    part: Option<i64>,
    id: Option<i64>,
    public_id: Option<String>,
    kind: Option<String>,
    send_id: Option<String>,
    content: Option<String>,
    created_at: Option<i64>,
    attempts: Option<i64>,
    resend_at: Option<i64>,
}

/// Events that were never posted.
const NEW_EVENTS: i64 = 0;

impl DueEventRow {
    fn webhook(&self) -> WebhookRow {
        WebhookRow {
            url: self.url.clone(),
            plan: self.plan.clone(),
            sealed_secret: self.sealed_secret.clone(),
            sealed_previous_secret: self.sealed_previous_secret.clone(),
            previous_secret_expires_at: self.previous_secret_expires_at,
            disabled_reason: self.disabled_reason.clone(),
        }
    }

    /// The event, and whether it was never posted.
    fn into_event(self) -> sqlx::Result<Option<(bool, WebhookEvent)>> {
        let Some(id) = self.id else {
            return Ok(None);
        };
        let missing = || decode_error("event");
        let row = EventRow {
            id,
            public_id: self.public_id.ok_or_else(missing)?,
            kind: self.kind.ok_or_else(missing)?,
            send_id: self.send_id,
            content: self.content.ok_or_else(missing)?,
            created_at: self.created_at.ok_or_else(missing)?,
            attempts: self.attempts.ok_or_else(missing)?,
            resend_at: self.resend_at,
        };
        Ok(Some((self.part == Some(NEW_EVENTS), row.into_event()?)))
    }
}

/// What is due of the outbox but not in flight, at most `limit` of each kind.
pub(crate) async fn due_events(
    database: &Database,
    outbox: &OutboxLease,
    in_flight: &[i64],
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<DueEvents> {
    let (outbox, in_flight) = (outbox.clone(), number_list(in_flight)?);
    let rows = read_dedicated(database, move |c| {
        Box::pin(rows(c, outbox, in_flight, now, limit))
    });
    let rows = rows.await?;
    let Some(webhook) = rows.first().map(DueEventRow::webhook) else {
        return Ok(DueEvents::LeaseLost);
    };
    let Some(webhook) = webhook.into_active(now)? else {
        return Ok(DueEvents::Discard);
    };
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for row in rows {
        match row.into_event()? {
            Some((true, event)) => first.push(event),
            Some((false, event)) => again.push(event),
            None => {}
        }
    }
    Ok(DueEvents::Post {
        webhook,
        first,
        again,
    })
}

/// First attempts, resends and retries, each found by an index of their own.
async fn rows(
    c: &mut DbConnection,
    outbox: OutboxLease,
    in_flight: String,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<Vec<DueEventRow>> {
    let app = outbox.app_id.as_str();
    sql!(query_as DueEventRow [
        r#"SELECT p.webhook_url AS "url?", a.plan AS "plan!", w.sealed_secret AS "sealed_secret?",
                  w.sealed_previous_secret AS "sealed_previous_secret?",
                  w.previous_secret_expires_at AS "previous_secret_expires_at?",
                  w.disabled_reason AS "disabled_reason?", e.part AS "part?: i64", e.id AS "id?: i64", e.public_id AS "public_id?",
                  e.type AS "kind?", e.send_id AS "send_id?", e.content AS "content?",
                  e.created_at AS "created_at?: i64", e.attempts AS "attempts?: i64",
                  e.resend_at AS "resend_at?: i64"
           FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                              JOIN accounts AS a ON a.id = p.account_id
           LEFT JOIN (
             SELECT * FROM (
               SELECT 0 AS part, id AS place, id, public_id, type, send_id, content, created_at,
                      attempts, resend_at
               FROM webhook_events
               WHERE app_id = $2 AND due_at IS NOT NULL AND attempts = 0
                 AND id NOT IN ("# NUMBERS r#")
               ORDER BY id LIMIT $4) AS firsts
             UNION ALL
             SELECT * FROM (
               SELECT 1 AS part, resend_at AS place, id, public_id, type, send_id, content, created_at,
                      attempts, resend_at
               FROM webhook_events
               WHERE app_id = $2 AND resend_at IS NOT NULL AND id NOT IN ("# NUMBERS r#")
               ORDER BY resend_at, id LIMIT $4) AS resends
             UNION ALL
             SELECT * FROM (
               SELECT 2 AS part, due_at AS place, id, public_id, type, send_id, content, created_at,
                      attempts, resend_at
               FROM webhook_events
               WHERE app_id = $2 AND due_at IS NOT NULL AND due_at <= $3 AND attempts > 0
                 AND resend_at IS NULL AND id NOT IN ("# NUMBERS r#")
               ORDER BY due_at, id LIMIT $4) AS retries
           ) AS e ON TRUE
           WHERE w.app_id = $2 AND w.lease_token = $5 AND p.deleted_at IS NULL
           ORDER BY e.part, e.place, e.id"#
    ] in_flight, app, now.0, limit, outbox.token)
    .fetch_all(c)
    .await
}

/// The webhook with its secrets, and the event's recipients as three texts: row by row they cost several times as much.
struct AttemptInputsRow {
    url: Option<String>,
    plan: String,
    sealed_secret: Option<Vec<u8>>,
    sealed_previous_secret: Option<Vec<u8>>,
    previous_secret_expires_at: Option<i64>,
    disabled_reason: Option<String>,
    numbers: Option<String>,
    subscriptions: Option<String>,
    endpoints: Option<String>,
}

/// The inputs of an attempt for an event with these recipients, unless the lease was lost or the webhook is not active.
pub(crate) async fn attempt_inputs(
    database: &Database,
    outbox: &OutboxLease,
    recipients: &[IdRange],
    now: UnixMillis,
) -> sqlx::Result<Option<AttemptInputs>> {
    let (outbox, ranges) = (outbox.clone(), range_list(recipients)?);
    let row = read_dedicated(database, move |c| Box::pin(row(c, outbox, ranges)));
    let Some(row) = row.await? else {
        return Ok(None);
    };
    let recipients = parse_recipients(
        row.numbers.as_deref(),
        row.subscriptions.as_deref(),
        row.endpoints.as_deref(),
    )?;
    let webhook = WebhookRow {
        url: row.url,
        plan: row.plan,
        sealed_secret: row.sealed_secret,
        sealed_previous_secret: row.sealed_previous_secret,
        previous_secret_expires_at: row.previous_secret_expires_at,
        disabled_reason: row.disabled_reason,
    };
    let webhook = webhook.into_active(now)?;
    Ok(webhook.map(|webhook| AttemptInputs {
        webhook,
        recipients,
    }))
}

async fn row(
    c: &mut DbConnection,
    outbox: OutboxLease,
    ranges: String,
) -> sqlx::Result<Option<AttemptInputsRow>> {
    let app = outbox.app_id.as_str();
    sql!(query_as AttemptInputsRow [
        r#"SELECT p.webhook_url AS "url?", a.plan AS "plan!", w.sealed_secret AS "sealed_secret?",
                  w.sealed_previous_secret AS "sealed_previous_secret?",
                  w.previous_secret_expires_at AS "previous_secret_expires_at?",
                  w.disabled_reason AS "disabled_reason?",
                  known.numbers AS "numbers?: String",
                  known.subscriptions AS "subscriptions?: String",
                  known.endpoints AS "endpoints?: String"
           FROM ("# REPORTED_RECIPIENTS r#") AS known
                CROSS JOIN webhooks AS w JOIN apps AS p ON p.id = w.app_id
                                         JOIN accounts AS a ON a.id = p.account_id
           WHERE w.app_id = $2 AND w.lease_token = $3 AND p.deleted_at IS NULL"#
    ] ranges, app, outbox.token)
    .fetch_optional(c)
    .await
}
