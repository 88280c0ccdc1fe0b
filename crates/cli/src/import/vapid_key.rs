//! The VAPID key that imported subscriptions were made with.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use hato_domain::wire::{Acknowledged, BulkItem};
use hato_domain::{VapidPrivateKey, VapidPublicKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::ServerConnection;
use crate::error::{CliError, Result};

/// Most bytes that are read of a key's file.
const MAX_BYTES: u64 = 16 * 1024;

#[derive(Deserialize)]
struct AppKey {
    id: String,
    public_key: String,
    primary: bool,
    active_subscriptions: i64,
}

/// The key that subscriptions come with.
pub struct KeyFile(Option<KeyPair>);

struct KeyPair {
    /// As the file has it.
    private_key: String,
    public_key: VapidPublicKey,
}

/// Which key the lines are registered with.
pub enum ImportedKey {
    /// The one that each names, or the app's own.
    Named,
    /// The one that each names, or else this one.
    Given(String),
    /// The one that each names, or the app's own in the place of this one, which a dry run does not import.
    NotImported(VapidPublicKey),
}

impl KeyFile {
    /// Reads the key of this file, if there is one; an error for what is none.
    pub fn read(file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else {
            return Ok(Self(None));
        };
        let named = read(file)?;
        let key = VapidPrivateKey::parse(&named.private_key).map_err(|_| {
            let message = format!("{} is no private VAPID key", file.display());
            CliError::usage(
                message,
                "write 32 bytes as base64url, a JWK or PEM of a key on P-256",
            )
        })?;
        let public_key = key.public_key();
        if named
            .public_key
            .is_some_and(|it| VapidPublicKey::parse(&it) != Ok(public_key))
        {
            return Err(CliError::usage(
                format!("{} has keys of two pairs", file.display()),
                "write the private key of the public one that the subscriptions were made with",
            ));
        }
        Ok(Self(Some(KeyPair {
            private_key: named.private_key,
            public_key,
        })))
    }

    /// Gives the app the key, if there is one. It becomes the primary one of an app without subscribers: who comes from
    /// elsewhere then has the key that the site's page subscribes with, and nothing changes in their browsers.
    pub fn import_into(
        self,
        connection: &ServerConnection,
        is_dry_run: bool,
    ) -> Result<ImportedKey> {
        let Some(pair) = self.0 else {
            return Ok(ImportedKey::Named);
        };
        if is_dry_run {
            return Ok(ImportedKey::NotImported(pair.public_key));
        }
        let path = connection.app_path("/vapid-keys")?;
        let body = json!({"private_key": pair.private_key});
        let key: AppKey = connection.api().post_idempotent(&path, &body)?;
        make_primary_for_nobody(connection, &path, &key)?;
        Ok(ImportedKey::Given(key.public_key))
    }
}

impl ImportedKey {
    /// Makes the item name the key that it is registered with.
    pub fn give_to(&self, item: &mut BulkItem) {
        let named = &mut item.registration.vapid_public_key;
        match self {
            Self::Named => {}
            Self::Given(key) => *named = named.take().or_else(|| Some(key.clone())),
            Self::NotImported(key) => {
                *named = named
                    .take()
                    .filter(|it| VapidPublicKey::parse(it) != Ok(*key));
            }
        }
    }
}

/// Makes the key the primary one of an app without subscribers.
fn make_primary_for_nobody(connection: &ServerConnection, path: &str, key: &AppKey) -> Result<()> {
    let all: Vec<AppKey> = connection.api().get(path)?;
    if !key.primary && all.iter().all(|key| key.active_subscriptions == 0) {
        let path = format!("{path}/{}/primary", key.id);
        let _: Acknowledged = connection.api().post_idempotent(&path, &json!({}))?;
    }
    Ok(())
}

/// The keys as a file names them.
struct KeyFileText {
    private_key: String,
    public_key: Option<String>,
}

/// The text of the key; of a pair in JSON, as web-push or a Hato's export of the key has it, both.
fn read(file: &Path) -> Result<KeyFileText> {
    let failed = |error| CliError::file(file, &error);
    let mut text = String::new();
    let opened = File::open(file).map_err(failed)?;
    opened
        .take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(failed)?;
    let text = text.trim();
    let pair = serde_json::from_str::<Value>(text).ok();
    let named = |name: &str| pair.as_ref()?[name].as_str().map(str::to_owned);
    let private = named("privateKey").or_else(|| named("private_key"));
    Ok(KeyFileText {
        private_key: private.unwrap_or_else(|| text.to_owned()),
        public_key: named("publicKey").or_else(|| named("public_key")),
    })
}
