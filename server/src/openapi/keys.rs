//! API keys, and what happened to them (SPEC 4.6, 4.7, 4.12).

use hato_domain::ErrorCode;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey, KeyEvent, Page};
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::history::page;
use super::operation::OperationSpec;
use super::parameter;

/// The tag under which documents group the endpoints of API keys.
pub const TAG: &str = "API keys";

/// The endpoints of API keys, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let all = "/api/v1/apps/{appId}/keys";
    let mut created = key();
    created["key"] = format!("pk_{}", "0".repeat(64)).into();
    vec![
        OperationSpec::new(Method::POST, all, "createApiKey", TAG)
            .summary("Create a key", "API キーを作成する")
            .about("The only answer with the raw key.")
            .auth(EndpointAuth::SessionOrFullKey)
            .body::<CreateKey>(json!({"name": "web shop", "scope": "notify"}))
            .response::<CreatedKey>(201, "The key, once.", created)
            .errors([
                ErrorCode::MissingFields,
                ErrorCode::InvalidScope,
                ErrorCode::ConfigError,
            ]),
        OperationSpec::new(Method::GET, all, "listApiKeys", TAG)
            .summary("The app's keys", "API キーを一覧する")
            .auth(EndpointAuth::SessionOrFullKey)
            .list_response::<ApiKey>("All of them, without the raw keys.", json!([key()])),
        OperationSpec::new(
            Method::DELETE,
            "/api/v1/apps/{appId}/keys/{keyId}",
            "deleteApiKey",
            TAG,
        )
        .summary("Delete a key at once and for good", "API キーを削除する")
        .auth(EndpointAuth::SessionOrFullKey)
        .response::<Acknowledged>(200, "It is gone.", json!({"ok": true}))
        .errors([ErrorCode::NotFound]),
        OperationSpec::new(
            Method::GET,
            "/api/v1/apps/{appId}/key-events",
            "listKeyEvents",
            TAG,
        )
        .summary(
            "Who made and deleted keys, newest first",
            "API キーの作成と削除の履歴を新しい順に取得する",
        )
        .auth(EndpointAuth::SessionOrFullKey)
        .parameters(parameter::paging())
        .response::<Page<KeyEvent>>(200, "A page of them.", page(&event()))
        .errors([ErrorCode::InvalidInput]),
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
