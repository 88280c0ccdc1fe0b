//! Those whom events name, as receivers know them.

use hato_domain::{Endpoint, SubscriptionId};
use hato_service::ports::{IdRange, RecipientId, ReportedRecipient};

use crate::Database;
use crate::dialect::{readers, sql};
use crate::error::json;

struct ReportedRecipientRow {
    id: i64,
    public_id: String,
    endpoint: String,
}

/// The subscriptions with numbers in these ranges, in the order of their numbers.
pub(crate) async fn reported_recipients(
    database: &Database,
    ranges: &[IdRange],
) -> sqlx::Result<Vec<ReportedRecipient>> {
    if ranges.is_empty() {
        return Ok(Vec::new());
    }
    let ranges: Vec<[i64; 2]> = ranges
        .iter()
        .map(|range| [range.first.0, range.last.0])
        .collect();
    let ranges = json(&ranges)?;
    let rows = sql!(query_as ReportedRecipientRow [
        r#"SELECT s.id AS "id!", s.public_id AS "public_id!", s.endpoint AS "endpoint!"
           FROM ("# RANGES r#") AS r CROSS JOIN subscriptions AS s
           WHERE s.id BETWEEN r.low AND r.high"#
    ] ranges)
    .fetch_all(readers(database))
    .await?;
    let mut recipients: Vec<_> = rows.into_iter().map(ReportedRecipient::from).collect();
    recipients.sort_unstable_by_key(|recipient| recipient.id);
    Ok(recipients)
}

impl From<ReportedRecipientRow> for ReportedRecipient {
    fn from(row: ReportedRecipientRow) -> Self {
        Self {
            id: RecipientId(row.id),
            subscription_id: SubscriptionId::trusted(row.public_id),
            endpoint: Endpoint::trusted(row.endpoint),
        }
    }
}
