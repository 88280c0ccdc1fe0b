//! The bodies of responses.

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// The body of every error (SPEC 7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// What is wrong, a Japanese sentence for people.
    pub error: String,
    /// The machine-readable code, for example `MISSING_FIELDS`.
    pub code: String,
    /// The pricing page, with errors about a limit of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade_url: Option<String>,
}

/// The response to a request that has nothing to tell but its success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Acknowledged {
    /// Always true: a failure has another body.
    pub ok: bool,
}

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct User {
    /// The account's id, `usr_…`.
    pub id: String,
    /// The email address as it was given.
    pub email: String,
    /// The account's plan, `free` or `pro`.
    pub plan: String,
    /// When it was made, Unix milliseconds.
    pub created_at: UnixMillis,
}

/// The response to `GET /auth/session`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Account {
    /// The account that is logged in.
    pub user: User,
}

/// The response to register and login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionCreated {
    /// The account that is logged in.
    pub user: User,
    /// The session token, also set as the cookie `hato_session`.
    pub session_token: String,
}

/// An API key as lists show it (SPEC 2.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApiKey {
    /// The key's id, `key_…`, which is not the raw key.
    pub id: String,
    /// The key's label.
    pub name: String,
    /// What the key may do: `subscribe_only`, `notify` or `full`.
    pub scope: String,
    /// When it last authenticated a request, Unix milliseconds; `null` for a key that never did.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_used_at: Option<UnixMillis>,
    /// When it was made, Unix milliseconds.
    pub created_at: UnixMillis,
}

/// The response to the creation of a key, the only one with the raw key (SPEC 4.6).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedKey {
    /// What lists show of the key.
    #[serde(flatten)]
    pub record: ApiKey,
    /// The raw key: `pk_` and 64 hexadecimal digits.
    pub key: String,
}

/// What happened to an API key or a VAPID key (SPEC 2.6, CONTRACT 16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyEvent {
    /// The event's id, `evt_…`.
    pub id: String,
    /// What happened: `created` or `deleted`; to a VAPID key `vapid_created`, `vapid_imported`, `vapid_primary`, `vapid_exported` or
    /// `vapid_deleted`.
    pub event: String,
    /// The key's id, `key_…` or `vapid_…`.
    pub key_id: String,
    /// The key's label; of a VAPID key its public key.
    pub key_name: String,
    /// What the key may do: `subscribe_only`, `notify` or `full`; `vapid` for a VAPID key.
    pub key_scope: String,
    /// When it happened, Unix milliseconds.
    pub created_at: UnixMillis,
    /// The user or the key that did it.
    pub actor: Actor,
}

/// The response to `GET /api/v1/vapid-public-key` (SPEC 4.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PublicKey {
    /// The app's VAPID public key: an uncompressed point on P-256, 65 bytes as base64url without padding.
    pub public_key: String,
    /// The app the key belongs to.
    pub app_id: String,
}

/// The response to a registration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Registered {
    /// The subscription's id, `sub_…`.
    pub id: String,
    /// Present and true when the endpoint was deactivated: its push service may not know it any more, so a page
    /// that can make a new one should.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reactivated: bool,
    /// The app's primary VAPID public key, present when the registration named another one: a page that can should subscribe with
    /// this one (CONTRACT 16).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vapid_public_key: Option<String>,
}

/// The response to a send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SendAccepted {
    /// Always true: a failure has another body.
    pub ok: bool,
    /// The send's id, `snd_…`.
    pub send_id: String,
    /// How many recipients it is queued for; 0 while it is scheduled.
    pub queued: i64,
    /// When it will be sent, Unix milliseconds; only of a scheduled send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_at: Option<UnixMillis>,
}

/// The response to a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchAccepted {
    /// How many recipients it is queued for; 0 while it is scheduled.
    pub queued: i64,
    /// The send's id, `snd_…`.
    pub send_id: String,
    /// When it will be sent, Unix milliseconds; only of a scheduled send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_at: Option<UnixMillis>,
}

/// The response to cancelling a send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cancelled {
    /// Always true: a failure has another body.
    pub ok: bool,
    /// How many recipients it is not delivered to any more.
    pub cancelled: i64,
}

/// A delivery that finally failed (CONTRACT 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeadLetter {
    /// The dead letter's id, `dl_…`.
    pub id: String,
    /// The send whose record holds the content.
    pub send_id: String,
    /// The subscription's id, `sub_…`.
    pub subscription_id: String,
    /// The endpoint that the message was for.
    pub endpoint: String,
    /// Why it failed, for example `throttled`.
    pub reason: String,
    /// What the push service or the connection said, at most 300 characters.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
    /// The last response's status, if there was a response.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub http_status: Option<u16>,
    /// How many requests were begun.
    pub attempts: i64,
    /// When the last attempt failed, Unix milliseconds.
    pub created_at: UnixMillis,
}

/// Who did something: a user or an API key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// What it is: `user` or `api_key`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id of the user or the key, `usr_…` or `key_…`.
    pub id: String,
    /// The email address, or the key's name.
    pub name: String,
}

/// A page of a list that is newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The items of the page, newest first.
    pub items: Vec<T>,
    /// `before` of the next page; `null` on the last.
    pub next_before: Option<UnixMillis>,
    /// `before_id` of the next page; `null` on the last.
    pub next_before_id: Option<String>,
}

impl<T> Page<T> {
    /// Makes each item of the page into another.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(item).collect(),
            next_before: self.next_before,
            next_before_id: self.next_before_id,
        }
    }
}
