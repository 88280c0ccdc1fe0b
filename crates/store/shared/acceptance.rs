//! Accepting a send: charged, recorded and queued in one transaction.

use std::fmt::Write as _;

use hato_domain::{AppId, Endpoint, HttpsUrl, Topic, Urgency};
use hato_service::ports::{AcceptSendOutcome, Audience, NewSend, SendCounts, SendStatus};

use crate::accounts::parse_plan;
use crate::dialect::{DbConnection, sql};
use crate::idempotency::{self, PriorRequest};
use crate::queue::number_list;
use crate::subscriptions::endpoint_hash;
use crate::webhook_events::insert_completed_event;
use crate::webhooks::is_active;

/// Answers a repeated request, or accepts the send, or does nothing.
pub(crate) async fn accept(c: &mut DbConnection, send: NewSend) -> sqlx::Result<AcceptSendOutcome> {
    match idempotency::find(c, &send).await? {
        PriorRequest::Same {
            send_id,
            recipients,
        } => Ok(AcceptSendOutcome::Replayed {
            send_id,
            recipients,
        }),
        PriorRequest::Other => Ok(AcceptSendOutcome::Conflict),
        PriorRequest::None => accept_new(c, &send).await,
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
    if !charge(c, &sending_app, send, recipients).await? {
        return Ok(AcceptSendOutcome::OverMonthlyLimit);
    }
    record(c, send, &audience).await?;
    if recipients == 0 && is_active(c, &send.app_id).await? {
        let completed = (0, SendCounts::default());
        insert_completed_event(c, &send.app_id, &send.id, completed, send.now).await?;
    }
    idempotency::save(c, send, recipients).await?;
    Ok(AcceptSendOutcome::Queued { recipients })
}

/// The sending app: its account and its audience, read by one statement so that they fit together.
struct SendingApp {
    account_id: String,
    plan: String,
    active_subscriptions: i64,
    last_position: i64,
    /// The active subscription with the endpoint to which the send is.
    one: Option<i64>,
}

async fn find_sending_app(
    c: &mut DbConnection,
    send: &NewSend,
) -> sqlx::Result<Option<SendingApp>> {
    let app = send.app_id.as_str();
    let hash = match &send.audience {
        Audience::One(endpoint) => Some(endpoint_hash(endpoint)),
        Audience::Everyone | Audience::Listed(_) => None,
    };
    let hash = hash.as_ref().map(|hash| &hash[..]);
    sqlx::query_as!(
        SendingApp,
        r#"SELECT p.account_id, a.plan, p.active_subscriptions, p.last_position,
                  (SELECT s.id FROM subscriptions AS s
                   WHERE s.app_id = p.id AND s.endpoint_hash = $2 AND s.position IS NOT NULL)
                  AS "one?: i64"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
           WHERE p.id = $1 AND p.deleted_at IS NULL"#,
        app,
        hash
    )
    .fetch_optional(c)
    .await
}

/// Whom a send reaches.
enum ResolvedAudience {
    /// So many, with positions up to this one.
    Positions { recipients: i64, up_to: i64 },
    /// The subscriptions with these numbers.
    Numbers(Vec<i64>),
}

impl ResolvedAudience {
    fn recipients(&self) -> i64 {
        match self {
            Self::Positions { recipients, .. } => *recipients,
            Self::Numbers(numbers) => i64::try_from(numbers.len()).unwrap_or(i64::MAX),
        }
    }

    /// The last position of a job that goes by positions.
    fn up_to(&self) -> Option<i64> {
        match self {
            Self::Positions { up_to, .. } => Some(*up_to),
            Self::Numbers(_) => None,
        }
    }

    /// The list of a job that goes by a list.
    fn list(&self) -> sqlx::Result<Option<String>> {
        match self {
            Self::Positions { .. } => Ok(None),
            Self::Numbers(numbers) => number_list(numbers).map(Some),
        }
    }
}

/// `None` when the one subscription asked for is not there.
async fn resolve_audience(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    send: &NewSend,
) -> sqlx::Result<Option<ResolvedAudience>> {
    Ok(match &send.audience {
        Audience::Everyone => Some(ResolvedAudience::Positions {
            recipients: sending_app.active_subscriptions,
            up_to: sending_app.last_position,
        }),
        Audience::One(_) => sending_app
            .one
            .map(|number| ResolvedAudience::Numbers(vec![number])),
        Audience::Listed(endpoints) => Some(ResolvedAudience::Numbers(
            find_listed(c, &send.app_id, endpoints).await?,
        )),
    })
}

/// The numbers of the active subscriptions among those with these endpoints.
async fn find_listed(
    c: &mut DbConnection,
    app: &AppId,
    endpoints: &[Endpoint],
) -> sqlx::Result<Vec<i64>> {
    let (app, hashes) = (app.as_str(), hash_list(endpoints)?);
    sql!(query_scalar [
        r#"SELECT id AS "id!" FROM subscriptions
           WHERE app_id = $2 AND position IS NOT NULL AND endpoint_hash IN ("# HASHES r#")
           ORDER BY position"#
    ] hashes, app)
    .fetch_all(c)
    .await
}

/// A JSON array of hexadecimal hashes.
fn hash_list(endpoints: &[Endpoint]) -> sqlx::Result<String> {
    let hashes: Vec<_> = endpoints.iter().map(hexadecimal_hash).collect();
    serde_json::to_string(&hashes).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn hexadecimal_hash(endpoint: &Endpoint) -> String {
    let mut text = String::with_capacity(64);
    for byte in endpoint_hash(endpoint) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Counts the recipients toward the account's month; `false`, and nothing counted, when they would pass the limit.
async fn charge(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    send: &NewSend,
    recipients: i64,
) -> sqlx::Result<bool> {
    let limit = parse_plan(&sending_app.plan)?
        .max_monthly_sends()
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
    )
    .execute(c)
    .await?;
    Ok(charged.rows_affected() == 1)
}

/// Writes the send down, counts it on its day and queues its first attempt; one to nobody is done at once.
///
/// Three statements, sent together: under load, accepting costs what goes to and from the database's thread.
async fn record(
    c: &mut DbConnection,
    send: &NewSend,
    audience: &ResolvedAudience,
) -> sqlx::Result<()> {
    let recipients = audience.recipients();
    let has_no_recipients = recipients == 0;
    let status = if has_no_recipients {
        SendStatus::Done
    } else {
        SendStatus::Queued
    }
    .as_str();
    let finished_at = has_no_recipients.then_some(send.now.0);
    let (id, app) = (send.id.as_str(), send.app_id.as_str());
    let (content, options) = (&send.notification, &send.options);
    let (title, body, payload) = (content.title(), content.body(), content.payload());
    let url = content.url().map(HttpsUrl::as_str);
    let icon = content.icon().map(HttpsUrl::as_str);
    let badge = content.badge().map(HttpsUrl::as_str);
    let ttl = i64::from(options.ttl.seconds());
    let urgency = options.urgency.map(Urgency::as_str);
    let topic = options.topic.as_ref().map(Topic::as_str);
    let kind = send.actor.kind.as_str();
    let day = send.now.day_number();
    let (up_to, list) = (audience.up_to(), audience.list()?);
    sql!(query [
        "INSERT INTO sends (id, app_id, title, body, url, icon, badge, payload, ttl, urgency, topic,
                            recipients, status, actor_kind, actor_id, actor_name, created_at,
                            finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
        NEXT_STATEMENT
        "INSERT INTO daily_counts (app_id, day, sends) VALUES ($19, $20, 1)
         ON CONFLICT (app_id, day) DO UPDATE SET sends = daily_counts.sends + 1"
        NEXT_STATEMENT
        "INSERT INTO jobs (send_id, app_id, up_to_position, recipients, attempt, due_at)
         SELECT $21, $22, $23, $24, 0, $25 WHERE $26 > 0"
    ] id, app, title, body, url, icon, badge, payload, ttl, urgency, topic, recipients, status, kind,
      send.actor.id, send.actor.name, send.now.0, finished_at,
      app, day,
      id, app, up_to, list, send.now.0, recipients)
    .execute(c)
    .await
    .map(drop)
}
