//! SPEC 4.13, 4.14, CONTRACT 4.

use hato_domain::ErrorCode;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp, UpdateApp};
use http::Method;
use serde_json::{Value, json};

use super::operation::Operation;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "apps";

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    let (all, one) = ("/api/v1/apps", "/api/v1/apps/{appId}");
    vec![
        Operation::new(Method::POST, all, "createApp", TAG)
            .says(
                "Create an app with a VAPID key pair",
                "VAPID 鍵を持つアプリを作成する",
            )
            .takes(Takes::Session)
            .body::<CreateApp>(json!({"name": "My shop"}))
            .answers::<App>(201, "The app.", app())
            .refuses([
                ErrorCode::MissingFields,
                ErrorCode::PlanLimitExceeded,
                ErrorCode::ConfigError,
            ]),
        Operation::new(Method::GET, all, "listApps", TAG)
            .says("The account's apps", "アカウントのアプリを一覧する")
            .takes(Takes::Session)
            .answers_list::<App>("All of them.", json!([app()])),
        Operation::new(Method::GET, one, "getApp", TAG)
            .says("One app", "アプリを取得する")
            .takes(Takes::SessionOrFullKey)
            .answers::<App>(200, "The app.", app()),
        Operation::new(Method::PATCH, one, "updateApp", TAG)
            .says("Set or clear the webhook", "Webhook を設定または解除する")
            .about("`null` or the empty string clears it; setting it needs the Pro plan.")
            .takes(Takes::SessionOrFullKey)
            .body::<UpdateApp>(json!({"webhook_url": "https://hooks.example.com/hato"}))
            .answers::<AppUpdated>(
                200,
                "What is set now.",
                json!({"ok": true, "webhook_url": "https://hooks.example.com/hato"}),
            )
            .refuses([
                ErrorCode::MissingFields,
                ErrorCode::InvalidUrl,
                ErrorCode::PlanRequired,
            ]),
        Operation::new(Method::DELETE, one, "deleteApp", TAG)
            .says(
                "Delete an app with everything in it",
                "アプリとそのすべてを削除する",
            )
            .about("What it has queued is stopped; what it has sent this month still counts.")
            .takes(Takes::SessionOrFullKey)
            .answers::<Acknowledged>(200, "It is gone.", json!({"ok": true})),
    ]
}

fn app() -> Value {
    json!({
        "appId": "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "My shop",
        "vapid_public_key": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "webhook_url": null, "vapid_subject": "https://push.example.com", "plan": "free",
        "active_subscriptions": 120, "created_at": 1_790_000_000_000_i64,
    })
}
