//! What an owner sets of an app: its webhook, and what it says of its messages (SPEC 4.13, CONTRACT 13).

use hato_domain::{FieldChange, MessageSettings, Plan, SiteUrl, Tracking, WebhookUrl};
use hato_service::ports::{AppChange, ChangeAppOutcome, ChangedApp};

use crate::dialect::{DbConnection, sql};
use crate::error::decode_error;
use crate::webhooks::ensure_webhook;

struct SettingsRow {
    webhook_url: Option<String>,
    site_url: Option<String>,
    declarative: bool,
    tracking: String,
}

/// Changes what is named, all of it or nothing.
pub(crate) async fn change(
    c: &mut DbConnection,
    app: &str,
    change: &AppChange,
) -> sqlx::Result<ChangeAppOutcome> {
    let Some(before) = settings(c, app).await? else {
        return Ok(ChangeAppOutcome::NoApp);
    };
    let stored = read(before.site_url, before.declarative, &before.tracking)?;
    let Ok(messages) = stored.changed(&change.messages) else {
        return Ok(ChangeAppOutcome::SiteRequired);
    };
    let mut webhook_url = before.webhook_url;
    if change.webhook_url != FieldChange::Keep {
        let url = change.webhook_url.value().map(WebhookUrl::as_str);
        if !set_webhook_url(c, app, url).await? {
            return Ok(ChangeAppOutcome::PlanRequired);
        }
        if url.is_some() {
            ensure_webhook(c, app, webhook_url.as_deref() != url).await?;
        }
        webhook_url = url.map(str::to_owned);
    }
    if messages != stored {
        set_messages(c, app, &messages).await?;
    }
    Ok(ChangeAppOutcome::Changed(ChangedApp {
        webhook_url,
        messages,
    }))
}

/// The columns as the domain has them.
pub(crate) fn read(
    site_url: Option<String>,
    declarative: bool,
    tracking: &str,
) -> sqlx::Result<MessageSettings> {
    Ok(MessageSettings {
        site_url: site_url.map(SiteUrl::trusted),
        declarative,
        tracking: Tracking::parse(tracking).map_err(|_| decode_error("tracking"))?,
    })
}

/// What the app has, whose row stays locked; `None` when there is no such app, or it is under review.
async fn settings(c: &mut DbConnection, app: &str) -> sqlx::Result<Option<SettingsRow>> {
    let row = sql!(query_as SettingsRow [
        r#"SELECT webhook_url, site_url, declarative <> 0 AS "declarative!: bool", tracking FROM apps
           WHERE id = $1 AND deleted_at IS NULL AND review_since IS NULL"#
        FOR_UPDATE
    ] app);
    row.fetch_optional(c).await
}

/// Sets the URL; `false` when the plan takes none. Every plan lets its owner remove one.
async fn set_webhook_url(c: &mut DbConnection, app: &str, url: Option<&str>) -> sqlx::Result<bool> {
    let set = sqlx::query!(
        "UPDATE apps SET webhook_url = $2
         WHERE id = $1
           AND (CAST($2 AS TEXT) IS NULL
                OR EXISTS (SELECT 1 FROM accounts AS a WHERE a.id = apps.account_id AND a.plan = $3))",
        app,
        url,
        Plan::FOR_WEBHOOKS.as_str()
    );
    Ok(set.execute(c).await?.rows_affected() == 1)
}

async fn set_messages(
    c: &mut DbConnection,
    app: &str,
    messages: &MessageSettings,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps SET site_url = $2, declarative = $3, tracking = $4 WHERE id = $1",
        app,
        messages.site_url.as_ref().map(SiteUrl::as_str),
        i64::from(messages.declarative),
        messages.tracking.as_str()
    )
    .execute(c)
    .await
    .map(drop)
}
