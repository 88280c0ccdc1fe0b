//! Apps: what an owner's notifications are sent for.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use hato_domain::{AppId, ErrorCode, Name};
use uuid::Uuid;

use crate::access::{MayManage, MaySubscribe, Owner};
use crate::ports::{AppRecord, CreatedApp, NewApp};
use crate::{Failure, Outcome, Service};

impl Service {
    /// Makes an app with a VAPID key pair of its own: `PLAN_LIMIT_EXCEEDED`, or `CONFIG_ERROR` without an encryption key.
    pub async fn create_app(&self, owner: &Owner, name: Name) -> Outcome<AppRecord> {
        let sealer = self.secrets.sealer()?;
        let id = AppId::from_uuid(Uuid::now_v7());
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING);
        let pair = pair.map_err(Failure::internal)?;
        let private_key = pair.to_pkcs8v1().map_err(Failure::internal)?;
        let app = NewApp {
            sealed_private_key: sealer.seal(id.as_str(), private_key.as_ref()),
            vapid_public_key: pair.public_key().as_ref().to_vec(),
            id,
            account_id: owner.id().clone(),
            name: name.as_str().to_owned(),
            created_at: self.clock.now(),
        };
        let record = as_record(&app, owner);
        match self.store.create_app(app).await? {
            CreatedApp::Created => Ok(record),
            CreatedApp::LimitReached => Err(ErrorCode::PlanLimitExceeded.into()),
        }
    }

    /// The owner's apps, oldest first.
    pub async fn apps(&self, owner: &Owner) -> Outcome<Vec<AppRecord>> {
        Ok(self.store.apps_of(owner.id()).await?)
    }

    /// The right of `owner` to manage the app that a path names; another account's app is `NOT_FOUND`.
    pub async fn manage(&self, owner: &Owner, app: &str) -> Outcome<MayManage> {
        let app = self
            .store
            .app(&AppId::parse(app)?)
            .await?
            .ok_or(ErrorCode::NotFound)?;
        Ok(owner.may_manage(&app)?)
    }

    /// The app.
    pub async fn app(&self, access: &MayManage) -> Outcome<AppRecord> {
        self.app_record(access.app()).await
    }

    /// The app whose public key a browser needs to subscribe (SPEC 4.4).
    pub async fn app_to_subscribe(&self, access: &MaySubscribe) -> Outcome<AppRecord> {
        self.app_record(access.app()).await
    }

    async fn app_record(&self, app: &AppId) -> Outcome<AppRecord> {
        Ok(self.store.app(app).await?.ok_or(ErrorCode::NotFound)?)
    }
}

fn as_record(app: &NewApp, owner: &Owner) -> AppRecord {
    AppRecord {
        id: app.id.clone(),
        account_id: app.account_id.clone(),
        name: app.name.clone(),
        vapid_public_key: app.vapid_public_key.clone(),
        webhook_url: None,
        plan: owner.account().plan,
        active_subscriptions: 0,
        created_at: app.created_at,
    }
}
