//! Messages of MCP clients, nearly right ones.

use bytes::Bytes;
use fastrand::Rng;
use serde_json::{Value, json};

use super::body::members;

const METHODS: [&str; 8] = [
    "initialize",
    "ping",
    "tools/list",
    "notifications/initialized",
    "notifications/cancelled",
    "resources/list",
    "",
    "tools/call\u{0}",
];

const TOOLS: [&str; 8] = [
    "send_notification",
    "get_stats",
    "list_notifications",
    "list_api_keys",
    "create_api_key",
    "delete_api_key",
    "",
    "SEND_NOTIFICATION",
];

/// Mostly the call of a tool.
pub fn generate(random: &mut Rng) -> Bytes {
    let mut message = json!({"jsonrpc": "2.0", "id": id(random)});
    if random.u8(..4) == 0 {
        message["method"] = json!(random.choice(METHODS).expect("there are some"));
        message["params"] = members(random);
    } else {
        message["method"] = json!("tools/call");
        message["params"] = json!({
            "name": random.choice(TOOLS).expect("there are some"),
            "arguments": arguments(random),
        });
    }
    if random.u8(..16) == 0 {
        message["jsonrpc"] = json!("1.0");
    }
    message.to_string().into()
}

fn id(random: &mut Rng) -> Value {
    match random.u8(..12) {
        0 => json!(null),
        1 => json!("x"),
        2 => json!(1.5),
        3 => json!(u64::MAX),
        4 => json!([1]),
        _ => json!(random.u32(..)),
    }
}

fn arguments(random: &mut Rng) -> Value {
    match random.u8(..8) {
        0 => json!(null),
        1 => json!("title"),
        2 => json!([]),
        3 => json!({"limit": random.i64(..), "before": random.i64(..)}),
        4 => json!({"title": "t", "body": "b"}),
        _ => members(random),
    }
}
