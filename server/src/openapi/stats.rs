//! Statistics of an app (SPEC 4.5, CONTRACT 4).

use hato_domain::ErrorCode as E;
use hato_domain::wire::Stats;
use serde_json::json;

use super::operation::{OperationSpec, get};
use super::parameter;

pub const TAG: &str = "statistics";
pub const ABOUT: &str = "What was sent and who is subscribed.";

/// The endpoints of statistics, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    vec![
        stats("/api/v1/stats", "getStats")
            .summary(
                "Statistics of the key's app, or of `appId`",
                "統計を取得する",
            )
            .parameters([parameter::app_id()])
            .errors([
                E::InvalidInput,
                E::MissingFields,
                E::AppMismatch,
                E::NotFound,
            ]),
        stats("/api/v1/apps/{appId}/stats", "getAppStats")
            .summary("Statistics of the app", "アプリの統計を取得する"),
    ]
}

fn stats(path: &'static str, id: &'static str) -> OperationSpec {
    let about = "The last 30 days (UTC), oldest first, and totals.";
    let example = json!({
        "activeSubscribers": 120, "deactivatedSubscribers": 4, "totalSent": 2_310, "totalFailed": 12,
        "totalDisplayed": 1_520, "totalClicked": 190, "totalDismissed": 402,
        "monthlySent": 480, "monthlyLimit": 30_000, "monthResetsAt": 1_793_491_200_000_i64,
        "daily": [{"date": "2026-10-01", "sends": 2, "sent": 239, "failed": 1, "displayed": 160, "clicked": 21, "dismissed": 40}],
    });
    get(path, id)
        .about("`monthlySent` is what counts toward the plan of the account.")
        .response::<Stats>(200, about, example)
}
