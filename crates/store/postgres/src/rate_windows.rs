//! Windows of rate limits that all processes of a database share (CONTRACT 3, 17).
//!
//! A request that counts is one small write, also where a client and its site are counted; whether the window is full is a condition of
//! that write, so requests at several processes do not pass the limit together. A request that a full window refuses writes nothing. Time
//! is the database's, which is the same for all.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use hato_domain::ErrorCode;
use hato_service::ports::{EntranceWindow, RateWindow, RequestLimit, Store as _, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, readers};
use crate::error::with_context;
use crate::transaction::transaction;

/// How long a window lasts, milliseconds. One that opened in the future was so by a clock that has been set back, and counts while it
/// is less than a window away.
const WINDOW: i64 = ErrorCode::RATE_LIMIT_WINDOW.cast_signed() * 1_000;

/// After so many requests that were counted, who counts removes windows that have ended: more than those requests can have opened, so
/// that the table stays small where no process sweeps.
const REQUESTS_PER_PURGE: u64 = 100;
const PURGED_AT_ONCE: u32 = 500;

/// The windows of one limit.
pub(crate) struct SharedWindow {
    pub(crate) database: Arc<Database>,
    pub(crate) limit: RequestLimit,
}

/// The windows of clients and those of their sites.
pub(crate) struct SharedEntrance {
    pub(crate) database: Arc<Database>,
    pub(crate) client: RequestLimit,
    pub(crate) site: RequestLimit,
}

/// A limit, and whom a request counts for.
type ClientWindow = (RequestLimit, IpAddr);

/// The same where that may be nobody.
type CountedSite = (RequestLimit, Option<IpAddr>);

#[async_trait]
impl EntranceWindow for SharedEntrance {
    async fn count(&self, client: IpAddr, site: Option<IpAddr>) -> Result<bool, StoreError> {
        count_request(&self.database, (self.client, client), (self.site, site)).await
    }
}

#[async_trait]
impl RateWindow for SharedWindow {
    async fn count(&self, client: IpAddr) -> Result<bool, StoreError> {
        count_request(&self.database, (self.limit, client), (self.limit, None)).await
    }

    async fn is_reached(&self, client: IpAddr) -> Result<bool, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM rate_windows
                              WHERE counted = $1 AND client = $2 AND requests >= $3
                                AND ABS(opened_at - CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT)) < $4)
               AS "is_reached!""#,
            self.limit.0.as_str(),
            &octets(client),
            i64::from(self.limit.1),
            WINDOW
        )
        .fetch_one(readers(&self.database))
        .await
        .map_err(with_context("look at a window"))
    }

    async fn uncount(&self, client: IpAddr) -> Result<(), StoreError> {
        let counted = self.limit.0;
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

async fn count_request(
    database: &Database,
    client: ClientWindow,
    site: CountedSite,
) -> Result<bool, StoreError> {
    let is_counted = transaction!(database, "count in a window", |c| {
        count(c, client, site).await
    })?;
    if is_counted {
        purge_now_and_then(database).await;
    }
    Ok(is_counted)
}

async fn purge_now_and_then(database: &Database) {
    let before = database.counted_requests.fetch_add(1, Ordering::Relaxed);
    if before % REQUESTS_PER_PURGE < REQUESTS_PER_PURGE - 1 {
        return;
    }
    if let Err(error) = database.purge_rate_windows(PURGED_AT_ONCE).await {
        tracing::warn!(%error, "ended windows cannot be removed");
    }
}

/// Counts one more of the client, and then of its site, unless one of both windows is full. That is looked for first, so that a refusal
/// writes nothing and takes no lock.
async fn count(
    c: &mut DbConnection,
    ((counted, limit), client): ClientWindow,
    ((of_site, site_limit), site): CountedSite,
) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"WITH moment AS (SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) AS now),
           of_client AS (
             INSERT INTO rate_windows AS w (counted, client, opened_at, requests)
             SELECT CAST($1 AS TEXT), CAST($2 AS BYTEA), now, 1 FROM moment
             WHERE NOT EXISTS (SELECT 1 FROM rate_windows AS f WHERE f.counted = $1 AND f.client = $2
                                 AND f.requests >= $3 AND ABS(f.opened_at - now) < $4)
               AND NOT EXISTS (SELECT 1 FROM rate_windows AS f WHERE f.counted = $5 AND f.client = $6
                                 AND f.requests >= $7 AND ABS(f.opened_at - now) < $4)
             ON CONFLICT (counted, client) DO UPDATE SET
               opened_at = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4 THEN w.opened_at ELSE excluded.opened_at END,
               requests = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4 THEN w.requests + 1 ELSE 1 END
             WHERE w.requests < $3 OR ABS(w.opened_at - excluded.opened_at) >= $4
             RETURNING 1),
           of_site AS (
             INSERT INTO rate_windows AS w (counted, client, opened_at, requests)
             SELECT CAST($5 AS TEXT), CAST($6 AS BYTEA), now, 1 FROM moment, of_client
             WHERE $6 IS NOT NULL
             ON CONFLICT (counted, client) DO UPDATE SET
               opened_at = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4 THEN w.opened_at ELSE excluded.opened_at END,
               requests = CASE WHEN ABS(w.opened_at - excluded.opened_at) < $4 THEN w.requests + 1 ELSE 1 END
             WHERE w.requests < $7 OR ABS(w.opened_at - excluded.opened_at) >= $4
             RETURNING 1)
           SELECT EXISTS (SELECT FROM of_client) AND ($6 IS NULL OR EXISTS (SELECT FROM of_site)) AS "is_counted!""#,
        counted.as_str(),
        &octets(client),
        i64::from(limit),
        WINDOW,
        of_site.as_str(),
        site.map(octets),
        i64::from(site_limit)
    )
    .fetch_one(c)
    .await
}

/// Removes at most `limit` windows that have ended, and returns whether that many were removed. One that opens anew meanwhile is kept.
pub(crate) async fn purge(c: &mut DbConnection, limit: i64) -> sqlx::Result<bool> {
    let removed = sqlx::query!(
        "DELETE FROM rate_windows
         WHERE (counted, client) IN
                 (SELECT counted, client FROM rate_windows
                  WHERE opened_at <= CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) - $1
                  ORDER BY opened_at LIMIT $2 FOR UPDATE SKIP LOCKED)
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
