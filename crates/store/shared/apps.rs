//! Apps: the sites of an account.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Name, UnixMillis};
use hato_service::ports::{
    AppChange, AppRecord, AppStore, ChangeAppOutcome, CreateAppOutcome, NewApp, StoreError,
};

use crate::deleted_apps::{mark_deleted, purge};
use crate::dialect::{DbConnection, lock_app, readers, sql};
use crate::error::with_context;
use crate::origins::parse_origins;
use crate::transaction::transaction;
use crate::values::parse_plan;
use crate::{Database, app_settings};

#[async_trait]
impl AppStore for Database {
    async fn create_app(&self, app: NewApp) -> Result<CreateAppOutcome, StoreError> {
        transaction!(self, "make an app", |c| {
            let limit = max_apps(c, &app.account_id).await?;
            let inserted = sqlx::query!(
                "INSERT INTO apps (id, account_id, name, vapid_public_key, sealed_private_key, created_at)
                 SELECT $1, id, $3, $4, $5, CAST($6 AS BIGINT) FROM accounts
                 WHERE id = $2 AND deleted_at IS NULL
                   AND (SELECT COUNT(*) FROM apps WHERE account_id = $2 AND deleted_at IS NULL) < $7",
                app.id.as_str(),
                app.account_id.as_str(),
                app.name,
                app.vapid_public_key,
                app.sealed_private_key,
                app.created_at.0,
                limit
            );
            Ok(match inserted.execute(c).await?.rows_affected() {
                0 => CreateAppOutcome::LimitReached,
                _ => CreateAppOutcome::Created,
            })
        })
    }

    async fn apps_of(&self, account: &AccountId) -> Result<Vec<AppRecord>, StoreError> {
        sqlx::query_as!(
            AppRow,
            r#"SELECT p.id, p.account_id, p.name, p.vapid_public_key, p.webhook_url, a.plan,
                      p.active_subscriptions, p.created_at, p.site_url, p.tracking, p.origins,
                      p.declarative <> 0 AS "declarative!: bool",
                      p.review_since IS NOT NULL AS "under_review!: bool"
               FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
               WHERE p.account_id = $1 AND p.deleted_at IS NULL ORDER BY p.created_at, p.id"#,
            account.as_str()
        )
        .try_map(AppRow::into_record)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list apps"))
    }

    async fn apps_with_name(
        &self,
        account: &AccountId,
        text: &str,
        first: Option<&AppId>,
        limit: i64,
    ) -> Result<Vec<AppRecord>, StoreError> {
        sqlx::query_as!(
            AppRow,
            r#"SELECT p.id, p.account_id, p.name, p.vapid_public_key, p.webhook_url, a.plan,
                      p.active_subscriptions, p.created_at, p.site_url, p.tracking, p.origins,
                      p.declarative <> 0 AS "declarative!: bool",
                      p.review_since IS NOT NULL AS "under_review!: bool"
               FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
               WHERE p.account_id = $1 AND p.deleted_at IS NULL
                 AND (p.id = $2 OR LOWER(p.name) LIKE LOWER($3) ESCAPE '!')
               ORDER BY p.id <> $2, p.created_at DESC, p.id DESC LIMIT $4"#,
            account.as_str(),
            first.map_or("", AppId::as_str),
            containing(text),
            limit
        )
        .try_map(AppRow::into_record)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("find apps by name"))
    }

    async fn app(&self, app: &AppId) -> Result<Option<AppRecord>, StoreError> {
        sqlx::query_as!(
            AppRow,
            r#"SELECT p.id, p.account_id, p.name, p.vapid_public_key, p.webhook_url, a.plan,
                      p.active_subscriptions, p.created_at, p.site_url, p.tracking, p.origins,
                      p.declarative <> 0 AS "declarative!: bool",
                      p.review_since IS NOT NULL AS "under_review!: bool"
               FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
               WHERE p.id = $1 AND p.deleted_at IS NULL"#,
            app.as_str()
        )
        .try_map(AppRow::into_record)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find an app"))
    }

    async fn rename_app(&self, app: &AppId, name: &Name) -> Result<bool, StoreError> {
        let (app, name) = (app.clone(), name.clone());
        transaction!(self, "rename an app", |c| {
            lock_app(c, &app).await?;
            let renamed = sqlx::query!(
                "UPDATE apps SET name = $2 WHERE id = $1 AND deleted_at IS NULL",
                app.as_str(),
                name.as_str()
            );
            Ok(renamed.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn change_app(
        &self,
        app: &AppId,
        change: AppChange,
    ) -> Result<ChangeAppOutcome, StoreError> {
        let app = app.clone();
        transaction!(self, "change an app", |c| {
            lock_app(c, &app).await?;
            app_settings::change(c, app.as_str(), &change).await
        })
    }

    async fn delete_app(&self, app: &AppId, now: UnixMillis) -> Result<bool, StoreError> {
        let app = app.clone();
        transaction!(self, "delete an app", |c| mark_deleted(c, &app, now).await)
    }

    async fn purge_deleted_apps(&self, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "remove the rows of deleted apps", |c| {
            purge(c, limit.into()).await
        })
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
    under_review: bool,
    site_url: Option<String>,
    declarative: bool,
    tracking: String,
    origins: String,
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
            under_review: self.under_review,
            messages: app_settings::read(self.site_url, self.declarative, &self.tracking)?,
            origins: parse_origins(&self.origins)?,
        })
    }
}

/// The pattern of what has `text` in it, `!` being the escape character. No name that can be searched has U+0000.
fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars().filter(|it| *it != '\0') {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// Most apps of the account. Its row stays locked, so that no concurrent caller counts the same apps.
async fn max_apps(c: &mut DbConnection, account: &AccountId) -> sqlx::Result<i64> {
    let plan =
        sql!(query_scalar ["SELECT plan FROM accounts WHERE id = $1" FOR_UPDATE] account.as_str());
    let plan = parse_plan(&plan.fetch_one(c).await?)?;
    Ok(plan.max_apps().unwrap_or(i64::MAX))
}

/// Whether the app is there, and not deleted.
pub(crate) async fn is_live(c: &mut DbConnection, app: &AppId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM apps WHERE id = $1 AND deleted_at IS NULL) AS "is_live!: bool""#,
        app.as_str()
    )
    .fetch_one(c)
    .await
}
