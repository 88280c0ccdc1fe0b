//! A site's users: with what it proves who they are, and forgetting one (CONTRACT 12).

use hato_domain::ErrorCode;
use hato_domain::wire::{EraseUser, Identity, UserErased};
use serde_json::{Value, json};

use super::operation::{OperationSpec, get, post};

pub const TAG: &str = "users";
pub const ABOUT: &str = "Subscriptions belong to the users that a site proves.";

/// The endpoints of users, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    vec![
        get("/api/v1/apps/{appId}/identity", "getIdentity")
            .summary(
                "With what users are proven",
                "ユーザーを証明するシークレットを取得する",
            )
            .about(
                "The key of `user_token`: HMAC-SHA256 over the app's id, a line feed and the user's id, in lower-case hexadecimal digits.",
            )
            .response::<Identity>(200, "The secrets.", identity()),
        post("/api/v1/apps/{appId}/identity/secret", "rotateIdentitySecret")
            .summary("Make a new secret", "シークレットを更新する")
            .about("For 24 hours the tokens of both are taken.")
            .response::<Identity>(200, "Both secrets.", rotated()),
        post("/api/v1/apps/{appId}/users/erase", "eraseUser")
            .summary("Erase a user", "ユーザーを消去する")
            .about("Removes the user's subscriptions, active or not, and what names them.")
            .body::<EraseUser>(json!({"user_id": "4711"}))
            .response::<UserErased>(200, "Nothing is left.", json!({"ok": true, "removed": 2}))
            .errors([ErrorCode::MissingFields]),
    ]
}

fn identity() -> Value {
    json!({
        "identity_secret": "idsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "previous_secret": null, "previous_secret_expires_at": null,
    })
}

fn rotated() -> Value {
    let mut identity = identity();
    identity["previous_secret"] = "idsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA".into();
    identity["previous_secret_expires_at"] = 1_790_086_400_000_i64.into();
    identity
}
