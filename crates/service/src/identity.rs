//! How a site proves who its users are to a server that knows its visitors by a public key alone (CONTRACT 12).

use std::iter;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::{AppId, ErrorCode, UnixMillis, UserId, UserToken};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::access::MayManage;
use crate::ports::SealedSecrets;
use crate::{SealPurpose, Sealer, Service, ServiceError, ServiceResult};

/// Bytes of an identity secret before it is made a text.
const IDENTITY_SECRET_BYTES: usize = 32;

/// How long the tokens of both secrets are taken after a rotation (CONTRACT 12).
const ROTATION_OVERLAP: Duration = Duration::from_hours(24);

/// An app's identity secrets in their text form.
#[derive(Clone)]
pub struct IdentitySecrets {
    /// The secret: `idsec_` and base64url of 32 bytes.
    pub secret: String,
    /// The one before, and when its tokens are taken no more.
    pub previous_secret: Option<(String, UnixMillis)>,
}

impl Service {
    /// The app's identity secrets, of which the first is made now if there is none; `CONFIG_ERROR` without an encryption key.
    pub async fn identity(&self, access: &MayManage) -> ServiceResult<IdentitySecrets> {
        let sealer = self.secrets.sealer()?;
        let app = access.app();
        if let Some(secrets) = self.identity_secrets(app, sealer).await? {
            return Ok(secrets);
        }
        let first = new_identity_secret(sealer, app)?;
        self.store.keep_first_identity_secret(app, first).await?;
        let secrets = self.identity_secrets(app, sealer).await?;
        Ok(secrets.ok_or(ErrorCode::NotFound)?)
    }

    /// Makes a new secret; for a day the tokens of both are taken. Refuses as [`Self::identity`] does.
    pub async fn rotate_identity_secret(
        &self,
        access: &MayManage,
    ) -> ServiceResult<IdentitySecrets> {
        self.identity(access).await?;
        let sealed = new_identity_secret(self.secrets.sealer()?, access.app())?;
        let until = self.clock.now().plus(ROTATION_OVERLAP);
        let rotated = self
            .store
            .rotate_identity_secret(access.app(), sealed, until);
        rotated.await?;
        self.identity(access).await
    }

    /// Passes if the token proves the user to the app: `INVALID_USER_TOKEN` without one, or for any other.
    pub(crate) async fn require_user_token(
        &self,
        app: &AppId,
        user: &UserId,
        token: Option<&str>,
    ) -> ServiceResult<()> {
        let token = UserToken::parse(token.ok_or(ErrorCode::InvalidUserToken)?)?;
        let secrets = self.identity_secrets(app, self.secrets.sealer()?).await?;
        let secrets = secrets.ok_or(ErrorCode::InvalidUserToken)?;
        let previous = secrets.previous_secret.iter().map(|(secret, _)| secret);
        let is_proven = iter::once(&secrets.secret)
            .chain(previous)
            .any(|secret| is_token(secret, app, user, &token));
        Ok(is_proven.then_some(()).ok_or(ErrorCode::InvalidUserToken)?)
    }

    async fn identity_secrets(
        &self,
        app: &AppId,
        sealer: &Sealer,
    ) -> ServiceResult<Option<IdentitySecrets>> {
        let now = self.clock.now();
        let SealedSecrets { current, previous } = self.store.identity_secrets(app, now).await?;
        let Some(current) = current else {
            return Ok(None);
        };
        let open = |text: &[u8]| open(sealer, app, text);
        let previous = previous.map(|(text, until)| open(&text).map(|it| (it, until)));
        Ok(Some(IdentitySecrets {
            secret: open(&current)?,
            previous_secret: previous.transpose()?,
        }))
    }
}

fn new_identity_secret(sealer: &Sealer, app: &AppId) -> ServiceResult<Vec<u8>> {
    let mut secret = Zeroizing::new([0; IDENTITY_SECRET_BYTES]);
    aws_lc_rs::rand::fill(secret.as_mut_slice()).map_err(ServiceError::internal)?;
    Ok(sealer.seal(SealPurpose::IdentitySecret, app, secret.as_slice()))
}

fn open(sealer: &Sealer, app: &AppId, text: &[u8]) -> ServiceResult<String> {
    let secret = sealer.open(SealPurpose::IdentitySecret, app, text);
    let secret = secret.map_err(ServiceError::internal)?;
    Ok(format!("idsec_{}", URL_SAFE_NO_PAD.encode(&*secret)))
}

/// Whether the secret's owner made the token for this user of this app; compared in constant time.
fn is_token(secret: &str, app: &AppId, user: &UserId, token: &UserToken) -> bool {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(app.as_str().as_bytes());
    mac.update(b"\n");
    mac.update(user.as_str().as_bytes());
    mac.verify_slice(token.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use hato_domain::{AppId, UserId, UserToken};

    use super::is_token;

    /// Computed with `openssl dgst -sha256 -hmac`.
    const TOKEN: &str = "8cdb6ab1676b99a89ff45364116b08d1415dfb02bcca9ed61adc925700460592";

    #[test]
    fn a_token_is_for_a_user_of_an_app_by_a_secret() {
        let token = UserToken::parse(TOKEN).expect("a token");
        let secret = "idsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
        let proves = |secret, app: &str, user: &str| {
            is_token(
                secret,
                &AppId::trusted(app.to_owned()),
                &UserId::trusted(user),
                &token,
            )
        };
        let app = "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9";
        assert!(proves(secret, app, "山田-4711"));
        assert!(!proves(&secret[1..], app, "山田-4711"));
        assert!(!proves(secret, &app[1..], "山田-4711"));
        assert!(!proves(secret, app, "山田-471"));
        // The line break keeps app and user apart.
        assert!(!proves(
            secret,
            "app_",
            "0198f0c5a1b27cc2b1d3f4e5a6b7c8d9\n山田-4711"
        ));
    }
}
