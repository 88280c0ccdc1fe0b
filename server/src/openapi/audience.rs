//! Who subscribes (CONTRACT 12).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{AudienceReport, Subscription};
use serde_json::{Value, json};

use super::history::list;
use super::operation::{OperationSpec, get};
use super::parameter;

pub const TAG: &str = "audience";
pub const ABOUT: &str = "Who subscribes, and how many of them are still reached.";

/// The endpoints of who subscribes, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let subscriptions = "/api/v1/apps/{appId}/subscriptions";
    vec![
        list::<Subscription>(subscriptions, "listSubscriptions", &subscription())
            .summary(
                "The subscriptions of the app, newest first",
                "購読を新しい順に取得する",
            )
            .about(
                "A page may be short, or empty, and yet have a next one: a filter looks at so many subscriptions at a time.",
            )
            .parameters(parameter::subscriptions())
            .errors([E::Overloaded]),
        get("/api/v1/apps/{appId}/audience", "getAudience")
            .summary("Whom a send would go to", "送信の対象になる人数を取得する")
            .about("Everybody, or who meets all conditions that are given.")
            .parameters(parameter::audience())
            .response::<AudienceReport>(200, "How many, by push service and age.", audience())
            .errors([E::InvalidInput, E::Overloaded]),
    ]
}

fn subscription() -> Value {
    json!({
        "id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "endpoint": "https://push.example.com/abc",
        "platform": "Firefox on Linux", "user_id": "42", "tags": ["_plan:pro", "news"], "lang": "ja",
        "time_zone": "Asia/Tokyo", "state": "active", "created_at": 1_790_000_000_000_i64,
        "last_success_on": "2026-09-30", "deactivated_at": null, "reason": null,
    })
}

fn audience() -> Value {
    json!({
        "recipients": 3, "approximate": false,
        "by_host": [
            {"host": "fcm.googleapis.com", "recipients": 2},
            {"host": "web.push.apple.com", "recipients": 1},
        ],
        "reach_by_host": [
            {"host": "fcm.googleapis.com", "recipients": 2, "answered_last_send": 2},
            {"host": "web.push.apple.com", "recipients": 1, "answered_last_send": 0},
        ],
        "by_age": [
            {"days": 30, "recipients": 1, "answered_last_send": 1},
            {"days": 90, "recipients": 0, "answered_last_send": 0},
            {"days": 270, "recipients": 1, "answered_last_send": 1},
            {"days": null, "recipients": 1, "answered_last_send": 0},
        ],
    })
}
