//! Claiming an outbox: which one is due, and the lease on it.

use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{NextOutbox, OutboxClaimRequest, OutboxLease};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};

/// When the outbox that comes next is due, slow ones left out unless they are asked for.
pub(crate) async fn next_due(
    database: &Database,
    include_slow: bool,
) -> sqlx::Result<Option<UnixMillis>> {
    let due = sqlx::query_scalar!(
        r#"SELECT due_at AS "due_at!" FROM webhooks WHERE due_at IS NOT NULL AND (slow = 0 OR $1)
           ORDER BY due_at LIMIT 1"#,
        include_slow
    )
    .fetch_optional(readers(database))
    .await?;
    Ok(due.map(UnixMillis))
}

struct OutboxRow {
    app_id: String,
    lease_token: i64,
    slow: i64,
}

impl From<OutboxRow> for OutboxLease {
    fn from(row: OutboxRow) -> Self {
        Self {
            app_id: AppId::trusted(row.app_id),
            token: row.lease_token,
            is_slow: row.slow == 1,
        }
    }
}

/// Claims the outbox that has been due longest.
pub(crate) async fn claim_due(
    c: &mut DbConnection,
    claim: OutboxClaimRequest,
) -> sqlx::Result<NextOutbox> {
    let until = claim.now.plus(claim.lease);
    let row = sql!(query_as OutboxRow [
        r#"WITH due AS MATERIALIZED (
             SELECT app_id FROM webhooks WHERE due_at <= $1 AND (slow = 0 OR $3)
             ORDER BY due_at LIMIT 1"# SKIP_LOCKED r#"
           )
           UPDATE webhooks SET due_at = $2, lease_token = lease_token + 1, claimed = 1
           WHERE app_id IN (SELECT app_id FROM due)
           RETURNING app_id AS "app_id!", lease_token AS "lease_token!", slow AS "slow!""#
    ] claim.now.0, until.0, claim.include_slow)
    .fetch_optional(c)
    .await?;
    Ok(match row {
        Some(row) => NextOutbox::Claimed(row.into()),
        None => NextOutbox::Idle { next_due: None },
    })
}
