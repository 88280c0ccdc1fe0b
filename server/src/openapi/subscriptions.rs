//! SPEC 4.1 to 4.4.

use hato_domain::wire::{Acknowledged, PublicKey, RegisterSubscription, Registered, Unsubscribe};
use hato_domain::{ErrorCode, Scope};
use http::Method;
use serde_json::{Value, json};

use super::operation::Operation;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "subscriptions";

const ANY_KEY: Takes = Takes::Key(Scope::SubscribeOnly);

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    vec![
        registration("/api/v1/subscriptions", "registerSubscription")
            .says(
                "Register a browser with the key's app",
                "ブラウザをキーのアプリに登録する",
            )
            .about("Registering again replaces its keys. Not subject to the subscriber limit."),
        registration(
            "/api/v1/apps/{appId}/subscriptions",
            "registerAppSubscription",
        )
        .says(
            "Register a browser within the plan's limit",
            "プランの上限の範囲でブラウザを登録する",
        )
        .refuses([ErrorCode::SubscriberLimitExceeded]),
        Operation::new(
            Method::DELETE,
            "/api/v1/apps/{appId}/subscriptions",
            "unsubscribe",
            TAG,
        )
        .says("Unsubscribe a browser", "ブラウザの登録を解除する")
        .about("Also 200 when there is nothing to unsubscribe.")
        .takes(ANY_KEY)
        .body::<Unsubscribe>(json!({"endpoint": "https://push.example.com/abc"}))
        .answers::<Acknowledged>(200, "It gets nothing more.", json!({"ok": true}))
        .refuses([
            ErrorCode::MissingFields,
            ErrorCode::InvalidUrl,
            ErrorCode::InvalidEndpoint,
        ]),
        Operation::new(
            Method::GET,
            "/api/v1/vapid-public-key",
            "getVapidPublicKey",
            TAG,
        )
        .says(
            "What a browser needs to subscribe",
            "購読に必要な公開鍵を取得する",
        )
        .takes(ANY_KEY)
        .answers::<PublicKey>(200, "The key of the app.", public_key()),
    ]
}

fn registration(path: &'static str, id: &'static str) -> Operation {
    let registered = json!({"id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"});
    Operation::new(Method::POST, path, id, TAG)
        .takes(ANY_KEY)
        .body::<RegisterSubscription>(subscription())
        .answers::<Registered>(201, "The endpoint is new.", registered.clone())
        .answers::<Registered>(200, "The endpoint was known.", registered)
        .refuses([
            ErrorCode::MissingFields,
            ErrorCode::InvalidUrl,
            ErrorCode::InvalidEndpoint,
        ])
}

fn subscription() -> Value {
    json!({
        "endpoint": "https://push.example.com/abc",
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        "platform": "Firefox on Linux",
    })
}

fn public_key() -> Value {
    json!({
        "publicKey": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "appId": "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
    })
}
