//! Making, listing, changing and deleting apps (SPEC 4.13, 4.14, CONTRACT 4).

use hato_domain::ErrorCode;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp, UpdateApp};
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::OperationSpec;

/// The tag under which documents group the endpoints of apps.
pub const TAG: &str = "apps";

/// The endpoints of apps, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let (all, one) = ("/api/v1/apps", "/api/v1/apps/{appId}");
    vec![
        OperationSpec::new(Method::POST, all, "createApp", TAG)
            .summary(
                "Create an app with a VAPID key pair",
                "VAPID 鍵を持つアプリを作成する",
            )
            .auth(EndpointAuth::Session)
            .body::<CreateApp>(json!({"name": "My shop"}))
            .response::<App>(201, "The app.", app())
            .errors([
                ErrorCode::MissingFields,
                ErrorCode::PlanLimitExceeded,
                ErrorCode::ConfigError,
            ]),
        OperationSpec::new(Method::GET, all, "listApps", TAG)
            .summary("The account's apps", "アカウントのアプリを一覧する")
            .auth(EndpointAuth::Session)
            .list_response::<App>("All of them.", json!([app()])),
        OperationSpec::new(Method::GET, one, "getApp", TAG)
            .summary("One app", "アプリを取得する")
            .auth(EndpointAuth::SessionOrFullKey)
            .response::<App>(200, "The app.", app()),
        OperationSpec::new(Method::PATCH, one, "updateApp", TAG)
            .summary("Set or clear the webhook", "Webhook を設定または解除する")
            .about("`null` or the empty string clears it; setting it needs the Pro plan.")
            .auth(EndpointAuth::SessionOrFullKey)
            .body::<UpdateApp>(json!({"webhook_url": "https://hooks.example.com/hato"}))
            .response::<AppUpdated>(
                200,
                "What is set now.",
                json!({"ok": true, "webhook_url": "https://hooks.example.com/hato"}),
            )
            .errors([
                ErrorCode::MissingFields,
                ErrorCode::InvalidUrl,
                ErrorCode::PlanRequired,
            ]),
        OperationSpec::new(Method::DELETE, one, "deleteApp", TAG)
            .summary(
                "Delete an app with everything in it",
                "アプリとそのすべてを削除する",
            )
            .about("What it has queued is stopped; what it has sent this month still counts.")
            .auth(EndpointAuth::SessionOrFullKey)
            .response::<Acknowledged>(200, "It is gone.", json!({"ok": true})),
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
