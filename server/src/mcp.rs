//! The MCP endpoint (CONTRACT 9): Streamable HTTP without sessions, for a full key. Each tool is an endpoint of the API with
//! another envelope; the protocol is rmcp's.

mod arguments;
mod context;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod message_tree;
mod schema;
mod tool;
mod tools;

use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hato_domain::ErrorCode;
use hato_domain::wire::{MAX_BODY_BYTES, has_unique_members};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tracing::Span;

use crate::http::access::FullKeyAccess;
use crate::http::error::{ApiError, ApiResult};
use crate::http::json;
use crate::state::AppState;
use context::ToolContext;
use message_tree::MessageTree;
use tools::McpServer;

/// Which host was asked is not of interest: what protects is the key, and the check of the origin before.
static MCP_SERVICE: LazyLock<StreamableHttpService<McpServer, NeverSessionManager>> =
    LazyLock::new(|| {
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(None)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .disable_allowed_hosts();
        StreamableHttpService::new(|| Ok(McpServer), Arc::default(), settings)
    });

/// `POST /mcp`: a message of an MCP client, which may call a tool; for full keys only (CONTRACT 9).
pub async fn handle(
    State(state): State<AppState>,
    FullKeyAccess(access): FullKeyAccess,
    request: Request,
) -> ApiResult<Response> {
    let (mut parts, body) = request.into_parts();
    let body = json::read(&mut parts, body).await?;
    let tree = MessageTree::enter().await;
    let (body, arguments) = checked(&body)?;
    set_protocol_headers(&mut parts.headers);
    parts.extensions.insert(ToolContext {
        state,
        access,
        arguments,
        span: Span::current(),
        tree,
    });
    let response = MCP_SERVICE
        .handle(Request::from_parts(parts, Full::new(body)))
        .await;
    Ok(with_api_errors(response.map(Body::new)))
}

/// The message as the protocol's library gets it, and what is wrong with the arguments of a tool.
fn checked(body: &Bytes) -> Result<(Bytes, Result<(), ErrorCode>), ErrorCode> {
    if message_tree::count_values(body) > message_tree::MAX_VALUES {
        return Err(ErrorCode::PayloadTooLarge);
    }
    let mut message = message(body)?;
    let arguments = take_invalid_arguments(&mut message);
    Ok((Bytes::from(message.to_string()), arguments))
}

/// A JSON-RPC message is one object with a method, or an answer to one; a list of them was given up by the protocol. A member that
/// stands twice in it, in the arguments of a tool as well, says two things: whichever was meant, it is not done (CONTRACT 2).
fn message(body: &Bytes) -> Result<Value, ErrorCode> {
    let message: Value = serde_json::from_slice(body).map_err(|_| ErrorCode::InvalidInput)?;
    let is_message = message["jsonrpc"] == "2.0"
        && has_unique_members(body)
        && (message["method"].is_string() || message["id"].is_string() || message["id"].is_i64());
    is_message.then_some(message).ok_or(ErrorCode::InvalidInput)
}

/// Arguments that are no object would be an error of the protocol, which models do not get to read: the tool refuses them.
fn take_invalid_arguments(message: &mut Value) -> Result<(), ErrorCode> {
    if message["method"] != "tools/call" {
        return Ok(());
    }
    match message.pointer_mut("/params/arguments") {
        None | Some(Value::Object(_) | Value::Null) => Ok(()),
        Some(wrong) => {
            wrong.take();
            Err(ErrorCode::InvalidInput)
        }
    }
}

/// The API does not look at these headers, and clients that leave them out mean the same.
fn set_protocol_headers(headers: &mut HeaderMap) {
    let types = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(ACCEPT, types);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// Refusals of the protocol that are no JSON-RPC messages become error bodies (CONTRACT 2).
fn with_api_errors(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if response.status().is_client_error() && !is_json {
        return ApiError::from(ErrorCode::InvalidInput).into_response();
    }
    if response.status().is_server_error() && !is_json {
        return ApiError::from(ErrorCode::InternalError).into_response();
    }
    response
}
