//! The sites whose pages have subscribed browsers of an app.

use std::iter;

use hato_domain::{AppId, SiteOrigin};
use hato_service::ports::MAX_ORIGINS;

use crate::dialect::{DbConnection, lock_app};
use crate::error::{decode_error, json};

/// The origins of a column.
pub(crate) fn parse_origins(json: &str) -> sqlx::Result<Vec<SiteOrigin>> {
    serde_json::from_str(json).map_err(|_| decode_error("origins"))
}

/// Remembers the site of the page that registers a browser, in the place of the one that was new longest ago. A known one costs a look.
/// Who calls has not written to a subscription yet: the app's row is locked before those (`lock_app`).
pub(crate) async fn remember_origin(
    c: &mut DbConnection,
    app: &AppId,
    origin: &SiteOrigin,
) -> sqlx::Result<()> {
    let known = origins_of(c, app).await?;
    if known.is_none_or(|known| known.contains(origin)) {
        return Ok(());
    }
    // Of two new ones at the same time each has to see the other.
    lock_app(c, app).await?;
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
