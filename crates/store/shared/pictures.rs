//! The pictures of apps. Whoever adds one locks the app, so that two together do not pass the limit.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    AddPictureOutcome, MAX_PICTURES, NewPicture, PictureRecord, PictureStore, StoreError,
};

use crate::Database;
use crate::dialect::{DbConnection, lock_app_alone, readers};
use crate::error::with_context;
use crate::transaction::transaction;

#[async_trait]
impl PictureStore for Database {
    async fn pictures_of(&self, app: &AppId) -> Result<Vec<PictureRecord>, StoreError> {
        let rows = sqlx::query!(
            "SELECT name, is_icon, created_at FROM pictures WHERE app_id = $1
             ORDER BY created_at DESC, name",
            app.as_str()
        );
        let rows = rows.fetch_all(readers(self)).await;
        let rows = rows.map_err(with_context("list pictures"))?;
        let records = rows.into_iter().map(|row| PictureRecord {
            name: row.name,
            is_icon: row.is_icon == 1,
            created_at: UnixMillis(row.created_at),
        });
        Ok(records.collect())
    }

    async fn picture(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let content = sqlx::query_scalar!(
            "SELECT i.content FROM pictures AS i JOIN apps AS p ON p.id = i.app_id
             WHERE i.name = $1 AND p.deleted_at IS NULL",
            name
        );
        let content = content.fetch_optional(readers(self)).await;
        content.map_err(with_context("read a picture"))
    }

    async fn add_picture(&self, picture: NewPicture) -> Result<AddPictureOutcome, StoreError> {
        transaction!(self, "keep a picture", |c| add(c, &picture).await)
    }

    async fn make_icon(&self, app: &AppId, name: &str) -> Result<bool, StoreError> {
        let (app, name) = (app.clone(), name.to_owned());
        transaction!(self, "make a picture the icon", |c| {
            make_icon(c, app.as_str(), &name).await
        })
    }

    async fn delete_picture(&self, app: &AppId, name: &str) -> Result<bool, StoreError> {
        let (app, name) = (app.clone(), name.to_owned());
        transaction!(self, "delete a picture", |c| {
            let deleted = sqlx::query!(
                "DELETE FROM pictures WHERE app_id = $1 AND name = $2",
                app.as_str(),
                name
            );
            Ok(deleted.execute(c).await?.rows_affected() == 1)
        })
    }
}

async fn add(c: &mut DbConnection, picture: &NewPicture) -> sqlx::Result<AddPictureOutcome> {
    let app = picture.app_id.as_str();
    lock_app_alone(c, app).await?;
    match count_others(c, picture).await? {
        None => return Ok(AddPictureOutcome::NoApp),
        Some(others) if others >= MAX_PICTURES => return Ok(AddPictureOutcome::LimitReached),
        Some(_) => {}
    }
    sqlx::query!(
        "INSERT INTO pictures (app_id, name, created_at, content) VALUES ($1, $2, $3, $4)
         ON CONFLICT (app_id, name) DO NOTHING",
        app,
        picture.name,
        picture.created_at.0,
        picture.content
    )
    .execute(c)
    .await?;
    Ok(AddPictureOutcome::Kept)
}

/// How many other pictures the app has; `None` when it is gone.
async fn count_others(c: &mut DbConnection, picture: &NewPicture) -> sqlx::Result<Option<i64>> {
    let others = sqlx::query_scalar!(
        r#"SELECT (SELECT COUNT(*) FROM pictures AS i WHERE i.app_id = $1 AND i.name <> $2)
                  AS "others!: i64"
           FROM apps AS p WHERE p.id = $1 AND p.deleted_at IS NULL"#,
        picture.app_id.as_str(),
        picture.name
    );
    others.fetch_optional(c).await
}

async fn make_icon(c: &mut DbConnection, app: &str, name: &str) -> sqlx::Result<bool> {
    lock_app_alone(c, app).await?;
    let made = sqlx::query!(
        "UPDATE pictures SET is_icon = 1 WHERE app_id = $1 AND name = $2",
        app,
        name
    );
    if made.execute(&mut *c).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let before = sqlx::query!(
        "UPDATE pictures SET is_icon = 0 WHERE app_id = $1 AND name <> $2 AND is_icon = 1",
        app,
        name
    );
    before.execute(c).await.map(|_| true)
}
