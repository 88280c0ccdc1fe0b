//! The sites whose pages have subscribed browsers of an app.

use hato_domain::{AppId, SiteOrigin};
use hato_service::ports::MAX_ORIGINS;

use crate::dialect::DbConnection;
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
    let found = sqlx::query_scalar!("SELECT origins FROM apps WHERE id = $1", app.as_str());
    let Some(known) = found.fetch_optional(&mut *c).await? else {
        return Ok(());
    };
    let mut origins = parse_origins(&known)?;
    if origins.contains(origin) {
        return Ok(());
    }
    origins.insert(0, origin.clone());
    origins.truncate(MAX_ORIGINS);
    write_origins(c, app, &origins).await
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
