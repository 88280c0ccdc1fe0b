//! Subscribers that come from elsewhere, and those that leave (CONTRACT 16).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{ExportedSubscription, RegisterMany, RegisteredMany};
use serde_json::json;

use super::operation::{OperationSpec, get, post};
use super::parameter;

pub const TAG: &str = "import and export";
pub const ABOUT: &str = "Subscribers come along from another service, and go along to another one.";

/// The endpoints of moving in and out, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    let (endpoint, auth) = ("https://push.example.com/abc", "BTBZMqHH6r4Tts7J_aSIgg");
    vec![
        post("/api/v1/apps/{appId}/subscriptions/bulk", "registerMany")
            .summary("Register up to 1,000 browsers", "購読をまとめて登録する")
            .about(
                "Each item is a registration, judged by itself. Who unsubscribed here is rejected as `UNSUBSCRIBED`. A body of up to \
                 4 MiB.",
            )
            .parameters(parameter::dry_run())
            .body::<RegisterMany>(json!({"items": [{"endpoint": endpoint, "p256dh": p256dh, "auth": auth}]}))
            .response::<RegisteredMany>(
                200,
                "What became of the items.",
                json!({"created": 1, "updated": 0, "rejected": []}),
            )
            .errors([E::MissingFields, E::Overloaded]),
        get("/api/v1/apps/{appId}/export", "exportSubscriptions")
            .summary("All active subscriptions", "有効な購読をすべて書き出す")
            .about("One on each line, in the order of their registration.")
            .lines_response::<ExportedSubscription>(
                "A JSON object on each line.",
                json!({
                    "endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}, "vapid_public_key": p256dh,
                    "user_id": null, "tags": ["news"], "lang": "ja", "time_zone": "Asia/Tokyo", "platform": "Firefox",
                    "created_at": 1_790_000_000_000_i64,
                }),
            ),
    ]
}
