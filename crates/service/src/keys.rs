//! API keys: made, listed, deleted, what happened to them, and what they authenticate.

use std::fmt::Write as _;

use hato_domain::wire::Page;
use hato_domain::{ErrorCode, KeyEventId, KeyId, Name, PageRequest, Scope};
use uuid::Uuid;

use crate::access::{ApiKeyPrincipal, MayManage, Operator};
use crate::error::found;
use crate::paging::paged;
use crate::ports::{
    AuthenticatedKey, CreateKeyOutcome, DeletedKey, KeyEventRecord, KeyRecord, NewKeyRecord,
    PepperedHash, RehashedKey, WaitingKey,
};
use crate::{Service, ServiceError, ServiceResult};

/// How a raw key begins (SPEC 2.3).
pub const KEY_PREFIX: &str = "pk_";

/// Keys of all apps that are read in one transaction.
const KEYS_PER_PAGE: i64 = 1_000;

/// A key just made, with the raw key that is shown this once.
pub struct NewKey {
    /// What the store keeps of the key.
    pub record: KeyRecord,
    /// The raw key: `pk_` and 64 hexadecimal digits, of which only a hash is stored.
    pub raw: String,
}

impl Service {
    /// Makes a key and records the event; `TOO_MANY_KEYS` when the app has 1,000, `RATE_LIMITED` when its keys were made and deleted
    /// 4,000 times within a day, without a pepper `CONFIG_ERROR`.
    pub async fn create_key(
        &self,
        access: &MayManage,
        name: Name,
        scope: Scope,
    ) -> ServiceResult<NewKey> {
        let raw = random_key()?;
        let record = KeyRecord {
            id: KeyId::from_uuid(Uuid::now_v7()),
            app_id: access.app().clone(),
            name: name.as_str().to_owned(),
            scope,
            last_used_at: None,
            created_at: self.clock.now(),
        };
        let key = NewKeyRecord {
            record: record.clone(),
            hash: self.secrets.hash_key(&raw)?,
            pepper: self.secrets.pepper_id()?,
            event_id: KeyEventId::from_uuid(Uuid::now_v7()),
            actor: access.actor().clone(),
        };
        match self.store.create_key(key).await? {
            CreateKeyOutcome::Created => Ok(NewKey { record, raw }),
            CreateKeyOutcome::LimitReached => Err(ErrorCode::TooManyKeys.into()),
            CreateKeyOutcome::OverRateLimit => Err(ErrorCode::RateLimited.into()),
            CreateKeyOutcome::NoApp => Err(ErrorCode::NotFound.into()),
        }
    }

    /// Deletes the key, effective at once, and records the event; `NOT_FOUND` unless the app has it.
    pub async fn delete_key(&self, access: &MayManage, key: &str) -> ServiceResult<()> {
        let key = DeletedKey {
            id: KeyId::parse(key)?,
            app_id: access.app().clone(),
            event_id: KeyEventId::from_uuid(Uuid::now_v7()),
            actor: access.actor().clone(),
            now: self.clock.now(),
        };
        found(self.store.delete_key(key).await?)
    }

    /// Deletes the key likewise, and then cancels what it has sent and is not over, scheduled sends included. Of a key that is deleted
    /// already the rest is cancelled; `NOT_FOUND` when there is neither.
    pub async fn delete_key_with_sends(&self, access: &MayManage, key: &str) -> ServiceResult<()> {
        let deleted = self.delete_key(access, key).await;
        if let Err(error) = &deleted
            && error.code() != ErrorCode::NotFound
        {
            return deleted;
        }
        let sends = self
            .store
            .open_sends_of_key(access.app(), &KeyId::parse(key)?)
            .await?;
        for send in &sends {
            self.cancel(access, send.as_str()).await?;
        }
        if sends.is_empty() { deleted } else { Ok(()) }
    }

    /// The app's keys, oldest first, each with its last use to the millisecond.
    pub async fn keys(&self, access: &MayManage) -> ServiceResult<Vec<KeyRecord>> {
        // Looked at before the store: a use that is being written is then seen here or there.
        let unsaved = self.last_used.unsaved();
        let mut keys = self.store.keys_of(access.app()).await?;
        for key in &mut keys {
            key.last_used_at = key.last_used_at.max(unsaved.get(&key.id).copied());
        }
        Ok(keys)
    }

    /// A page of what happened to the app's keys, newest first, with the cursor of the next one (SPEC 4.12).
    pub async fn key_events(
        &self,
        access: &MayManage,
        page: &PageRequest,
    ) -> ServiceResult<Page<KeyEventRecord>> {
        let events = self.store.key_events_of(access.app(), page).await?;
        Ok(paged(events, page, |event| {
            (event.created_at, event.id.to_string())
        }))
    }

    /// Who holds a raw key; unknown or deleted: `INVALID_API_KEY`, without a pepper `CONFIG_ERROR`. Counts as a use.
    pub async fn authenticate_key(&self, raw: &str) -> ServiceResult<ApiKeyPrincipal> {
        let hash = self.secrets.hash_key(raw)?;
        let key = match self.store.key_by_hash(hash).await? {
            Some(key) => key,
            None => self.rehashed_key(raw, hash).await?,
        };
        self.last_used.record(&key.record.id, self.clock.now());
        Ok(ApiKeyPrincipal(key))
    }

    /// The key that is hashed with the pepper before this one, which is hashed anew; `INVALID_API_KEY` when there is none.
    async fn rehashed_key(
        &self,
        raw: &str,
        after: PepperedHash,
    ) -> ServiceResult<AuthenticatedKey> {
        let before = self.secrets.previous_hash(raw);
        let before = before.ok_or(ErrorCode::InvalidApiKey)?;
        let Some(key) = self.store.key_by_hash(before).await? else {
            // Another request may have had it hashed anew in between.
            let key = self.store.key_by_hash(after).await?;
            return Ok(key.ok_or(ErrorCode::InvalidApiKey)?);
        };
        let rehashed = RehashedKey {
            id: key.record.id.clone(),
            before,
            after,
            pepper: self.secrets.pepper_id()?,
        };
        // The key is good whether that is written or not; its next use tries again.
        self.store.rehash_key(rehashed).await.ok();
        Ok(key)
    }

    /// The keys of all apps that are not known to be hashed with the current pepper, in the order of their making; without a pepper
    /// `CONFIG_ERROR`.
    pub async fn keys_without_pepper(&self, _: &Operator) -> ServiceResult<Vec<WaitingKey>> {
        let pepper = self.secrets.pepper_id()?;
        let mut all: Vec<WaitingKey> = Vec::new();
        loop {
            let after = all.last().map(|key| key.record.id.clone());
            let keys = self.store.keys_without_pepper(pepper, after, KEYS_PER_PAGE);
            let keys = keys.await?;
            if keys.is_empty() {
                return Ok(all);
            }
            all.extend(keys);
        }
    }

    /// Writes the uses of keys since the last call to the store; the server calls it often and at its end. Other
    /// processes see a use from then on.
    pub async fn flush_key_uses(&self) -> ServiceResult<()> {
        let uses: Vec<_> = self.last_used.unsaved().into_iter().collect();
        if uses.is_empty() {
            return Ok(());
        }
        self.store.record_key_uses(uses.clone()).await?;
        self.last_used.forget(&uses);
        Ok(())
    }
}

fn random_key() -> ServiceResult<String> {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes).map_err(ServiceError::internal)?;
    let mut raw = String::from(KEY_PREFIX);
    for byte in bytes {
        write!(raw, "{byte:02x}").map_err(ServiceError::internal)?;
    }
    Ok(raw)
}
