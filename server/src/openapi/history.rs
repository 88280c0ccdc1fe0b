//! What was sent, stopping it, and deliveries that finally failed (SPEC 4.11, CONTRACT 4).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{Cancelled, DeadLetter, HistoryItem, Page};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::operation::{OperationSpec, delete, get};
use super::parameter;

pub const TAG: &str = "history";
pub const ABOUT: &str = "What was sent, what became of it, and stopping it.";

/// The endpoints of the history of sends, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    let all = "/api/v1/apps/{appId}/notifications";
    let one = "/api/v1/apps/{appId}/notifications/{send_id}";
    let dead_letters = "/api/v1/apps/{appId}/dead-letters";
    vec![
        list::<HistoryItem>(all, "listNotifications", &item())
            .summary(
                "The sends of the app, newest first",
                "送信履歴を新しい順に取得する",
            )
            .parameters([parameter::status()]),
        get(one, "getNotification")
            .summary("One send", "一件の送信を取得する")
            .response::<HistoryItem>(200, "Its history item.", item())
            .errors([E::NotFound]),
        delete(one, "cancelNotification")
            .summary(
                "Stop what of a send is not yet being delivered",
                "未配信の分を取り消す",
            )
            .response::<Cancelled>(
                200,
                "How many recipients were spared.",
                json!({"ok": true, "cancelled": 80}),
            )
            .errors([E::NotFound]),
        list::<DeadLetter>(dead_letters, "listDeadLetters", &dead_letter()).summary(
            "Deliveries that finally failed, newest first",
            "最終的に失敗した配信を新しい順に取得する",
        ),
    ]
}

/// The endpoint of a list that is newest first, with a last page that has one entry.
pub fn list<T>(path: &'static str, id: &'static str, entry: &Value) -> OperationSpec
where
    Page<T>: ToSchema,
{
    let page = json!({"items": [entry], "next_before": null, "next_before_id": null});
    get(path, id)
        .parameters(parameter::paging())
        .response::<Page<T>>(200, "A page of them.", page)
        .errors([E::InvalidInput])
}

fn item() -> Value {
    json!({
        "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "title": "Hello", "body": "It works.", "url": null,
        "created_at": 1_790_000_000_000_i64, "status": "done", "recipients": 120, "sent_count": 117,
        "failed_count": 2, "failed_expired": 1, "failed_other": 1, "skipped_count": 1, "cancelled_count": 0,
        "dead_letters_omitted": 0, "send_at": null, "expires_at": null, "max_per_minute": null, "refused_reason": null,
        "displayed_count": 81, "clicked_count": 9, "dismissed_count": 24, "clicks_by_action": {"read": 6},
        "actor": {"type": "api_key", "id": "key_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "name": "backend"},
    })
}

fn dead_letter() -> Value {
    json!({
        "id": "dl_17", "send_id": "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
        "subscription_id": "sub_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "endpoint": "https://push.example.com/abc",
        "reason": "unavailable", "detail": "errno 202, Service unavailable, try again later", "http_status": 503,
        "attempts": 4, "created_at": 1_790_000_000_000_i64,
    })
}
