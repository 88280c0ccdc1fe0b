//! Registering and removing browsers, and the key that they need for it (SPEC 4.1 to 4.4).

use hato_domain::wire::{
    Acknowledged, PublicKey, RegisterSubscription, Registered, SubscriptionUpdated, Unsubscribe,
    UpdateSubscription,
};
use hato_domain::{ErrorCode as E, Scope};
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, delete, get, patch, post};

pub const TAG: &str = "subscriptions";
pub const ABOUT: &str = "Browsers register what their push service gave them.";

const ANY_KEY: EndpointAuth = EndpointAuth::Key(Scope::SubscribeOnly);

/// The endpoints of subscriptions, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let of_app = "/api/v1/apps/{appId}/subscriptions";
    vec![
        registration("/api/v1/subscriptions", "registerSubscription")
            .summary(
                "Register a browser with the key's app",
                "ブラウザをキーのアプリに登録する",
            )
            .about(
                "Registering again replaces its keys. Not subject to the plan's subscriber limit.",
            ),
        registration(of_app, "registerAppSubscription").summary(
            "Register a browser within the plan's limit",
            "プランの上限の範囲でブラウザを登録する",
        ),
        delete(of_app, "unsubscribe")
            .summary("Unsubscribe a browser", "ブラウザの登録を解除する")
            .about("Also 200 when there is nothing to unsubscribe.")
            .auth(ANY_KEY)
            .body::<Unsubscribe>(json!({"endpoint": "https://push.example.com/abc"}))
            .response::<Acknowledged>(200, "It gets nothing more.", json!({"ok": true}))
            .errors([E::MissingFields, E::InvalidUrl, E::InvalidEndpoint]),
        get("/api/v1/vapid-public-key", "getVapidPublicKey")
            .summary(
                "What a browser needs to subscribe",
                "購読に必要な公開鍵を取得する",
            )
            .auth(ANY_KEY)
            .response::<PublicKey>(200, "The key of the app.", public_key()),
        update(),
    ]
}

fn update() -> OperationSpec {
    let change = json!({"endpoint": "https://push.example.com/abc", "add_tags": ["news"]});
    patch("/api/v1/subscriptions", "updateSubscription")
        .summary(
            "Change user, tags, language or time zone",
            "ユーザー、タグ、言語、タイムゾーンを変更する",
        )
        .about("What is absent stays; `null` takes user, language or time zone away.")
        .auth(ANY_KEY)
        .body::<UpdateSubscription>(change)
        .response::<SubscriptionUpdated>(200, "What is stored now.", updated())
        .errors([
            E::MissingFields,
            E::InvalidUrl,
            E::InvalidEndpoint,
            E::InvalidUserToken,
            E::NotFound,
        ])
}

fn registration(path: &'static str, id: &'static str) -> OperationSpec {
    let registered = json!({"id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"});
    post(path, id)
        .auth(ANY_KEY)
        .body::<RegisterSubscription>(subscription())
        .response::<Registered>(201, "The endpoint is new.", registered.clone())
        .response::<Registered>(200, "The endpoint was known.", registered)
        .errors([
            E::MissingFields,
            E::InvalidUrl,
            E::InvalidEndpoint,
            E::InvalidUserToken,
            E::SubscriberLimitExceeded,
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

fn updated() -> Value {
    json!({
        "id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
        "user_id": null, "tags": ["_plan:pro", "news"], "lang": "ja", "time_zone": "Asia/Tokyo",
    })
}

fn public_key() -> Value {
    json!({
        "publicKey": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "appId": "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
    })
}
