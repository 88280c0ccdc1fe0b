//! A target of `make fuzz`: what MCP clients send.

use bytes::Bytes;
use hato_domain::wire::{CreateKey, Notify};
use rmcp::model::ClientJsonRpcMessage;
use serde_json::Value;

use super::{arguments, message, take_invalid_arguments};

/// A message of an MCP client can be written as it was read, the protocol reads it or refuses it, and so do the tools its arguments.
pub fn mcp_frame(data: &[u8]) {
    let Ok(mut read) = message(&Bytes::copy_from_slice(data)) else {
        return;
    };
    let is_call = read["method"] == "tools/call";
    let are_invalid = take_invalid_arguments(&mut read).is_err();
    let left = read.pointer("/params/arguments").cloned();
    assert!(!is_call || matches!(left, None | Some(Value::Object(_) | Value::Null)));
    assert!(is_call || !are_invalid);
    let written = read.to_string();
    let again = message(&Bytes::from(written.clone())).expect("what was read can be written");
    assert_eq!(again.to_string(), written);
    drop(serde_json::from_str::<ClientJsonRpcMessage>(&written));
    if let Some(members @ Value::Object(_)) = left {
        read_arguments(&members.to_string());
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
