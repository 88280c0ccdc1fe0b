//! The sites whose pages have subscribed browsers of an app.

use std::iter;

use hato_domain::{AppId, SiteOrigin};
use hato_service::ports::{MAX_ORIGINS, NewSubscription};

use crate::dialect::{DbConnection, lock_app};
use crate::error::{decode_error, json};

/// The origins of a column.
pub(crate) fn parse_origins(json: &str) -> sqlx::Result<Vec<SiteOrigin>> {
    serde_json::from_str(json).map_err(|_| decode_error("origins"))
}

/// The site of the page that registers a browser, if it is new to the app, which is locked then: of two new ones at the same time each
/// has to see the other. Who calls has not written to a subscription yet, as the app's row is locked before those (`lock_app`).
pub(crate) async fn new_origin<'s>(
    c: &mut DbConnection,
    subscription: &'s NewSubscription,
) -> sqlx::Result<Option<&'s SiteOrigin>> {
    let (app, Some(origin)) = (&subscription.app_id, &subscription.origin) else {
        return Ok(None);
    };
    let known = origins_of(c, app).await?;
    if known.is_none_or(|known| known.contains(origin)) {
        return Ok(None);
    }
    lock_app(c, app).await?;
    Ok(Some(origin))
}

/// Remembers a new site of an app that is locked, in the place of the one that was new longest ago.
pub(crate) async fn remember_origin(
    c: &mut DbConnection,
    app: &AppId,
    origin: &SiteOrigin,
) -> sqlx::Result<()> {
    let origins = origins_of(c, app).await?.unwrap_or_default();
    if origins.contains(origin) {
        return Ok(());
    }
    let others = origins.into_iter().take(MAX_ORIGINS - 1);
    let origins: Vec<_> = iter::once(origin.clone()).chain(others).collect();
    write_origins(c, app, &origins).await
}

/// What an app knows; `None` when it is gone.
async fn origins_of(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Option<Vec<SiteOrigin>>> {
    let found = sqlx::query_scalar!("SELECT origins FROM apps WHERE id = $1", app.as_str());
    let origins = found.fetch_optional(c).await?;
    origins.as_deref().map(parse_origins).transpose()
}

async fn write_origins(
    c: &mut DbConnection,
    app: &AppId,
    origins: &[SiteOrigin],
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps SET origins = $2 WHERE id = $1",
        app.as_str(),
        json(&origins)?
    )
    .execute(c)
    .await
    .map(drop)
}
