//! Subscriptions as lists show them, newest first, all or those that a search finds.
//!
//! No index helps to find a part of a text, so a search looks at the app's subscriptions one by one. What one page costs is
//! bounded by how many it looks at, not by how many it finds: a page may come back short, or empty, and yet say where the next
//! one begins.

use hato_domain::{AppId, SubscriptionId, UnixMillis};
use hato_service::ports::{
    Deactivated, DeactivationReason, StateFilter, SubscriptionFilter, SubscriptionPage,
    SubscriptionRecord,
};

use crate::Database;
use crate::dialect::readers;
use crate::error::decode_error;

/// Most subscriptions that a search looks at for one page.
const MAX_SCANNED: i64 = 20_000;

/// A page, from the newest or from `before` on.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    filter: &SubscriptionFilter,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<SubscriptionPage> {
    let window = if *filter == SubscriptionFilter::default() {
        limit + 1
    } else {
        MAX_SCANNED
    };
    let rows = found(database, app, filter, before, limit + 1, window).await?;
    let exhausted = rows.first().is_none_or(|row| row.looked_at < window);
    let end = rows.first().and_then(|row| row.oldest);
    let mut found: Vec<FoundRow> = rows.into_iter().filter(|row| row.id.is_some()).collect();
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count > limit);
    let kept = usize::try_from(limit).unwrap_or(usize::MAX);
    found.truncate(kept);
    let next = if is_full {
        found.last().and_then(|row| row.id)
    } else {
        end.filter(|_| !exhausted)
    };
    let items: sqlx::Result<_> = found.into_iter().map(FoundRow::into_record).collect();
    Ok(SubscriptionPage {
        items: items?,
        next,
    })
}

/// A subscription that was found, beside how many were looked at and which of them was the oldest. When none was found,
/// there is one row without a subscription.
struct FoundRow {
    looked_at: i64,
    oldest: Option<i64>,
    id: Option<i64>,
    public_id: Option<String>,
    endpoint: Option<String>,
    platform: Option<String>,
    deactivated_at: Option<i64>,
    deactivation_reason: Option<String>,
    created_at: Option<i64>,
}

async fn found(
    database: &Database,
    app: &AppId,
    filter: &SubscriptionFilter,
    before: Option<i64>,
    most: i64,
    window: i64,
) -> sqlx::Result<Vec<FoundRow>> {
    sqlx::query_as!(
        FoundRow,
        r#"WITH looked AS MATERIALIZED (
             SELECT id, public_id, endpoint, platform, deactivated_at, deactivation_reason, created_at
             FROM subscriptions WHERE app_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3),
           matching AS (
             SELECT * FROM looked
             WHERE (LOWER(endpoint) LIKE LOWER($4) ESCAPE '\'
                    OR LOWER(COALESCE(platform, '')) LIKE LOWER($4) ESCAPE '\')
               AND ($5 = 'any' OR (deactivated_at IS NULL) = ($5 = 'active'))
             ORDER BY id DESC LIMIT $6)
           SELECT seen.n AS "looked_at!: i64", seen.oldest AS "oldest?: i64", m.id AS "id?",
                  m.public_id AS "public_id?", m.endpoint AS "endpoint?", m.platform AS "platform?",
                  m.deactivated_at AS "deactivated_at?",
                  m.deactivation_reason AS "deactivation_reason?", m.created_at AS "created_at?"
           FROM (SELECT COUNT(*) AS n, MIN(id) AS oldest FROM looked) AS seen
                LEFT JOIN matching AS m ON TRUE
           ORDER BY m.id DESC"#,
        app.as_str(),
        before.unwrap_or(i64::MAX),
        window,
        pattern(&filter.text),
        state(filter.state),
        most
    )
    .fetch_all(readers(database))
    .await
}

/// A LIKE pattern for texts that contain this one.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

const fn state(filter: StateFilter) -> &'static str {
    match filter {
        StateFilter::Any => "any",
        StateFilter::Active => "active",
        StateFilter::Deactivated => "deactivated",
    }
}

impl FoundRow {
    fn into_record(self) -> sqlx::Result<SubscriptionRecord> {
        let missing = || decode_error("subscription");
        Ok(SubscriptionRecord {
            deactivated: self.deactivated()?,
            id: SubscriptionId::trusted(self.public_id.ok_or_else(missing)?),
            endpoint: self.endpoint.ok_or_else(missing)?,
            platform: self.platform,
            created_at: UnixMillis(self.created_at.ok_or_else(missing)?),
        })
    }

    fn deactivated(&self) -> sqlx::Result<Option<Deactivated>> {
        let Some(at) = self.deactivated_at.map(UnixMillis) else {
            return Ok(None);
        };
        let reason = self.deactivation_reason.as_deref();
        let reason = reason.and_then(DeactivationReason::parse);
        Ok(Some(Deactivated {
            at,
            reason: reason.ok_or_else(|| decode_error("deactivation_reason"))?,
        }))
    }
}
