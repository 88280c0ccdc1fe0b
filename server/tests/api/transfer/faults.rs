//! Why items are refused, in words that say what to mend.

use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{bulk, endpoint};
use crate::fixtures::{P256DH, registration, setup};

/// Items that are all `INVALID_INPUT`, with something of why.
fn faulty() -> Vec<(Value, &'static str)> {
    let with = |number: usize, member: &str, value: Value| {
        let mut item = registration(&endpoint(number));
        item[member] = value;
        item
    };
    let tags: Vec<_> = (0..51).map(|number| format!("t{number}")).collect();
    vec![
        (with(1, "p256dh", json!("short")), "p256dh が"),
        (with(2, "auth", json!("short")), "auth が"),
        (
            with(3, "vapid_public_key", json!(P256DH)),
            "このアプリにありません",
        ),
        (
            with(4, "vapid_public_key", json!("x")),
            "vapid_public_key が",
        ),
        (with(5, "tags", json!(["a b"])), "タグが"),
        (with(6, "tags", json!(tags)), "タグが"),
        (with(7, "user_id", json!("a\tb")), "user_id"),
        (with(8, "lang", json!("日本語")), "lang"),
        (with(9, "time_zone", json!("/")), "time_zone"),
        (
            with(10, "created_at", json!(99_999_999_999_999_i64)),
            "created_at",
        ),
        (with(11, "created_at", json!(-1)), "created_at"),
        (with(12, "platform", json!("x".repeat(101))), "platform"),
        (json!("nonsense"), "JSON のオブジェクト"),
    ]
}

#[on_each_database]
async fn each_cause_has_words_of_its_own(database: TestDatabase) {
    let ((_server, app), all) = (setup(database).await, faulty());
    let items: Vec<_> = all.iter().map(|it| it.0.clone()).collect();
    for query in ["?dry_run=true", ""] {
        let reply = bulk(&app, query, &items).await;
        let answer = reply.json();
        let rejected = answer["rejected"].as_array().expect("a list");
        assert_eq!(rejected.len(), all.len(), "{reply}");
        for (it, (_, words)) in rejected.iter().zip(&all) {
            assert_eq!(it["code"], "INVALID_INPUT", "{it}");
            let members = it.as_object().expect("an object").keys();
            assert_eq!(members.collect::<Vec<_>>(), ["code", "index", "message"]);
            let message = it["message"].as_str().expect("text");
            assert!(message.contains(words), "{it}");
        }
    }
}
