//! The VAPID keys of an app: which there are, another one, the primary one, and taking one along (CONTRACT 16).

mod key_pair;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::wire::{ConfirmOwner, ExportedVapidKey};
use hato_domain::{ErrorCode, KeyEventId, VapidKeyId};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::access::{AccountPrincipal, MayManage};
use crate::error::found;
use crate::ports::{
    AddVapidKeyOutcome, NewVapidKey, VapidKeyAct, VapidKeyOutcome, VapidKeyRecord, VapidKeyUse,
};
use crate::{SealPurpose, Service, ServiceError, ServiceResult};

pub use key_pair::VapidKeyPair;

impl VapidKeyRecord {
    /// The key's id, the same wherever the key is.
    pub fn id(&self) -> VapidKeyId {
        key_id(&self.public_key)
    }

    /// The public key as base64url without padding.
    pub fn public_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.public_key)
    }
}

/// An id of 16 bytes of the public key's SHA-256.
fn key_id(public_key: &[u8]) -> VapidKeyId {
    let mut id = [0; 16];
    id.copy_from_slice(&Sha256::digest(public_key)[..16]);
    VapidKeyId::from_uuid(Uuid::from_bytes(id))
}

impl Service {
    /// The app's VAPID keys, oldest first.
    pub async fn vapid_keys(&self, access: &MayManage) -> ServiceResult<Vec<VapidKeyRecord>> {
        Ok(self.store.vapid_keys_of(access.app()).await?)
    }

    /// The same with the number of subscriptions of each. `OVERLOADED` as [`Self::audience`].
    pub async fn vapid_key_uses(&self, access: &MayManage) -> ServiceResult<Vec<VapidKeyUse>> {
        let _permit = self.heavy_read(access).await?;
        Ok(self.store.vapid_key_uses(access.app()).await?)
    }

    /// Adds a key pair to the app's, made here or that of `private_key`, and whether it is new: `INVALID_INPUT` for what is no
    /// private key on P-256, `TOO_MANY_KEYS` beyond [`crate::ports::MAX_VAPID_KEYS`], `CONFIG_ERROR` without an encryption key.
    pub async fn add_vapid_key(
        &self,
        access: &MayManage,
        private_key: Option<&str>,
    ) -> ServiceResult<(VapidKeyUse, bool)> {
        let sealer = self.secrets.sealer()?;
        let pair = pair_of(private_key)?;
        let public_key = pair.public_key();
        let act = self.vapid_act(access, &public_key);
        let id = act.key_id.clone();
        let key = NewVapidKey {
            sealed_private_key: sealer.seal(SealPurpose::VapidKey, access.app(), &pair.to_pkcs8()?),
            public_key,
            is_imported: private_key.is_some(),
        };
        match self.store.add_vapid_key(key, act).await? {
            AddVapidKeyOutcome::Added(key) => Ok((unused(key), true)),
            AddVapidKeyOutcome::Known => Ok((self.vapid_key_use(access, id).await?, false)),
            AddVapidKeyOutcome::LimitReached => Err(ErrorCode::TooManyKeys.into()),
            AddVapidKeyOutcome::OverRateLimit => Err(ErrorCode::RateLimited.into()),
            AddVapidKeyOutcome::NoApp => Err(ErrorCode::NotFound.into()),
        }
    }

    /// Makes it the key that browsers subscribe with from now on; the subscriptions of the others stay with theirs. `NOT_FOUND`.
    pub async fn make_vapid_key_primary(&self, access: &MayManage, key: &str) -> ServiceResult<()> {
        let (key, act) = self.vapid_key(access, key).await?;
        done(self.store.make_vapid_key_primary(key.number, act).await?)
    }

