//! Windows of rate limits that all processes of a database share (CONTRACT 3, 17).
//!
//! A request that counts is one small write; whether the window is full is a condition of that write, so requests at several processes
//! do not pass the limit together. A request that a full window refuses writes nothing. Time is the database's, which is the same for
//! all.

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use hato_domain::ErrorCode;
use hato_service::ports::{CountedRequest, RateWindow, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, readers, transaction};
use crate::error::with_context;

/// How long a window lasts, milliseconds. One that opened in the future was so by a clock that has been set back, and counts while it
/// is less than a window away.
const WINDOW: i64 = ErrorCode::RATE_LIMIT_WINDOW.cast_signed() * 1_000;

/// The windows of one limit.
pub(crate) struct SharedWindow {
    pub(crate) database: Arc<Database>,
    pub(crate) counted: CountedRequest,
    pub(crate) limit: u32,
}

#[async_trait]
impl RateWindow for SharedWindow {
    async fn count(&self, client: IpAddr) -> Result<bool, StoreError> {
        let (counted, limit) = (self.counted, i64::from(self.limit));
        transaction!(&self.database, "count in a window", |c| {
            count(c, counted, &octets(client), limit).await
        })
    }

    async fn is_reached(&self, client: IpAddr) -> Result<bool, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM rate_windows
                              WHERE counted = $1 AND client = $2 AND requests >= $3
                                AND ABS(opened_at - CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT)) < $4)
               AS "is_reached!""#,
            self.counted.as_str(),
            &octets(client),
            i64::from(self.limit),
            WINDOW
        )
        .fetch_one(readers(&self.database))
        .await
        .map_err(with_context("look at a window"))
    }

    async fn uncount(&self, client: IpAddr) -> Result<(), StoreError> {
        let counted = self.counted;
        transaction!(&self.database, "take a count back", |c| {
            sqlx::query!(
                "UPDATE rate_windows SET requests = requests - 1
                 WHERE counted = $1 AND client = $2 AND requests > 0",
                counted.as_str(),
                &octets(client)
            )
            .execute(c)
            .await
            .map(drop)
        })
    }
}

/// Counts one more unless the window is full. That is looked for first, so that a refusal takes no lock.
async fn count(
    c: &mut DbConnection,
    counted: CountedRequest,
    client: &[u8],
    limit: i64,
) -> sqlx::Result<bool> {
    let counted = sqlx::query!(
        "WITH moment AS (SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) AS now)
         INSERT INTO rate_windows AS w (counted, client, opened_at, requests)
         SELECT CAST($1 AS TEXT), CAST($2 AS BYTEA), moment.now, 1 FROM moment
         WHERE NOT EXISTS (SELECT 1 FROM rate_windows AS f
                           WHERE f.counted = $1 AND f.client = $2 AND f.requests >= $3
                             AND ABS(f.opened_at - moment.now) < $4)
         ON CONFLICT (counted, client) DO UPDATE
         SET opened_at = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4
                              THEN w.opened_at ELSE excluded.opened_at END,
             requests = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4
                             THEN w.requests + 1 ELSE 1 END
         WHERE w.requests < $3 OR ABS(w.opened_at - excluded.opened_at) >= $4",
        counted.as_str(),
        client,
        limit,
        WINDOW
    );
    Ok(counted.execute(c).await?.rows_affected() == 1)
}

/// Removes at most `limit` windows that have ended, and returns whether that many were removed. One that opens anew meanwhile is kept.
pub(crate) async fn purge(c: &mut DbConnection, limit: i64) -> sqlx::Result<bool> {
    let removed = sqlx::query!(
        "DELETE FROM rate_windows
         WHERE (counted, client) IN
                 (SELECT counted, client FROM rate_windows
                  WHERE opened_at <= CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) - $1
                  ORDER BY opened_at LIMIT $2)
           AND opened_at <= CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) - $1",
        WINDOW,
        limit
    );
    let removed = removed.execute(c).await?;
    Ok(i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) >= limit)
}

fn octets(client: IpAddr) -> Vec<u8> {
    match client {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}
