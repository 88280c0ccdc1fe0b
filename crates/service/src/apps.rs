//! Apps: what an owner's notifications are sent for.

use hato_domain::{
    AppId, ErrorCode, FieldChange, MessageSettings, MessageSettingsChange, Name, WebhookUrl,
};
use uuid::Uuid;

use crate::access::{AccountPrincipal, MayManage};
use crate::error::found;
use crate::ports::{AppChange, AppRecord, ChangeAppOutcome, ChangedApp, CreateAppOutcome, NewApp};
use crate::{SealPurpose, Service, ServiceResult, VapidKeyPair};

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
        let pair = VapidKeyPair::generate()?;
        let app = NewApp {
            sealed_private_key: sealer.seal(SealPurpose::VapidKey, &id, &pair.to_pkcs8()?),
            vapid_public_key: pair.public_key(),
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

    /// The same, and others of the owner's apps whose name has `text` in it, the newest first; at most `limit` apps in all.
    pub async fn managed_among(
        &self,
        owner: &AccountPrincipal,
        app: &str,
        text: &str,
        limit: i64,
    ) -> ServiceResult<(MayManage, AppRecord, Vec<AppRecord>)> {
        let id = AppId::parse(app)?;
        let found = self
            .store
            .apps_with_name(owner.id(), text, Some(&id), limit);
        let mut found = found.await?.into_iter();
        let app = found.next().filter(|app| app.id == id);
        let app = app.ok_or(ErrorCode::NotFound)?;
        Ok((owner.may_manage(&app)?, app, found.collect()))
    }

    /// The owner's apps whose name has `text` in it, the newest first, at most `limit`.
    pub async fn apps_with_name(
        &self,
        owner: &AccountPrincipal,
        text: &str,
        limit: i64,
    ) -> ServiceResult<Vec<AppRecord>> {
        let apps = self.store.apps_with_name(owner.id(), text, None, limit);
        Ok(apps.await?)
    }

    /// The right of `owner` to manage the one app there is: none is `NOT_FOUND`, several are `MISSING_FIELDS`, for the request
    /// should have named one (CONTRACT 3).
    pub async fn manage_only(&self, owner: &AccountPrincipal) -> ServiceResult<MayManage> {
        let two = self.store.apps_with_name(owner.id(), "", None, 2).await?;
        match two.as_slice() {
            [] => Err(ErrorCode::NotFound.into()),
            [app] => Ok(owner.may_manage(app)?),
            [_, _, ..] => Err(ErrorCode::MissingFields.into()),
        }
    }

    /// Gives the app another name; `NOT_FOUND` when it is gone.
    pub async fn rename_app(&self, access: &MayManage, name: &Name) -> ServiceResult<()> {
        found(self.store.rename_app(access.app(), name).await?)
    }

    /// Changes the app's webhook URL, whose text is judged here, and what it says of its messages (SPEC 4.13, CONTRACT 13):
    /// `INVALID_URL`; `INVALID_INPUT` for declarative messages without a site's address; setting a webhook takes the Pro plan,
    /// `PLAN_REQUIRED`.
    pub async fn change_app(
        &self,
        access: &MayManage,
        webhook_url: FieldChange<String>,
        messages: MessageSettingsChange,
    ) -> ServiceResult<ChangedApp> {
        let parse = |url: String| WebhookUrl::parse(&url, &self.settings.outbound);
        let webhook_url = webhook_url.try_map(parse)?;
        let sets_webhook = webhook_url.value().is_some();
        let change = AppChange {
            webhook_url,
            messages,
        };
        match self.store.change_app(access.app(), change).await? {
            ChangeAppOutcome::Changed(app) => {
                if sets_webhook {
                    self.keep_first_signing_secret(access).await?;
                }
                Ok(app)
            }
            ChangeAppOutcome::SiteRequired => Err(ErrorCode::InvalidInput.into()),
            ChangeAppOutcome::PlanRequired => Err(ErrorCode::PlanRequired.into()),
            ChangeAppOutcome::NoApp => Err(ErrorCode::NotFound.into()),
        }
    }

    /// Deletes the app with everything in it; what it sent this month still counts for the account (CONTRACT 4). The app is
    /// gone at once; the janitor removes its rows.
    pub async fn delete_app(&self, access: &MayManage) -> ServiceResult<()> {
        let now = self.clock.now();
        found(self.store.delete_app(access.app(), now).await?)
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
        messages: MessageSettings::default(),
        origins: Vec::new(),
    }
}
