//! The VAPID keys of an app (CONTRACT 16).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{Acknowledged, AddVapidKey, ConfirmOwner, ExportedVapidKey, VapidKey};
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, delete, get, post};

pub const TAG: &str = "VAPID keys";
pub const ABOUT: &str = "The key pairs that sign deliveries: each subscription is bound to the one that it was made with.";

/// The endpoints of VAPID keys, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let all = "/api/v1/apps/{appId}/vapid-keys";
    vec![
        get(all, "listVapidKeys")
            .summary("The app's VAPID keys", "VAPID 鍵を一覧する")
            .list_response::<VapidKey>("All of them, oldest first.", json!([key()])),
        post(all, "addVapidKey")
            .summary(
                "Make or import a VAPID key pair",
                "VAPID 鍵を作成する、または取り込む",
            )
            .about("Subscriptions stay with the keys that they were made with. An import of a key that the app has changes nothing.")
            .optional_body::<AddVapidKey>(json!({}))
            .response::<VapidKey>(201, "The new key.", key())
            .response::<VapidKey>(200, "The key, which the app had already.", key())
            .errors([E::ConfigError, E::TooManyKeys]),
        post(
            "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/primary",
            "makeVapidKeyPrimary",
        )
        .summary(
            "Have browsers subscribe with it from now on",
            "VAPID 鍵を既定の鍵にする",
        )
        .about("The page script moves visitors who subscribed with another key, without asking them.")
        .response::<Acknowledged>(200, "It is the primary key.", json!({"ok": true})),
        post(
            "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/export",
            "exportVapidKey",
        )
        .summary(
            "The private key, to take the subscribers elsewhere",
            "VAPID の秘密鍵を書き出す",
        )
        .about("An account without a password gives its `email` instead.")
        .auth(EndpointAuth::Session)
        .body::<ConfirmOwner>(json!({"password": "correct horse battery"}))
        .response::<ExportedVapidKey>(200, "The pair in three forms.", exported())
        .errors([E::MissingFields, E::InvalidCredentials, E::ConfigError]),
        delete(
            "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}",
            "deleteVapidKey",
        )
        .summary("Delete a key that nobody has", "VAPID 鍵を削除する")
        .response::<Acknowledged>(200, "It is gone.", json!({"ok": true}))
        .errors([E::KeyInUse]),
    ]
}

fn key() -> Value {
    json!({
        "id": "vapid_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
        "public_key": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "primary": true, "created_at": 1_790_000_000_000_i64, "active_subscriptions": 120,
    })
}

fn exported() -> Value {
    let private_key = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
    json!({
        "private_key": private_key,
        "jwk": {
            "kty": "EC", "crv": "P-256", "d": private_key,
            "x": "JXGyvs3942BVGq8e0PTNNmwRzr5VX4m8t7GGpTM5FzE",
            "y": "aOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        },
        "pem": "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n",
    })
}
