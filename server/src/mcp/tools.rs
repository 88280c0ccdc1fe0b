//! The server as clients of the protocol see it.

use hato_domain::ErrorCode;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool as ToolDefinition,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::context::ToolContext;
use super::tool::{DEFINITIONS, Tool, structured};
use crate::http::error::{self, ApiError};

const ABOUT: &str = "Hato sends Web Push notifications to the browsers that subscribed to an app. The app is the API key's. \
    Refusals have a code, such as MONTHLY_LIMIT_EXCEEDED, and a sentence in Japanese.";

/// Lists and calls the tools.
pub struct McpServer;

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new("hato", env!("CARGO_PKG_VERSION")).with_title("Hato");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(DEFINITIONS.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<ToolDefinition> {
        let mut definitions = DEFINITIONS.iter();
        definitions.find(|it| it.name == name).cloned()
    }

    /// A refusal is the tool's answer, not the protocol's: models read it and do better.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params("there is no such tool", None);
        let tool = Tool::from_name(&request.name).ok_or_else(unknown)?;
        let no_context = || ErrorData::internal_error(ErrorCode::InternalError.as_str(), None);
        let tool_context =
            ToolContext::from_extensions(&context.extensions).ok_or_else(no_context)?;
        let pricing_url = tool_context.state.pricing_url.clone();
        let arguments = Value::Object(request.arguments.unwrap_or_default()).to_string();
        tool_context.tree.leave();
        Ok(match tool.call(tool_context, &arguments).await {
            Ok(output) => success(&output).into(),
            Err(error) => refusal(&error, &pricing_url).into(),
        })
    }
}

fn success(output: &Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(output.to_string())]);
    result.structured_content = Some(structured(output));
    result
}

fn refusal(error: &ApiError, pricing_url: &str) -> CallToolResult {
    let body = error::body(error.code(), pricing_url);
    let text = serde_json::to_string(&body).expect("an error body is plain data");
    CallToolResult::error(vec![ContentBlock::text(text)])
}
