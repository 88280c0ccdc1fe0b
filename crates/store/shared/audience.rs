//! Whom a send reaches: everybody who is active at this moment, those with the endpoints that it names, or those who were selected.

use hato_domain::{AppId, Endpoint, PositionSet};
use hato_service::ports::{Audience, NewSend, RecipientId};

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::values::{count_i64, endpoint_hash, hexadecimal_hash};

/// The sending app: its account and its audience, read by one statement so that they fit together.
pub(crate) struct SendingApp {
    pub(crate) account_id: String,
    pub(crate) plan: String,
    active_subscriptions: i64,
    pub(crate) last_position: i64,
    /// The row id of the active subscription with the send's endpoint, if the send is to one and there is such a subscription.
    one: Option<i64>,
}

/// The app that sends; `None` when it is gone, or under review.
pub(crate) async fn find_sending_app(
    c: &mut DbConnection,
    send: &NewSend,
) -> sqlx::Result<Option<SendingApp>> {
    let hash = match &send.audience {
        Audience::One(endpoint) => Some(endpoint_hash(endpoint)),
        Audience::Everyone
        | Audience::Listed(_)
        | Audience::Matching(_)
        | Audience::Selected(..) => None,
    };
    let hash = hash.as_ref().map(|hash| &hash[..]);
    find_app(c, send.app_id.as_str(), hash).await
}

/// The same for a send that is nobody's or everybody's, or to the one with the endpoint of this hash.
pub(crate) async fn find_app(
    c: &mut DbConnection,
    app: &str,
    hash: Option<&[u8]>,
) -> sqlx::Result<Option<SendingApp>> {
    sql!(query_as SendingApp [
        r#"SELECT p.account_id, a.plan, p.active_subscriptions, p.last_position,
                  (SELECT s.id FROM subscriptions AS s
                   WHERE s.app_id = p.id AND s.endpoint_hash = $2 AND s.position IS NOT NULL)
                  AS "one?: i64"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
           WHERE p.id = $1 AND p.deleted_at IS NULL AND p.review_since IS NULL"# KEEP_APP
    ] app, hash)
    .fetch_optional(c)
    .await
}

impl SendingApp {
    /// Everybody of this moment.
    pub(crate) fn everyone(&self) -> ResolvedAudience {
        ResolvedAudience::Positions {
            recipients: self.active_subscriptions,
            up_to: self.last_position,
        }
    }
}

/// Whom a send reaches.
pub(crate) enum ResolvedAudience {
    /// The active subscriptions with positions up to `up_to`, which are `recipients` when the send is accepted.
    Positions { recipients: i64, up_to: i64 },
    /// The subscriptions with these row ids.
    Listed(Vec<RecipientId>),
    /// The subscriptions at these positions.
    Selected(PositionSet),
}

impl ResolvedAudience {
    /// How many it reaches.
    pub(crate) fn recipients(&self) -> i64 {
        match self {
            Self::Positions { recipients, .. } => *recipients,
            Self::Listed(recipients) => count_i64(recipients.len()),
            Self::Selected(positions) => count_i64(positions.len()),
        }
    }
}

/// `None` when the one subscription asked for is not there.
pub(crate) async fn resolve_audience(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    send: &NewSend,
) -> sqlx::Result<Option<ResolvedAudience>> {
    Ok(match &send.audience {
        Audience::Everyone => Some(sending_app.everyone()),
        Audience::One(_) => sending_app
            .one
            .map(|number| ResolvedAudience::Listed(vec![RecipientId(number)])),
        Audience::Listed(endpoints) => Some(ResolvedAudience::Listed(
            find_listed(c, &send.app_id, endpoints).await?,
        )),
        Audience::Selected(_, positions) => Some(ResolvedAudience::Selected(positions.clone())),
        // Who meets the conditions is selected before the transaction; of a scheduled send, when it is due.
        Audience::Matching(_) => Some(ResolvedAudience::Selected(PositionSet::default())),
    })
}

/// The active subscriptions among those with these endpoints.
async fn find_listed(
    c: &mut DbConnection,
    app: &AppId,
    endpoints: &[Endpoint],
) -> sqlx::Result<Vec<RecipientId>> {
    let hashes: Vec<_> = endpoints.iter().map(hexadecimal_hash).collect();
    find_hashed(c, app.as_str(), &hashes).await
}

/// The same by the hashes of the endpoints.
pub(crate) async fn find_hashed(
    c: &mut DbConnection,
    app: &str,
    hashes: &[String],
) -> sqlx::Result<Vec<RecipientId>> {
    let rows = sql!(query [
        r#"SELECT id AS "id!", position FROM subscriptions
           WHERE "# OF_APP("endpoint_hash" IN HASHES)
    ] json(hashes)?, app)
    .fetch_all(c)
    .await?;
    // Asked of the database, both would make SQLite read all that are active instead of the few.
    let active = rows.into_iter().filter(|row| row.position.is_some());
    let mut active: Vec<_> = active.map(|row| (row.position, row.id)).collect();
    active.sort_unstable();
    Ok(active.into_iter().map(|(_, id)| RecipientId(id)).collect())
}
