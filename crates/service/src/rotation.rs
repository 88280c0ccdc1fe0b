//! The rotation of the encryption key: what the key before it has sealed is sealed anew (CONTRACT 1).

use crate::access::Operator;
use crate::ports::{ResealedText, SealedText};
use crate::{Sealer, Service, ServiceResult, UnsealError};

/// Texts that are read and written at a time.
const BATCH: i64 = 500;

/// What a rotation has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Texts that were sealed anew.
    pub resealed: u64,
    /// Texts that neither key opens, which stay as they are.
    pub unreadable: u64,
}

impl Service {
    /// Seals everything with the current encryption key that the one before it has sealed; without a current one `CONFIG_ERROR`. Servers
    /// that know both keys may run meanwhile, and it may be called again after it was interrupted.
    pub async fn rotate_encryption_key(&self, _: &Operator) -> ServiceResult<Rotation> {
        let sealer = self.secrets.sealer()?;
        let mut rotation = Rotation::default();
        loop {
            let round = self.reseal_all(sealer).await?;
            rotation.resealed += round.resealed;
            rotation.unreadable = round.unreadable;
            // A server may have moved a secret to a column that had been read.
            if round.resealed == 0 {
                return Ok(rotation);
            }
        }
    }

    /// Goes once over everything that is sealed.
    async fn reseal_all(&self, sealer: &Sealer) -> ServiceResult<Rotation> {
        let mut round = Rotation::default();
        let mut after = None;
        loop {
            let texts = self.store.sealed_texts(after, BATCH).await?;
            let Some(last) = texts.last() else {
                return Ok(round);
            };
            after = Some(last.place.clone());
            let mut resealed = Vec::new();
            for text in texts {
                match reseal(sealer, text) {
                    Ok(text) => resealed.extend(text),
                    Err(_) => round.unreadable += 1,
                }
            }
            if !resealed.is_empty() {
                round.resealed += self.store.replace_sealed(resealed).await?;
            }
        }
    }
}

/// `None` when the current key has sealed it.
fn reseal(sealer: &Sealer, text: SealedText) -> Result<Option<ResealedText>, UnsealError> {
    let after = sealer.reseal(text.purpose, &text.app, &text.text)?;
    Ok(after.map(|after| ResealedText {
        place: text.place,
        before: text.text,
        after,
    }))
}
