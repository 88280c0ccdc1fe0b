//! What the endpoint has found out about a request before a tool is called.

use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use http::request::Parts;
use tracing::Span;

use super::message_tree::MessageTree;
use crate::state::AppState;

/// Who calls, in the extensions of the request that rmcp hands to a tool.
#[derive(Clone)]
pub struct ToolContext {
    /// The use cases and settings.
    pub state: AppState,
    /// What the key may.
    pub access: MayManage,
    /// What is wrong with the arguments before any tool has read them.
    pub arguments: Result<(), ErrorCode>,
    /// The span of the request: the task that calls a tool has another one.
    pub span: Span,
    /// That the message is still a tree.
    pub tree: MessageTree,
}

impl ToolContext {
    /// What the endpoint put there; `None` in a request that did not come through it.
    pub fn from_extensions(extensions: &rmcp::model::Extensions) -> Option<Self> {
        extensions.get::<Parts>()?.extensions.get().cloned()
    }
}
