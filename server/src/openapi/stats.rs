//! Statistics of an app (SPEC 4.5, CONTRACT 4).

use hato_domain::ErrorCode;
use hato_domain::wire::Stats;
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::OperationSpec;
use super::parameter;

/// The tag under which documents group the endpoints of statistics.
pub const TAG: &str = "statistics";

/// The endpoints of statistics, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let about = "`monthlySent` is what counts toward the plan of the account.";
    vec![
        OperationSpec::new(Method::GET, "/api/v1/stats", "getStats", TAG)
            .summary(
                "Statistics of the key's app, or of `appId`",
                "統計を取得する",
            )
            .about(about)
            .auth(EndpointAuth::SessionOrFullKey)
            .parameters(parameter::app_id())
            .response::<Stats>(
                200,
                "The last 30 days (UTC), oldest first, and totals.",
                stats(),
            )
            .errors([
                ErrorCode::InvalidInput,
                ErrorCode::MissingFields,
                ErrorCode::AppMismatch,
                ErrorCode::NotFound,
            ]),
        OperationSpec::new(
            Method::GET,
            "/api/v1/apps/{appId}/stats",
            "getAppStats",
            TAG,
        )
        .summary("Statistics of the app", "アプリの統計を取得する")
        .about(about)
        .auth(EndpointAuth::SessionOrFullKey)
        .response::<Stats>(
            200,
            "The last 30 days (UTC), oldest first, and totals.",
            stats(),
        ),
    ]
}

fn stats() -> Value {
    json!({
        "activeSubscribers": 120, "deactivatedSubscribers": 4, "totalSent": 2_310, "totalFailed": 12,
        "monthlySent": 480, "monthlyLimit": 30_000, "monthResetsAt": 1_793_491_200_000_i64,
        "daily": [{"date": "2026-10-01", "sends": 2, "sent": 239, "failed": 1}],
    })
}
