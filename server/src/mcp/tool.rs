//! The tools, as they are listed and as they are called.

use std::sync::LazyLock;

use hato_domain::wire::{
    Acknowledged, ApiKey, CreateKey, CreatedKey, HistoryItem, ListEntries, NamedKey, Notify, Page,
    SendAccepted, Stats,
};
use rmcp::model::{JsonObject, Tool as ToolDefinition, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::context::ToolContext;
use super::{arguments, schema};
use crate::http::access::{EncryptionKey, Pepper, RequiredSecret as _};
use crate::http::error::ApiResult;

/// A tool that MCP clients may call, which is an operation of the API (CONTRACT 9).
#[derive(Clone, Copy)]
pub enum Tool {
    /// Lists the keys of the app without the raw keys (SPEC 4.7).
    ListApiKeys,
    /// Makes a key and shows the raw key once (SPEC 4.6).
    CreateApiKey,
    /// Deletes a key, effective at once (CONTRACT 4).
    DeleteApiKey,
    /// Sends a notification to all subscribers or one (SPEC 4.8).
    SendNotification,
    /// Shows the app's subscribers and what it has sent (SPEC 4.5).
    GetStats,
    /// Lists the sends of the app, newest first (SPEC 4.11).
    ListNotifications,
}

/// What clients are told of a tool, besides what it promises of itself.
struct ToolSpec {
    tool: Tool,
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// The schemas of its arguments and of its answer.
    schemas: fn() -> (JsonObject, JsonObject),
}

static SPECS: [ToolSpec; 6] = [
    ToolSpec {
        tool: Tool::ListApiKeys,
        name: "list_api_keys",
        title: "List API keys",
        about: "Lists the API keys of the app: id, name, scope and last use. Raw keys are never shown.",
        schemas: || (schema::empty(), schema::for_list::<ApiKey>()),
    },
    ToolSpec {
        tool: Tool::CreateApiKey,
        name: "create_api_key",
        title: "Create an API key",
        about: "Creates an API key with the scope subscribe_only (for web pages), notify (for servers that send) or full \
                (for management). The answer has the raw key, once and never again.",
        schemas: schemas::<CreateKey, CreatedKey>,
    },
    ToolSpec {
        tool: Tool::DeleteApiKey,
        name: "delete_api_key",
        title: "Delete an API key",
        about: "Deletes an API key at once and for good: whatever uses it stops working.",
        schemas: schemas::<NamedKey, Acknowledged>,
    },
    ToolSpec {
        tool: Tool::SendNotification,
        name: "send_notification",
        title: "Send a push notification",
        about: "Sends a Web Push notification to all active subscribers of the app, only to the one whose endpoint is \
                given, or only to the users and tags that to names: at once, or at send_at. It appears on people's \
                devices and cannot be taken back.",
        schemas: schemas::<Notify, SendAccepted>,
    },
    ToolSpec {
        tool: Tool::GetStats,
        name: "get_stats",
        title: "Show statistics",
        about: "Shows subscribers, totals, this month's count toward the plan, and the last 30 days.",
        schemas: || (schema::empty(), schema::for_type::<Stats>()),
    },
    ToolSpec {
        tool: Tool::ListNotifications,
        name: "list_notifications",
        title: "List sent notifications",
        about: "Lists the sends of the app, newest first, with how many recipients were reached. For the next page pass \
                next_before and next_before_id as before and before_id.",
        schemas: schemas::<ListEntries, Page<HistoryItem>>,
    },
];

/// All tools as clients are told of them.
pub static DEFINITIONS: LazyLock<Vec<ToolDefinition>> =
    LazyLock::new(|| SPECS.iter().map(ToolSpec::definition).collect());

impl ToolSpec {
    fn definition(&self) -> ToolDefinition {
        let (input, output) = (self.schemas)();
        ToolDefinition::new(self.name, self.about, input)
            .with_title(self.title)
            .with_raw_output_schema(output.into())
            .with_annotations(self.tool.hints(self.title))
    }
}

fn schemas<Input: ToSchema, Output: ToSchema>() -> (JsonObject, JsonObject) {
    (schema::for_type::<Input>(), schema::for_type::<Output>())
}

impl Tool {
    /// The tool of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let spec = SPECS.iter().find(|spec| spec.name == name);
        spec.map(|spec| spec.tool)
    }

    /// Does what the endpoint does with this JSON; the JSON that it answers.
    pub async fn call(self, context: ToolContext, input: &str) -> ApiResult<Value> {
        context.arguments?;
        let ToolContext {
            state,
            access,
            span,
            ..
        } = context;
        let service = &state.service;
        Ok(match self {
            Self::ListApiKeys => {
                let keys = service.keys(&access).await?;
                to_json(keys.into_iter().map(ApiKey::from).collect::<Vec<_>>())
            }
            Self::CreateApiKey => {
                Pepper::require(&state.secrets)?;
                let (name, scope) = arguments::read::<CreateKey>(input)?.into_parts()?;
                let key = service.create_key(&access, name, scope).await?;
                to_json(CreatedKey::from(key))
            }
            Self::DeleteApiKey => {
                let key = arguments::key_id(input)?;
                service.delete_key(&access, &key).await?;
                to_json(Acknowledged { ok: true })
            }
            Self::SendNotification => {
                EncryptionKey::require(&state.secrets)?;
                let message: Notify = arguments::read(input)?;
                let accepted = service.send(&access.may_send(), message, None).await?;
                span.record("send", accepted.send_id.as_str());
                to_json(SendAccepted::from(&accepted))
            }
            Self::GetStats => to_json(service.stats(&access).await?),
            Self::ListNotifications => {
                let page = arguments::page(input)?;
                let sends = service.history(&access, &page, None).await?;
                to_json(sends.map(HistoryItem::from))
            }
        })
    }

    /// What it promises of itself.
    fn hints(self, title: &str) -> ToolAnnotations {
        let hints = |reads, destroys, repeatable, reaches_people| {
            let title = Some(title.to_owned());
            ToolAnnotations::from_raw(title, reads, destroys, repeatable, reaches_people)
        };
        let (yes, no) = (Some(true), Some(false));
        match self {
            Self::ListApiKeys | Self::GetStats | Self::ListNotifications => hints(yes, no, yes, no),
            Self::CreateApiKey => hints(no, no, no, no),
            Self::DeleteApiKey => hints(no, yes, yes, no),
            Self::SendNotification => hints(no, yes, no, yes),
        }
    }
}

/// As structured content, which has to be an object.
pub fn structured(output: &Value) -> Value {
    match output {
        Value::Array(items) => json!({"items": items}),
        other => other.clone(),
    }
}

fn to_json(output: impl Serialize) -> Value {
    serde_json::to_value(output).expect("wire types are plain data")
}
