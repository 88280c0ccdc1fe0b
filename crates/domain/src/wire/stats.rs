//! Statistics of an app, in the members' names of CONTRACT 4.

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// The response to `GET /api/v1/stats` and its app-scoped form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Subscriptions that a broadcast would reach.
    pub active_subscribers: i64,
    /// Subscriptions that it would not, as long as they are kept.
    pub deactivated_subscribers: i64,
    /// Recipients ever reached.
    pub total_sent: i64,
    /// Recipients that finally failed, ever.
    pub total_failed: i64,
    /// Recipients whose browser has ever reported that it displayed a notification (CONTRACT 15).
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub total_displayed: i64,
    /// Recipients that ever clicked one.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub total_clicked: i64,
    /// Recipients that ever closed one without a click.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub total_dismissed: i64,
    /// Recipients that the account has sent to in this UTC month, which count toward its plan.
    pub monthly_sent: i64,
    /// The plan's limit on `monthly_sent`; `null` without one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub monthly_limit: Option<i64>,
    /// When `monthly_sent` starts anew, Unix milliseconds.
    pub month_resets_at: UnixMillis,
    /// The last 30 UTC days, today included, oldest first.
    pub daily: Vec<DailyStats>,
}

/// What an app sent on one UTC day: the day on which its sends were accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DailyStats {
    /// The UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// How many sends were accepted.
    pub sends: i64,
    /// How many of their recipients were reached so far.
    pub sent: i64,
    /// How many of their recipients finally failed so far.
    pub failed: i64,
    /// How many of their recipients reported that it was displayed.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub displayed: i64,
    /// How many of their recipients clicked it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clicked: i64,
    /// How many of their recipients closed it without a click.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub dismissed: i64,
}
