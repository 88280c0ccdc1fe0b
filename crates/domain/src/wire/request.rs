//! The bodies of requests other than sends.

use serde::{Deserialize, Serialize};

use super::list;
use super::member::text;
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::{Email, Endpoint, ErrorCode, LoginPassword, Name, NewPassword, Scope};

/// The body of `POST /auth/register` and `POST /auth/login`.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Credentials {
    /// The email address of the account.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 254))]
    pub email: Option<String>,
    /// The password of the account.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 128))]
    pub password: Option<String>,
}

impl Credentials {
    /// Both members; `MISSING_FIELDS` without either, `INVALID_EMAIL` for an address that is none.
    fn both(self) -> Result<(Email, String), ErrorCode> {
        let email = self.email.ok_or(ErrorCode::MissingFields)?;
        let password = self.password.ok_or(ErrorCode::MissingFields)?;
        Ok((Email::parse(&email)?, password))
    }

    /// The credentials of a new account, whose password has at least 8 characters.
    pub fn for_registration(self) -> Result<(Email, NewPassword), ErrorCode> {
        let (email, password) = self.both()?;
        Ok((email, NewPassword::parse(password)?))
    }

    /// The credentials of an account that exists.
    pub fn for_login(self) -> Result<(Email, LoginPassword), ErrorCode> {
        let (email, password) = self.both()?;
        Ok((email, LoginPassword::parse(password)?))
    }
}

/// The body of `POST /api/v1/apps/{appId}/keys` (SPEC 4.6).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateKey {
    /// The label that lists show for the key.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 100))]
    pub name: Option<String>,
    /// What the key may do: `subscribe_only`, `notify` or `full`.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::scope, required))]
    pub scope: Option<String>,
}

impl CreateKey {
    /// Name and scope: no name is `MISSING_FIELDS`, no or an unknown scope `INVALID_SCOPE` (SPEC 4.6).
    pub fn into_parts(self) -> Result<(Name, Scope), ErrorCode> {
        let name = Name::parse(&self.name.ok_or(ErrorCode::MissingFields)?)?;
        let scope = Scope::parse(&self.scope.ok_or(ErrorCode::InvalidScope)?)?;
        Ok((name, scope))
    }
}

/// The key that an MCP tool is to work on, which the API has in its path (CONTRACT 9).
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamedKey {
    /// The key's id, not the key.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub key_id: Option<String>,
}

/// The part of a list, newest first, that an MCP tool is to return; the API has it in its query (CONTRACT 4, 9). There an empty text is
/// no value, so it is none here.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ListEntries {
    /// The most entries that the answer holds.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 100))]
    pub limit: Option<i64>,
    /// `next_before` of the page before, Unix milliseconds.
    pub before: Option<i64>,
    /// `next_before_id` of the page before, together with `before`.
    pub before_id: Option<String>,
}

/// The body of `POST /api/v1/subscriptions` and its app-scoped form (SPEC 4.1, 4.2).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegisterSubscription {
    /// The URL of the push service that the browser gave.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, pattern = "^https://", max_length = 2048))]
    pub endpoint: Option<String>,
    /// The browser's public key, base64url of 65 bytes.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub p256dh: Option<String>,
    /// The browser's authentication secret, base64url of 16 bytes.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub auth: Option<String>,
    /// The app's VAPID public key that the subscription was made with, base64url of 65 bytes (CONTRACT 16).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 130))]
    pub vapid_public_key: Option<String>,
    /// A label of the client's platform, free text.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 100))]
    pub platform: Option<String>,
    /// The endpoint that the browser had before, which is deactivated if the app has it.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^(https://.*)?$", max_length = 2048)
    )]
    pub replaces: Option<String>,
    /// The site's id of the user who is logged in (CONTRACT 12).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 128))]
    pub user_id: Option<String>,
    /// Proves the user to a `subscribe_only` key.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_token: Option<String>,
    /// The tags that it has from now on, at most 50.
    #[serde(default, deserialize_with = "list::tags")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::tags))]
    pub tags: Option<Vec<String>>,
    /// The browser's language (BCP 47).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 35))]
    pub lang: Option<String>,
    /// The browser's time zone (IANA).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub time_zone: Option<String>,
}

/// The body of `DELETE /api/v1/apps/{appId}/subscriptions` (SPEC 4.3).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Unsubscribe {
    /// The URL of the push service that the browser gave.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, pattern = "^https://", max_length = 2048))]
    pub endpoint: Option<String>,
}

impl Unsubscribe {
    /// The endpoint; none is `MISSING_FIELDS`, a bad one `INVALID_URL` or `INVALID_ENDPOINT`.
    pub fn into_endpoint(self) -> Result<Endpoint, ErrorCode> {
        Endpoint::parse(&self.endpoint.ok_or(ErrorCode::MissingFields)?)
    }
}
