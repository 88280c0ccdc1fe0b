//! Making, listing, changing and deleting apps (SPEC 4.13, 4.14, CONTRACT 4).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp, UpdateApp};
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, delete, get, patch, post};

pub const TAG: &str = "apps";
pub const ABOUT: &str = "An app has a VAPID key pair, subscribers and keys of its own.";

/// The endpoints of apps, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let (all, one) = ("/api/v1/apps", "/api/v1/apps/{appId}");
    let hook = "https://hooks.example.com/hato";
    vec![
        post(all, "createApp")
            .summary(
                "Create an app with a VAPID key pair",
                "VAPID 鍵を持つアプリを作成する",
            )
            .auth(EndpointAuth::Session)
            .body::<CreateApp>(json!({"name": "My shop"}))
            .response::<App>(201, "The app.", app())
            .errors([E::MissingFields, E::PlanLimitExceeded, E::ConfigError]),
        get(all, "listApps")
            .summary("The account's apps", "アカウントのアプリを一覧する")
            .auth(EndpointAuth::Session)
            .list_response::<App>("All of them.", json!([app()])),
        get(one, "getApp")
            .summary("One app", "アプリを取得する")
            .response::<App>(200, "The app.", app()),
        patch(one, "updateApp")
            .summary("Change an app's settings", "アプリの設定を変更する")
            .about(
                "Any of them, one at least; the others stay. `null` or the empty string clears an address. Setting a webhook needs the \
                 Pro plan, and `declarative` needs `site_url`.",
            )
            .body::<UpdateApp>(json!({"webhook_url": hook}))
            .response::<AppUpdated>(
                200,
                "What is set now.",
                json!({"ok": true, "webhook_url": hook, "site_url": null, "declarative": false, "tracking": "off"}),
            )
            .errors([E::MissingFields, E::InvalidUrl, E::PlanRequired]),
        delete(one, "deleteApp")
            .summary(
                "Delete an app with everything in it",
                "アプリとそのすべてを削除する",
            )
            .about("What it has queued is stopped; what it has sent this month still counts.")
            .response::<Acknowledged>(200, "It is gone.", json!({"ok": true})),
    ]
}

fn app() -> Value {
    json!({
        "appId": "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "My shop",
        "vapid_public_key": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "webhook_url": null, "vapid_subject": "https://push.example.com", "plan": "free",
        "active_subscriptions": 120, "created_at": 1_790_000_000_000_i64,
        "site_url": null, "declarative": false, "tracking": "off",
    })
}
