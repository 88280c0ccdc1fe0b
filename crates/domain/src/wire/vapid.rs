//! The VAPID keys of an app (CONTRACT 16).

use serde::{Deserialize, Serialize};

use super::member::{text, text_or_object};
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::{ErrorCode, LoginPassword, UnixMillis};

/// A VAPID key pair of an app, of which the private key is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VapidKey {
    /// The key's id, `vapid_…`.
    pub id: String,
    /// The public key: an uncompressed point on P-256, 65 bytes as base64url without padding.
    pub public_key: String,
    /// Whether it is the key that browsers subscribe with from now on.
    pub primary: bool,
    /// When it was made or imported, Unix milliseconds.
    pub created_at: UnixMillis,
    /// How many active subscriptions were made with it.
    pub active_subscriptions: i64,
}

/// The body of `POST /api/v1/apps/{appId}/vapid-keys`.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddVapidKey {
    /// The private key to import: 32 bytes as base64url, a JWK or PEM. Without it a pair is made.
    #[serde(default, deserialize_with = "text_or_object")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = private_key))]
    pub private_key: Option<String>,
}

#[cfg(feature = "openapi")]
fn private_key() -> utoipa::openapi::schema::Schema {
    openapi_schema::private_key(<EcJwk as utoipa::PartialSchema>::schema())
}

/// The body of `POST /api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/export`: what shows that the owner asks.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConfirmOwner {
    /// The password of the account.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 128))]
    pub password: Option<String>,
    /// The email address of an account that has no password.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 254))]
    pub email: Option<String>,
}

impl ConfirmOwner {
    /// What the account's owner has to type: the password, or the address where there is no password; `MISSING_FIELDS` without.
    pub fn typed(self, has_password: bool) -> Result<LoginPassword, ErrorCode> {
        let typed = if has_password {
            self.password
        } else {
            self.email
        };
        LoginPassword::parse(typed.ok_or(ErrorCode::MissingFields)?)
    }
}

/// A key pair that leaves the server, in three forms.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportedVapidKey {
    /// The private key: 32 bytes as base64url without padding.
    pub private_key: String,
    /// The pair as a JSON Web Key (RFC 7518 §6.2).
    pub jwk: EcJwk,
    /// The pair as PEM of a PKCS #8 document (RFC 7468 §10).
    pub pem: String,
}

/// A key pair on an elliptic curve as a JSON Web Key (RFC 7518 §6.2); numbers are base64url without padding.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EcJwk {
    /// `EC`.
    pub kty: String,
    /// `P-256`.
    pub crv: String,
    /// The public point's first coordinate.
    pub x: String,
    /// The public point's second coordinate.
    pub y: String,
    /// The private key.
    pub d: String,
}
