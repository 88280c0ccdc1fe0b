//! Apps: what an owner's notifications are sent for.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use hato_domain::{AppId, ErrorCode, Name, WebhookUrl};
use uuid::Uuid;

use crate::access::{AccountPrincipal, MayManage};
use crate::error::found;
use crate::ports::{AppRecord, CreateAppOutcome, NewApp, SetWebhookOutcome};
use crate::{SealPurpose, Service, ServiceError, ServiceResult};

/// Most rows of deleted apps that one transaction removes: SQLite has one writer, and others wait for as long as it
/// takes.
pub const APP_PURGE_BATCH_SIZE: u32 = 200;

impl Service {
    /// Makes an app with a VAPID key pair of its own (RFC 8292); `PLAN_LIMIT_EXCEEDED`, or `CONFIG_ERROR` without an
    /// encryption key, for a private key is never stored in the clear.
    pub async fn create_app(
        &self,
        owner: &AccountPrincipal,
        name: Name,
    ) -> ServiceResult<AppRecord> {
        let sealer = self.secrets.sealer()?;
        let id = AppId::from_uuid(Uuid::now_v7());
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING);
        let pair = pair.map_err(ServiceError::internal)?;
        let private_key = pair.to_pkcs8v1().map_err(ServiceError::internal)?;
        let app = NewApp {
            sealed_private_key: sealer.seal(SealPurpose::VapidKey, &id, private_key.as_ref()),
            vapid_public_key: pair.public_key().as_ref().to_vec(),
            id,
            account_id: owner.id().clone(),
            name: name.as_str().to_owned(),
            created_at: self.clock.now(),
        };
        let record = as_record(&app, owner);
        match self.store.create_app(app).await? {
            CreateAppOutcome::Created => Ok(record),
            CreateAppOutcome::LimitReached => Err(ErrorCode::PlanLimitExceeded.into()),
        }
    }

    /// Every app of the owner, oldest first.
    pub async fn apps(&self, owner: &AccountPrincipal) -> ServiceResult<Vec<AppRecord>> {
        Ok(self.store.apps_of(owner.id()).await?)
    }

    /// The right of `owner` to manage the app that a path names; another account's app is `NOT_FOUND`.
    pub async fn manage(&self, owner: &AccountPrincipal, app: &str) -> ServiceResult<MayManage> {
        Ok(self.managed(owner, app).await?.0)
    }

    /// The right of `owner` to manage the app that a path names, and the app; another account's app is `NOT_FOUND`.
    pub async fn managed(
        &self,
        owner: &AccountPrincipal,
        app: &str,
    ) -> ServiceResult<(MayManage, AppRecord)> {
        let app = self.store.app(&AppId::parse(app)?).await?;
        let app = app.ok_or(ErrorCode::NotFound)?;
        Ok((owner.may_manage(&app)?, app))
    }

    /// The right of `owner` to manage the one app there is: none is `NOT_FOUND`, several are `MISSING_FIELDS`, for the request
    /// should have named one (CONTRACT 3).
    pub async fn manage_only(&self, owner: &AccountPrincipal) -> ServiceResult<MayManage> {
        match self.store.apps_of(owner.id()).await?.as_slice() {
            [] => Err(ErrorCode::NotFound.into()),
            [app] => Ok(owner.may_manage(app)?),
            [_, _, ..] => Err(ErrorCode::MissingFields.into()),
        }
    }

    /// Gives the app another name; `NOT_FOUND` when it is gone.
    pub async fn rename_app(&self, access: &MayManage, name: &Name) -> ServiceResult<()> {
        found(self.store.rename_app(access.app(), name).await?)
    }

    /// Sets the app's webhook URL, or clears it (SPEC 4.13). `INVALID_URL`; setting takes the Pro plan, `PLAN_REQUIRED`.
    pub async fn set_webhook(
        &self,
        access: &MayManage,
        url: Option<&str>,
    ) -> ServiceResult<Option<WebhookUrl>> {
        let parse = |url| WebhookUrl::parse(url, &self.settings.outbound);
        let url = url.map(parse).transpose()?;
        match self.store.set_webhook(access.app(), url.clone()).await? {
            SetWebhookOutcome::Done => {
                if url.is_some() {
                    self.keep_first_signing_secret(access).await?;
                }
                Ok(url)
            }
            SetWebhookOutcome::PlanRequired => Err(ErrorCode::PlanRequired.into()),
            SetWebhookOutcome::NoApp => Err(ErrorCode::NotFound.into()),
        }
    }

    /// Deletes the app with everything in it; what it sent this month still counts for the account (CONTRACT 4). The app is
    /// gone at once, and when this returns so are its rows; if it never returns, somebody else's purge removes them.
    pub async fn delete_app(&self, access: &MayManage) -> ServiceResult<()> {
        let now = self.clock.now();
        found(self.store.delete_app(access.app(), now).await?)?;
        self.purge_deleted().await
    }

    /// Removes every row of deleted apps and accounts, one short transaction after the other.
    pub(crate) async fn purge_deleted(&self) -> ServiceResult<()> {
        while self.store.purge_deleted_apps(APP_PURGE_BATCH_SIZE).await? {}
        Ok(())
    }

    /// The app with its plan and its number of active subscriptions; `NOT_FOUND` when it is gone.
    pub async fn app(&self, access: &MayManage) -> ServiceResult<AppRecord> {
        let app = self.store.app(access.app()).await?;
        Ok(app.ok_or(ErrorCode::NotFound)?)
    }
}

fn as_record(app: &NewApp, owner: &AccountPrincipal) -> AppRecord {
    AppRecord {
        id: app.id.clone(),
        account_id: app.account_id.clone(),
        name: app.name.clone(),
        vapid_public_key: app.vapid_public_key.clone(),
        webhook_url: None,
        plan: owner.account().plan,
        active_subscriptions: 0,
        created_at: app.created_at,
        under_review: false,
    }
}