    /// Deletes the key; `KEY_IN_USE` for the primary one and for one that active subscriptions have, `NOT_FOUND`.
    pub async fn delete_vapid_key(&self, access: &MayManage, key: &str) -> ServiceResult<()> {
        let (key, act) = self.vapid_key(access, key).await?;
        let used = self.vapid_key_use(access, key.id()).await?;
        // Counted before the app is locked, which it would be for as long as that takes.
        if key.is_primary || used.active_subscriptions > 0 {
            return Err(ErrorCode::KeyInUse.into());
        }
        done(self.store.delete_vapid_key(key.number, act).await?)
    }

    /// The key pair with its private half, for whoever leaves and takes the subscribers along: `MISSING_FIELDS`,
    /// `INVALID_CREDENTIALS` unless the owner is confirmed, `NOT_FOUND`.
    pub async fn export_vapid_key(
        &self,
        owner: &AccountPrincipal,
        access: &MayManage,
        key: &str,
        confirmation: ConfirmOwner,
    ) -> ServiceResult<ExportedVapidKey> {
        let typed = confirmation.typed(owner.account().password_hash.is_some())?;
        self.confirm(owner, typed).await?;
        let (key, act) = self.vapid_key(access, key).await?;
        let sealed = self
            .store
            .sealed_vapid_key(access.app(), key.number)
            .await?;
        let sealed = sealed.ok_or(ErrorCode::NotFound)?;
        let opened = (self.secrets.sealer()?).open(SealPurpose::VapidKey, access.app(), &sealed);
        let document = opened.map_err(ServiceError::internal)?;
        let exported = VapidKeyPair::from_pkcs8(&document)?.export()?;
        done(self.store.record_vapid_export(key.number, act).await?)?;
        Ok(exported)
    }

    /// The app's key of this id, and what is recorded of what is done to it.
    async fn vapid_key(
        &self,
        access: &MayManage,
        id: &str,
    ) -> ServiceResult<(VapidKeyRecord, VapidKeyAct)> {
        let id = VapidKeyId::parse(id)?;
        let keys = self.store.vapid_keys_of(access.app()).await?;
        let key = keys.into_iter().find(|key| key.id() == id);
        let key = key.ok_or(ErrorCode::NotFound)?;
        let act = self.vapid_act(access, &key.public_key);
        Ok((key, act))
    }

    /// The app's key of this id, with the number of its subscriptions.
    async fn vapid_key_use(
        &self,
        access: &MayManage,
        id: VapidKeyId,
    ) -> ServiceResult<VapidKeyUse> {
        let uses = self.vapid_key_uses(access).await?;
        let found = uses.into_iter().find(|it| it.key.id() == id);
        Ok(found.ok_or(ErrorCode::NotFound)?)
    }

    fn vapid_act(&self, access: &MayManage, public_key: &[u8]) -> VapidKeyAct {
        VapidKeyAct {
            app_id: access.app().clone(),
            key_id: key_id(public_key),
            key_name: URL_SAFE_NO_PAD.encode(public_key),
            event_id: KeyEventId::from_uuid(Uuid::now_v7()),
            actor: access.actor().clone(),
            now: self.clock.now(),
        }
    }
}

/// The pair of this private key, or a new one.
fn pair_of(private_key: Option<&str>) -> ServiceResult<VapidKeyPair> {
    match private_key {
        Some(text) => Ok(VapidKeyPair::parse(text)?),
        None => Ok(VapidKeyPair::generate()?),
    }
}

/// Nobody has subscribed with it yet.
const fn unused(key: VapidKeyRecord) -> VapidKeyUse {
    VapidKeyUse {
        key,
        active_subscriptions: 0,
    }
}

fn done(outcome: VapidKeyOutcome) -> ServiceResult<()> {
    match outcome {
        VapidKeyOutcome::Done | VapidKeyOutcome::Unchanged => Ok(()),
        VapidKeyOutcome::InUse => Err(ErrorCode::KeyInUse.into()),
        VapidKeyOutcome::OverRateLimit => Err(ErrorCode::RateLimited.into()),
        VapidKeyOutcome::NoKey => found(false),
    }
}
