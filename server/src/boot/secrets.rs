//! The secrets of a server, and whether they are those by which its database was written.

use hato_service::Secrets;
use hato_service::ports::{PepperId, SealedText, Store, StoreError, WaitingKey};

use super::BootError;
use crate::config::Config;
use crate::secrets_file::{self, SecretsInUse};

/// No pepper is known by it.
const NO_PEPPER: PepperId = [0; 8];

/// The secrets to run with. One that the database was written with is not made, and the log says of one that is another.
pub(super) async fn load(config: &Config, store: &dyn Store) -> Result<Secrets, BootError> {
    let samples = Samples::read(store).await.map_err(BootError::Samples)?;
    let in_use = SecretsInUse {
        pepper: samples.key.is_some(),
        encryption_key: samples.text.is_some(),
    };
    let secrets = secrets_file::load(&config.store.data_dir, &config.secrets(), in_use)?;
    samples.report(&secrets);
    Ok(secrets)
}

/// An API key and a sealed text of the database.
struct Samples {
    key: Option<WaitingKey>,
    text: Option<SealedText>,
}

impl Samples {
    async fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let keys = store.keys_without_pepper(NO_PEPPER, None, 1).await?;
        let texts = store.sealed_texts(None, 1).await?;
        Ok(Self {
            key: keys.into_iter().next(),
            text: texts.into_iter().next(),
        })
    }

    /// Says so when others than these secrets have made them. That may be meant: an old key may never have been used since a rotation.
    fn report(&self, secrets: &Secrets) {
        if let (Some(key), Ok(current)) = (&self.key, secrets.pepper_id())
            && let Some(pepper) = key.pepper.as_deref()
            && pepper != current
            && Some(pepper) != secrets.previous_pepper_id().as_ref().map(|it| &it[..])
        {
            tracing::warn!(
                "the oldest API key was made with another HATO_PEPPER than this: such keys are refused"
            );
        }
        if let (Some(text), Ok(sealer)) = (&self.text, secrets.sealer())
            && sealer.open(text.purpose, &text.app, &text.text).is_err()
        {
            tracing::warn!(
                "the oldest app was made with another HATO_ENCRYPTION_KEY than this: such apps cannot send"
            );
        }
    }
}
