//! API keys, and what happened to them (SPEC 4.6, 4.7, 4.12).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey, KeyEvent};
use serde_json::{Value, json};

use super::history::list;
use super::operation::{OperationSpec, delete, get, post};
use super::parameter;

pub const TAG: &str = "API keys";
pub const ABOUT: &str = "Credentials of programs, in three scopes.";

/// The endpoints of API keys, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let all = "/api/v1/apps/{appId}/keys";
    let events = "/api/v1/apps/{appId}/key-events";
    let mut created = key();
    created["key"] = format!("pk_{}", "0".repeat(64)).into();
    vec![
        post(all, "createApiKey")
            .summary("Create a key", "API キーを作成する")
            .about("The only answer with the raw key.")
            .body::<CreateKey>(json!({"name": "web shop", "scope": "notify"}))
            .response::<CreatedKey>(201, "The key, once.", created)
            .errors([
                E::MissingFields,
                E::InvalidScope,
                E::ConfigError,
                E::TooManyKeys,
            ]),
        get(all, "listApiKeys")
            .summary("The app's keys", "API キーを一覧する")
            .list_response::<ApiKey>("All of them, without the raw keys.", json!([key()])),
        delete("/api/v1/apps/{appId}/keys/{keyId}", "deleteApiKey")
            .summary("Delete a key at once and for good", "API キーを削除する")
            .about("With `cancel_sends`, what it has sent and is not over is cancelled as well, scheduled sends included.")
            .parameters(parameter::cancel_sends())
            .response::<Acknowledged>(200, "It is gone.", json!({"ok": true}))
            .errors([E::InvalidInput, E::NotFound]),
        list::<KeyEvent>(events, "listKeyEvents", &event()).summary(
            "Who made and deleted keys, newest first",
            "API キーの作成と削除の履歴を新しい順に取得する",
        ),
    ]
}

fn key() -> Value {
    json!({
        "id": "key_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "web shop", "scope": "notify",
        "last_used_at": null, "created_at": 1_790_000_000_000_i64,
    })
}

fn event() -> Value {
    json!({
        "id": "evt_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "event": "created",
        "key_id": "key_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "key_name": "web shop", "key_scope": "notify",
        "created_at": 1_790_000_000_000_i64,
        "actor": {"type": "user", "id": "usr_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "owner@example.com"},
    })
}
