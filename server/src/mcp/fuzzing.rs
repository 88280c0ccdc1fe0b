//! A target of `make fuzz`: what MCP clients send.

use bytes::Bytes;
use hato_domain::wire::{CreateKey, Notify};
use rmcp::model::ClientJsonRpcMessage;
use serde_json::Value;

use super::message_tree::{MAX_VALUES, count_values};
use super::{arguments, checked, message};

/// A message of an MCP client has no more values than it may, and can be written as it was read; the protocol reads it or refuses it, and
/// so do the tools its arguments.
pub fn mcp_frame(data: &[u8]) {
    let Ok((written, arguments)) = checked(&Bytes::copy_from_slice(data)) else {
        return;
    };
    let read = message(&written).expect("what was read can be written");
    assert_eq!(read.to_string().as_bytes(), written);
    let values = values_of(&read);
    assert!(values <= count_values(&written) && values <= MAX_VALUES);
    let is_call = read["method"] == "tools/call";
    let left = read.pointer("/params/arguments").cloned();
    assert!(!is_call || matches!(left, None | Some(Value::Object(_) | Value::Null)));
    assert!(is_call || arguments.is_ok());
    drop(serde_json::from_slice::<ClientJsonRpcMessage>(&written));
    if let Some(members @ Value::Object(_)) = left {
        read_arguments(&members.to_string());
    }
}

/// How many there are, names of members included.
fn values_of(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(items) => items.iter().map(values_of).sum(),
        Value::Object(members) => members.values().map(|it| 1 + values_of(it)).sum(),
        _ => 0,
    }
}

fn read_arguments(members: &str) {
    let key = arguments::read::<CreateKey>(members);
    drop(key.and_then(CreateKey::into_parts));
    let notification = arguments::read::<Notify>(members);
    drop(notification.and_then(Notify::into_notification));
    drop(arguments::page(members));
    drop(arguments::key_id(members));
}
