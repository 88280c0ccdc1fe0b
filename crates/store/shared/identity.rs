//! The identity secrets of apps.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{IdentityStore, SealedSecrets, StoreError};

use crate::Database;
use crate::dialect::{lock_app, readers};
use crate::error::with_context;
use crate::transaction::transaction;

struct SecretsRow {
    sealed_identity_secret: Option<Vec<u8>>,
    sealed_previous_identity_secret: Option<Vec<u8>>,
    previous_identity_secret_expires_at: Option<i64>,
}

impl SecretsRow {
    /// Those that are good at `now`.
    fn at(self, now: UnixMillis) -> SealedSecrets {
        let expiry = self.previous_identity_secret_expires_at.map(UnixMillis);
        let previous = self.sealed_previous_identity_secret.zip(expiry);
        SealedSecrets {
            current: self.sealed_identity_secret,
            previous: previous.filter(|(_, expires_at)| *expires_at > now),
        }
    }
}

#[async_trait]
impl IdentityStore for Database {
    async fn identity_secrets(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<SealedSecrets, StoreError> {
        let row = sqlx::query_as!(
            SecretsRow,
            "SELECT sealed_identity_secret, sealed_previous_identity_secret,
                    previous_identity_secret_expires_at
             FROM apps WHERE id = $1 AND deleted_at IS NULL",
            app.as_str()
        )
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("read identity secrets"))?;
        Ok(row.map_or_else(SealedSecrets::default, |row| row.at(now)))
    }

    async fn keep_first_identity_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
    ) -> Result<(), StoreError> {
        let app = app.clone();
        transaction!(self, "keep an identity secret", |c| {
            lock_app(c, &app).await?;
            let kept = sqlx::query!(
                "UPDATE apps SET sealed_identity_secret = $2
                 WHERE id = $1 AND sealed_identity_secret IS NULL",
                app.as_str(),
                sealed
            );
            kept.execute(c).await.map(drop)
        })
    }

    async fn rotate_identity_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
        until: UnixMillis,
    ) -> Result<(), StoreError> {
        let app = app.clone();
        transaction!(self, "rotate an identity secret", |c| {
            lock_app(c, &app).await?;
            let rotated = sqlx::query!(
                "UPDATE apps
                 SET sealed_previous_identity_secret = sealed_identity_secret,
                     sealed_identity_secret = $2, previous_identity_secret_expires_at = $3
                 WHERE id = $1",
                app.as_str(),
                sealed,
                until.0
            );
            rotated.execute(c).await.map(drop)
        })
    }
}
