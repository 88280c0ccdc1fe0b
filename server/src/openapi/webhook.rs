//! An app's webhook: its secrets, and switching it on again (CONTRACT 8).

use hato_domain::ErrorCode;
use hato_domain::wire::Webhook;
use serde_json::{Value, json};

use super::operation::{OperationSpec, get, post};

pub const TAG: &str = "Webhooks";
pub const ABOUT: &str = "What happened is posted to the owner's server.";

/// The endpoints of webhooks, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    vec![
        get("/api/v1/apps/{appId}/webhook", "getWebhook")
            .summary("Where events go, and what signs them", "Webhook を取得する")
            .about(
                "404 while the app has no `webhook_url`, which `PATCH /api/v1/apps/{appId}` sets.",
            )
            .response::<Webhook>(200, "The webhook.", webhook()),
        post("/api/v1/apps/{appId}/webhook/secret", "rotateWebhookSecret")
            .summary("Make a new secret", "Webhook の署名シークレットを更新する")
            .about("For 24 hours both sign.")
            .response::<Webhook>(200, "The webhook with both secrets.", rotated()),
        post("/api/v1/apps/{appId}/webhook/enable", "enableWebhook")
            .summary(
                "Switch a switched-off webhook on",
                "停止した Webhook を再開する",
            )
            .response::<Webhook>(200, "The webhook.", webhook())
            .errors([ErrorCode::PlanRequired]),
        get("/api/v1/apps/{appId}/events/stream", "streamEvents")
            .summary("Listen to the events as they happen", "イベントを受信し続ける")
            .about(
                "Server-sent events from now on, without a webhook: `data` is the body that a webhook would get, and `id` its \
                 `webhook-id`. At most four listen to an app at a time.",
            )
            .events_response("The events, until the client ends it.", vec![("send.completed", completed())])
            .errors([ErrorCode::RateLimited]),
    ]
}

fn completed() -> Value {
    json!({
        "type": "send.completed", "timestamp": "2026-09-21T14:13:20.000Z",
        "data": {
            "app_id": "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
            "recipients": 1, "sent_count": 1, "failed_expired": 0, "failed_other": 0, "skipped_count": 0, "cancelled_count": 0,
        },
    })
}

fn webhook() -> Value {
    json!({
        "webhook_url": "https://shop.example/hooks/hato",
        "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "previous_secret": null, "previous_secret_expires_at": null,
        "enabled": true, "disabled_reason": null,
    })
}

fn rotated() -> Value {
    let mut webhook = webhook();
    webhook["previous_secret"] = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=".into();
    webhook["previous_secret_expires_at"] = 1_790_086_400_000_i64.into();
    webhook
}
