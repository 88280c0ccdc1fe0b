//! Reviews of apps whose account a login through GitHub took over: nothing that was made before acts until its owner has decided. What is
//! scheduled does not start meanwhile (`scheduled_sends.rs`), and is decided about like what is held.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, SendId, UnixMillis};
use hato_service::ports::{ReviewConclusion, ReviewStore, SendRecord, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, lock_app_alone, lock_apps_alone, readers};
use crate::error::with_context;
use crate::keys::delete;
use crate::sends::sends;
use crate::transaction::transaction;

#[async_trait]
impl ReviewStore for Database {
    async fn held_sends(&self, app: &AppId, limit: i64) -> Result<Vec<SendRecord>, StoreError> {
        sends!(
            ["id IN (SELECT send_id FROM jobs WHERE app_id = $1 AND held = 1
                     UNION
                     SELECT id FROM sends WHERE app_id = $1 AND waits_until IS NOT NULL)
                AND cancelled_at IS NULL
              ORDER BY created_at DESC, id DESC LIMIT $2"]
            app.as_str(), limit
        )
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list held sends"))
    }

    async fn held_send_ids(&self, app: &AppId) -> Result<Vec<SendId>, StoreError> {
        sqlx::query!(
            r#"SELECT j.send_id AS "id!" FROM jobs AS j JOIN sends AS s ON s.id = j.send_id
               WHERE j.app_id = $1 AND j.held = 1 AND s.cancelled_at IS NULL
               UNION
               SELECT id FROM sends WHERE app_id = $1 AND waits_until IS NOT NULL"#,
            app.as_str()
        )
        .map(|row| SendId::trusted(row.id))
        .fetch_all(readers(self))
        .await
        .map_err(with_context("find held sends"))
    }

    async fn conclude_review(&self, conclusion: ReviewConclusion) -> Result<bool, StoreError> {
        transaction!(self, "conclude a review", |c| conclude(c, conclusion).await)
    }
}

/// Puts the account's apps under review, in the transaction that gives the account to somebody. An outbox that is claimed is taken
/// from its holder: an event that is just being posted comes again afterwards, under its id.
pub(crate) async fn begin(
    c: &mut DbConnection,
    account: &AccountId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let account = account.as_str();
    lock_apps_alone(c, account).await?;
    sqlx::query!(
        "UPDATE apps SET review_since = $2
         WHERE account_id = $1 AND deleted_at IS NULL AND review_since IS NULL",
        account,
        now.0
    )
    .execute(&mut *c)
    .await?;
    hold_jobs(c, account).await?;
    stop_outboxes(c, account).await
}

async fn hold_jobs(c: &mut DbConnection, account: &str) -> sqlx::Result<()> {
    let held = sqlx::query!(
        "UPDATE jobs SET held = 1 WHERE app_id IN (SELECT id FROM apps WHERE account_id = $1)",
        account
    );
    held.execute(c).await.map(drop)
}

async fn stop_outboxes(c: &mut DbConnection, account: &str) -> sqlx::Result<()> {
    let stopped = sqlx::query!(
        "UPDATE webhooks SET due_at = NULL, claimed = 0, lease_token = lease_token + 1
         WHERE app_id IN (SELECT id FROM apps WHERE account_id = $1)",
        account
    );
    stopped.execute(c).await.map(drop)
}

async fn conclude(c: &mut DbConnection, conclusion: ReviewConclusion) -> sqlx::Result<bool> {
    let app = conclusion.app.as_str();
    // A page that is settled meanwhile has read that its retries are held: they are there before the jobs are released.
    lock_app_alone(c, app).await?;
    if !end(c, app).await? {
        return Ok(false);
    }
    for key in conclusion.deleted_keys {
        delete(c, key).await?;
    }
    forget_unused_identity_secret(c, app).await?;
    if conclusion.keeps_webhook {
        post_old_events(c, app, conclusion.old_events, conclusion.now).await?;
    } else {
        forget_webhook(c, app).await?;
    }
    release_jobs(c, app).await?;
    start_outbox(c, app, conclusion.now).await?;
    Ok(true)
}

/// Ends the review; `false` when there is none.
async fn end(c: &mut DbConnection, app: &str) -> sqlx::Result<bool> {
    let ended = sqlx::query!(
        "UPDATE apps SET review_since = NULL
         WHERE id = $1 AND review_since IS NOT NULL AND deleted_at IS NULL",
        app
    );
    Ok(ended.execute(c).await?.rows_affected() > 0)
}

async fn release_jobs(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    let released = sqlx::query!(
        "UPDATE jobs SET held = 0 WHERE app_id = $1 AND held = 1",
        app
    );
    released.execute(c).await.map(drop)
}

async fn start_outbox(c: &mut DbConnection, app: &str, now: UnixMillis) -> sqlx::Result<()> {
    let started = sqlx::query!(
        "UPDATE webhooks SET due_at = $2 WHERE app_id = $1",
        app,
        now.0
    );
    started.execute(c).await.map(drop)
}

/// What has become too old while it waited is posted all the same, once: as a resend, which is made whatever its age.
async fn post_old_events(
    c: &mut DbConnection,
    app: &str,
    before: UnixMillis,
    now: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE webhook_events SET due_at = NULL, resend_at = $3
         WHERE app_id = $1 AND due_at IS NOT NULL AND created_at < $2",
        app,
        before.0,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Removes what proves users, of an app of which no key was kept: its secrets could be read, and no page of before goes on.
async fn forget_unused_identity_secret(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps SET sealed_identity_secret = NULL, sealed_previous_identity_secret = NULL,
                         previous_identity_secret_expires_at = NULL
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM api_keys WHERE app_id = $1)",
        app
    )
    .execute(c)
    .await
    .map(drop)
}

/// Removes the URL, and the secrets: a webhook that is set later must not be signed with one that somebody else has seen.
async fn forget_webhook(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    sqlx::query!("UPDATE apps SET webhook_url = NULL WHERE id = $1", app)
        .execute(&mut *c)
        .await?;
    sqlx::query!(
        "UPDATE webhooks SET sealed_secret = NULL, sealed_previous_secret = NULL,
                             previous_secret_expires_at = NULL
         WHERE app_id = $1",
        app
    )
    .execute(c)
    .await
    .map(drop)
}
