//! Apps.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Name, Plan, UnixMillis, WebhookUrl};
use hato_service::ports::{
    AppRecord, AppStore, CreateAppOutcome, NewApp, SetWebhookOutcome, StoreError,
};

use crate::Database;
use crate::accounts::parse_plan;
use crate::deleted_apps::{mark_deleted, purge};
use crate::dialect::{DbConnection, readers, sql, write};
use crate::error::with_context;
use crate::webhooks::ensure_webhook;

#[async_trait]
impl AppStore for Database {
    async fn create_app(&self, app: NewApp) -> Result<CreateAppOutcome, StoreError> {
        write(self, "make an app", |c| Box::pin(create(c, app))).await
    }

    async fn apps_of(&self, account: &AccountId) -> Result<Vec<AppRecord>, StoreError> {
        let account = account.as_str();
        let rows = sqlx::query_as!(
            AppRow,
            "SELECT p.id, p.account_id, p.name, p.vapid_public_key, p.webhook_url, a.plan,
                    p.active_subscriptions, p.created_at
             FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
             WHERE p.account_id = $1 AND p.deleted_at IS NULL ORDER BY p.created_at, p.id",
            account
        );
        rows.fetch_all(readers(self))
            .await
            .and_then(|rows| rows.into_iter().map(AppRow::into_record).collect())
            .map_err(with_context("list apps"))
    }

    async fn app(&self, app: &AppId) -> Result<Option<AppRecord>, StoreError> {
        let app = app.as_str();
        let row = sqlx::query_as!(
            AppRow,
            "SELECT p.id, p.account_id, p.name, p.vapid_public_key, p.webhook_url, a.plan,
                    p.active_subscriptions, p.created_at
             FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
             WHERE p.id = $1 AND p.deleted_at IS NULL",
            app
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(AppRow::into_record).transpose())
            .map_err(with_context("find an app"))
    }

    async fn rename_app(&self, app: &AppId, name: &Name) -> Result<bool, StoreError> {
        let (app, name) = (app.clone(), name.clone());
        write(self, "rename an app", move |c| {
            Box::pin(rename(c, app, name))
        })
        .await
    }

    async fn set_webhook(
        &self,
        app: &AppId,
        url: Option<WebhookUrl>,
    ) -> Result<SetWebhookOutcome, StoreError> {
        let app = app.clone();
        write(self, "set a webhook", |c| {
            Box::pin(set_webhook(c, app, url))
        })
        .await
    }

    async fn delete_app(&self, app: &AppId, now: UnixMillis) -> Result<bool, StoreError> {
        let app = app.clone();
        write(self, "delete an app", move |c| {
            Box::pin(mark_deleted(c, app, now))
        })
        .await
    }

    async fn purge_deleted_apps(&self, limit: u32) -> Result<bool, StoreError> {
        write(self, "remove the rows of deleted apps", move |c| {
            Box::pin(purge(c, i64::from(limit)))
        })
        .await
    }
}

struct AppRow {
    id: String,
    account_id: String,
    name: String,
    vapid_public_key: Vec<u8>,
    webhook_url: Option<String>,
    plan: String,
    active_subscriptions: i64,
    created_at: i64,
}

impl AppRow {
    fn into_record(self) -> sqlx::Result<AppRecord> {
        Ok(AppRecord {
            id: AppId::trusted(self.id),
            account_id: AccountId::trusted(self.account_id),
            name: self.name,
            vapid_public_key: self.vapid_public_key,
            webhook_url: self.webhook_url,
            plan: parse_plan(&self.plan)?,
            active_subscriptions: self.active_subscriptions,
            created_at: UnixMillis(self.created_at),
        })
    }
}

async fn create(c: &mut DbConnection, app: NewApp) -> sqlx::Result<CreateAppOutcome> {
    let limit = max_apps(c, &app.account_id).await?;
    Ok(if insert_within(c, &app, limit).await? {
        CreateAppOutcome::Created
    } else {
        CreateAppOutcome::LimitReached
    })
}

/// Most apps of the account. Its row stays locked, so that no concurrent caller counts the same apps.
async fn max_apps(c: &mut DbConnection, account: &AccountId) -> sqlx::Result<i64> {
    let account = account.as_str();
    let text = sql!(query_scalar ["SELECT plan FROM accounts WHERE id = $1" FOR_UPDATE] account)
        .fetch_one(c)
        .await?;
    Ok(parse_plan(&text)?.max_apps().unwrap_or(i64::MAX))
}

async fn insert_within(c: &mut DbConnection, app: &NewApp, limit: i64) -> sqlx::Result<bool> {
    let (id, account, created_at) = (app.id.as_str(), app.account_id.as_str(), app.created_at.0);
    let inserted = sqlx::query!(
        "INSERT INTO apps (id, account_id, name, vapid_public_key, sealed_private_key, created_at)
         SELECT $1, id, $3, $4, $5, CAST($6 AS BIGINT) FROM accounts
         WHERE id = $2 AND deleted_at IS NULL
           AND (SELECT COUNT(*) FROM apps WHERE account_id = $2 AND deleted_at IS NULL) < $7",
        id,
        account,
        app.name,
        app.vapid_public_key,
        app.sealed_private_key,
        created_at,
        limit
    )
    .execute(c)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

async fn rename(c: &mut DbConnection, app: AppId, name: Name) -> sqlx::Result<bool> {
    let (app, name) = (app.as_str(), name.as_str());
    let renamed = sqlx::query!(
        "UPDATE apps SET name = $2 WHERE id = $1 AND deleted_at IS NULL",
        app,
        name
    )
    .execute(c)
    .await?;
    Ok(renamed.rows_affected() == 1)
}

async fn set_webhook(
    c: &mut DbConnection,
    app: AppId,
    url: Option<WebhookUrl>,
) -> sqlx::Result<SetWebhookOutcome> {
    let (app, url) = (app.as_str(), url.as_ref().map(WebhookUrl::as_str));
    let plan = Plan::FOR_WEBHOOKS.as_str();
    let before = webhook_url(c, app).await?;
    let set = sqlx::query!(
        "UPDATE apps SET webhook_url = $2
         WHERE id = $1 AND deleted_at IS NULL
           AND (CAST($2 AS TEXT) IS NULL
                OR account_id IN (SELECT id FROM accounts WHERE plan = $3))",
        app,
        url,
        plan
    )
    .execute(&mut *c)
    .await?;
    if set.rows_affected() == 1 {
        if url.is_some() {
            ensure_webhook(c, app, before.as_deref() != url).await?;
        }
        return Ok(SetWebhookOutcome::Done);
    }
    let app_exists = exists(c, app).await?;
    Ok(if app_exists {
        SetWebhookOutcome::PlanRequired
    } else {
        SetWebhookOutcome::NoApp
    })
}

async fn webhook_url(c: &mut DbConnection, app: &str) -> sqlx::Result<Option<String>> {
    let url = sqlx::query_scalar!("SELECT webhook_url FROM apps WHERE id = $1", app);
    Ok(url.fetch_optional(c).await?.flatten())
}

async fn exists(c: &mut DbConnection, app: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM apps WHERE id = $1 AND deleted_at IS NULL) AS "it!: bool""#,
        app
    )
    .fetch_one(c)
    .await
}
