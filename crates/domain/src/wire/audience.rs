//! The bodies of what tells who subscribes (CONTRACT 12).

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// A subscription as the list of an app's subscriptions shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Subscription {
    /// The subscription's id, `sub_…`.
    pub id: String,
    /// The push service's address of the browser.
    pub endpoint: String,
    /// The client's label.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub platform: Option<String>,
    /// The site's id of the user.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub user_id: Option<String>,
    /// What it cares for.
    pub tags: Vec<String>,
    /// The browser's language, BCP 47.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub lang: Option<String>,
    /// The browser's time zone, an IANA name.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub time_zone: Option<String>,
    /// `active` or `deactivated`.
    pub state: String,
    /// When the endpoint was first registered, Unix milliseconds.
    pub created_at: UnixMillis,
    /// The UTC day (`YYYY-MM-DD`) on which it last took a send, as finished sends tell; it may lag by a day.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_success_on: Option<String>,
    /// When it was deactivated, Unix milliseconds.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub deactivated_at: Option<UnixMillis>,
    /// Why it is not active: `unsubscribed`, `expired`, `replaced`, `key_mismatch` or `refused`.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub reason: Option<String>,
}

/// Whom a send would go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AudienceReport))]
pub struct AudienceReport {
    /// How many there are.
    pub recipients: i64,
    /// The push services, most recipients first: at most 20, and then all others as `other`.
    pub by_host: Vec<HostShare>,
    /// Those of each of these push services who took the app's latest finished send.
    pub reach_by_host: Vec<HostReach>,
    /// How long they have subscribed: up to 30, 90 and 270 days, and longer. Each stands in one of these.
    pub by_age: Vec<AgeShare>,
    /// Whether all numbers but `recipients` are estimated, as they may be above 100,000.
    pub approximate: bool,
}

/// How many recipients a push service has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostShare {
    /// The push service's host, or `other`.
    pub host: String,
    /// How many there are.
    pub recipients: i64,
}

/// How many recipients of a push service took the last send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostReach {
    /// The push service's host, or `other`.
    pub host: String,
    /// How many there are.
    pub recipients: i64,
    /// How many of them took the app's latest finished send that included them.
    pub answered_last_send: i64,
}

/// How many recipients have subscribed for so long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AgeShare {
    /// For at most so many days; `null` for longer than 270.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub days: Option<i64>,
    /// How many there are.
    pub recipients: i64,
    /// How many of them took the app's latest finished send that included them.
    pub answered_last_send: i64,
}
