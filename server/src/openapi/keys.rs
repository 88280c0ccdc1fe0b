//! SPEC 4.6, 4.7, 4.12.

use hato_domain::ErrorCode;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey, KeyEvent, Page};
use http::Method;
use serde_json::{Value, json};

use super::history::page;
use super::operation::Operation;
use super::parameter;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "API keys";

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    let all = "/api/v1/apps/{appId}/keys";
    let mut created = key();
    created["key"] = format!("pk_{}", "0".repeat(64)).into();
    vec![
        Operation::new(Method::POST, all, "createApiKey", TAG)
            .says("Create a key", "API キーを作成する")
            .about("The only answer with the raw key.")
            .takes(Takes::SessionOrFullKey)
            .body::<CreateKey>(json!({"name": "web shop", "scope": "notify"}))
            .answers::<CreatedKey>(201, "The key, once.", created)
            .refuses([
                ErrorCode::MissingFields,
                ErrorCode::InvalidScope,
                ErrorCode::ConfigError,
            ]),
        Operation::new(Method::GET, all, "listApiKeys", TAG)
            .says("The app's keys", "API キーを一覧する")
            .takes(Takes::SessionOrFullKey)
            .answers_list::<ApiKey>("All of them, without the raw keys.", json!([key()])),
        Operation::new(
            Method::DELETE,
            "/api/v1/apps/{appId}/keys/{keyId}",
            "deleteApiKey",
            TAG,
        )
        .says("Delete a key at once and for good", "API キーを削除する")
        .takes(Takes::SessionOrFullKey)
        .answers::<Acknowledged>(200, "It is gone.", json!({"ok": true}))
        .refuses([ErrorCode::NotFound]),
        Operation::new(
            Method::GET,
            "/api/v1/apps/{appId}/key-events",
            "listKeyEvents",
            TAG,
        )
        .says(
            "Who made and deleted keys, newest first",
            "API キーの作成と削除の履歴を新しい順に取得する",
        )
        .takes(Takes::SessionOrFullKey)
        .with(parameter::paging())
        .answers::<Page<KeyEvent>>(200, "A page of them.", page(&event()))
        .refuses([ErrorCode::InvalidInput]),
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
