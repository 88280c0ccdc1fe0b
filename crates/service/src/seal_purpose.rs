//! What is sealed (SPECIFICATION, `HATO_ENCRYPTION_KEY`).

use hato_domain::AppId;

/// Bytes of a signing secret; Standard Webhooks takes 24 to 64.
pub(crate) const SIGNING_SECRET_BYTES: usize = 32;

/// What is sealed, which is authenticated with the text: a text that was copied to where another kind belongs does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealPurpose {
    /// An app's VAPID private key, a PKCS #8 document (RFC 5208).
    VapidKey,
    /// A webhook's signing secret, 32 bytes.
    SigningSecret,
    /// The secret that proves who a site's users are, 32 bytes.
    IdentitySecret,
}

impl SealPurpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::VapidKey => "vapid-key",
            Self::SigningSecret => "signing-secret",
            Self::IdentitySecret => "identity-secret",
        }
    }

    /// What is authenticated: the purpose and the app, which hold no colon themselves.
    pub(crate) fn associated_data(self, app: &AppId) -> String {
        format!("{}:{app}", self.as_str())
    }

    /// Whether a text without a purpose can be of this kind: a PKCS #8 document on P-256 is longer than a signing secret, and identity
    /// secrets are younger than purposes.
    pub(crate) fn fits(self, plain: &[u8]) -> bool {
        match self {
            Self::VapidKey => plain.len() != SIGNING_SECRET_BYTES,
            Self::SigningSecret => plain.len() == SIGNING_SECRET_BYTES,
            Self::IdentitySecret => false,
        }
    }
}
