//! The tools, as they are listed and as they are called.

use std::sync::LazyLock;

use hato_domain::wire::{
    Acknowledged, ApiKey, CreateKey, CreatedKey, HistoryItem, ListEntries, NamedKey, Notify, Page,
    SendAccepted, Stats,
};
use rmcp::model::{JsonObject, Tool as ToolDefinition, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};

use super::context::ToolContext;
use super::{arguments, schema};
use crate::http::access::{EncryptionKey, Pepper, RequiredSecret as _};
use crate::http::error::ApiResult;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// SPEC 4.7.
    ListApiKeys,
    /// SPEC 4.6.
    CreateApiKey,
    /// CONTRACT 4.
    DeleteApiKey,
    /// SPEC 4.8.
    SendNotification,
    /// SPEC 4.5.
    GetStats,
    /// SPEC 4.11.
    ListNotifications,
}

/// All tools as clients are told of them.
pub static DEFINITIONS: LazyLock<Vec<ToolDefinition>> =
    LazyLock::new(|| Tool::ALL.into_iter().map(Tool::definition).collect());

impl Tool {
    const ALL: [Self; 6] = [
        Self::ListApiKeys,
        Self::CreateApiKey,
        Self::DeleteApiKey,
        Self::SendNotification,
        Self::GetStats,
        Self::ListNotifications,
    ];

    /// The tool of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListApiKeys => "list_api_keys",
            Self::CreateApiKey => "create_api_key",
            Self::DeleteApiKey => "delete_api_key",
            Self::SendNotification => "send_notification",
            Self::GetStats => "get_stats",
            Self::ListNotifications => "list_notifications",
        }
    }

    /// Does what the endpoint does; the JSON that it answers.
    pub async fn call(self, context: ToolContext, input: JsonObject) -> ApiResult<Value> {
        let ToolContext {
            state,
            access,
            arguments: well_formed,
        } = context;
        well_formed?;
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
                to_json(SendAccepted::from(&accepted))
            }
            Self::GetStats => to_json(service.stats(&access).await?),
            Self::ListNotifications => {
                let page = arguments::page(input)?;
                let sends = service.history(&access, &page).await?;
                to_json(sends.map(HistoryItem::from))
            }
        })
    }

    fn definition(self) -> ToolDefinition {
        let (title, about) = self.texts();
        let (input, output) = self.schemas();
        let mut definition = ToolDefinition::new(self.name(), about, input);
        definition.title = Some(title.to_owned());
        definition.output_schema = Some(output.into());
        definition.annotations = Some(self.hints(title));
        definition
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::ListApiKeys => (
                "List API keys",
                "Lists the API keys of the app: id, name, scope and last use. Raw keys are never shown.",
            ),
            Self::CreateApiKey => (
                "Create an API key",
                "Creates an API key with the scope subscribe_only (for web pages), notify (for servers that send) or full \
                 (for management). The answer has the raw key, once and never again.",
            ),
            Self::DeleteApiKey => (
                "Delete an API key",
                "Deletes an API key at once and for good: whatever uses it stops working.",
            ),
            Self::SendNotification => (
                "Send a push notification",
                "Sends a Web Push notification to all active subscribers of the app, or only to the one whose endpoint is \
                 given. It appears on people's devices and cannot be taken back.",
            ),
            Self::GetStats => (
                "Show statistics",
                "Shows subscribers, totals, this month's count toward the plan, and the last 30 days.",
            ),
            Self::ListNotifications => (
                "List sent notifications",
                "Lists the sends of the app, newest first, with how many recipients were reached. For the next page pass \
                 next_before and next_before_id as before and before_id.",
            ),
        }
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

    fn schemas(self) -> (JsonObject, JsonObject) {
        match self {
            Self::ListApiKeys => (schema::empty(), schema::for_list::<ApiKey>()),
            Self::CreateApiKey => (
                schema::for_type::<CreateKey>(),
                schema::for_type::<CreatedKey>(),
            ),
            Self::DeleteApiKey => (
                schema::for_type::<NamedKey>(),
                schema::for_type::<Acknowledged>(),
            ),
            Self::SendNotification => (
                schema::for_type::<Notify>(),
                schema::for_type::<SendAccepted>(),
            ),
            Self::GetStats => (schema::empty(), schema::for_type::<Stats>()),
            Self::ListNotifications => (
                schema::for_type::<ListEntries>(),
                schema::for_type::<Page<HistoryItem>>(),
            ),
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
