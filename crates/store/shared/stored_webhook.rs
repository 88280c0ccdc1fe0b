//! Webhooks as they are stored.

use hato_domain::{DisabledReason, Plan, UnixMillis};
use hato_service::ports::{SealedSecrets, WebhookRecord};

use crate::error::decode_error;
use crate::values::parse_plan;

/// A webhook, and what decides whether it is active.
pub(crate) struct WebhookRow {
    pub(crate) url: Option<String>,
    pub(crate) plan: String,
    pub(crate) sealed_secret: Option<Vec<u8>>,
    pub(crate) sealed_previous_secret: Option<Vec<u8>>,
    pub(crate) previous_secret_expires_at: Option<i64>,
    pub(crate) disabled_reason: Option<String>,
}

impl WebhookRow {
    /// The webhook as it is at `now`; `None` without a URL.
    pub(crate) fn into_record(self, now: UnixMillis) -> sqlx::Result<Option<WebhookRecord>> {
        let disabled = self.disabled()?;
        let Some(url) = self.url else {
            return Ok(None);
        };
        let expiry = self.previous_secret_expires_at.map(UnixMillis);
        let previous = self.sealed_previous_secret.zip(expiry);
        Ok(Some(WebhookRecord {
            url,
            secrets: SealedSecrets {
                current: self.sealed_secret,
                previous: previous.filter(|(_, expires_at)| *expires_at > now),
            },
            disabled,
        }))
    }

    /// The webhook, if events are posted to it at `now`.
    pub(crate) fn into_active(self, now: UnixMillis) -> sqlx::Result<Option<WebhookRecord>> {
        let webhook = self.into_record(now)?;
        Ok(webhook.filter(|webhook| webhook.disabled.is_none()))
    }

    fn disabled(&self) -> sqlx::Result<Option<DisabledReason>> {
        if parse_plan(&self.plan)? != Plan::FOR_WEBHOOKS {
            return Ok(Some(DisabledReason::PlanRequired));
        }
        let reason = self.disabled_reason.as_deref();
        let parse = |text| DisabledReason::parse(text).ok_or_else(|| decode_error("reason"));
        reason.map(parse).transpose()
    }
}
