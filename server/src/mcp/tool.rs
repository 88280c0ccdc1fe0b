//! The tools, as they are offered and as they are called.

use std::sync::LazyLock;

use hato_domain::wire::{
    Acknowledged, ApiKey, CreateKey, CreatedKey, HistoryItem, ListEntries, NamedKey, Notify, Page,
    SendAccepted, Stats,
};
use rmcp::model::{JsonObject, Tool as Offer, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Caller, arguments, schema};
use crate::api::{keys, notifications, notify};
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
pub static OFFERS: LazyLock<Vec<Offer>> =
    LazyLock::new(|| Tool::ALL.into_iter().map(Tool::offer).collect());

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
    pub fn named(name: &str) -> Option<Self> {
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
    pub async fn call(self, caller: Caller, given: JsonObject) -> ApiResult<Value> {
        let Caller {
            state,
            access,
            arguments: well_formed,
        } = caller;
        well_formed?;
        let service = &state.service;
        Ok(match self {
            Self::ListApiKeys => {
                let keys = service.keys(&access).await?;
                plain(keys.into_iter().map(keys::shown).collect::<Vec<_>>())
            }
            Self::CreateApiKey => {
                Pepper::require(&state.secrets)?;
                let (name, scope) = arguments::read::<CreateKey>(given)?.into_parts()?;
                plain(keys::created(
                    service.create_key(&access, name, scope).await?,
                ))
            }
            Self::DeleteApiKey => {
                let key = arguments::key_id(given)?;
                service.delete_key(&access, &key).await?;
                plain(Acknowledged { ok: true })
            }
            Self::SendNotification => {
                EncryptionKey::require(&state.secrets)?;
                let message: Notify = arguments::read(given)?;
                let accepted = service.send(&access.may_send(), message, None).await?;
                plain(notify::shown(&accepted))
            }
            Self::GetStats => plain(service.stats(&access).await?),
            Self::ListNotifications => {
                let page = arguments::page(given)?;
                plain(
                    service
                        .history(&access, &page)
                        .await?
                        .map(notifications::shown),
                )
            }
        })
    }

    fn offer(self) -> Offer {
        let (title, about) = self.texts();
        let (input, output) = self.schemas();
        let mut offer = Offer::new(self.name(), about, input);
        offer.title = Some(title.to_owned());
        offer.output_schema = Some(output.into());
        offer.annotations = Some(self.hints(title));
        offer
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
            Self::ListApiKeys => (schema::nothing(), schema::list_of::<ApiKey>()),
            Self::CreateApiKey => (schema::of::<CreateKey>(), schema::of::<CreatedKey>()),
            Self::DeleteApiKey => (schema::of::<NamedKey>(), schema::of::<Acknowledged>()),
            Self::SendNotification => (schema::of::<Notify>(), schema::of::<SendAccepted>()),
            Self::GetStats => (schema::nothing(), schema::of::<Stats>()),
            Self::ListNotifications => (
                schema::of::<ListEntries>(),
                schema::of::<Page<HistoryItem>>(),
            ),
        }
    }
}

/// As structured content, which has to be an object.
pub fn structured(answer: &Value) -> Value {
    match answer {
        Value::Array(items) => json!({"items": items}),
        other => other.clone(),
    }
}

fn plain(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("wire types are plain data")
}
