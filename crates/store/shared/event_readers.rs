//! For whom an app's events are written: its webhook, and those who listen.

use hato_domain::{AppId, Plan, UnixMillis};

use crate::dialect::DbConnection;

/// Who reads an app's events.
#[derive(Clone, Copy)]
pub(crate) struct EventReaders {
    /// It has a webhook URL, the plan that takes, and the webhook is not disabled.
    pub(crate) has_active_webhook: bool,
    /// At least one client listens to the app's events at this moment.
    pub(crate) has_listeners: bool,
}

impl EventReaders {
    /// Nobody: no event is written.
    pub(crate) const NONE: Self = Self {
        has_active_webhook: false,
        has_listeners: false,
    };

    /// Whether an event is written at all.
    pub(crate) const fn any(self) -> bool {
        self.has_active_webhook || self.has_listeners
    }

    /// Who reads the app's events at `now`.
    pub(crate) async fn find(
        c: &mut DbConnection,
        app: &AppId,
        now: UnixMillis,
    ) -> sqlx::Result<Self> {
        let (app, plan) = (app.as_str(), Plan::FOR_WEBHOOKS.as_str());
        sqlx::query_as!(
            Self,
            r#"SELECT EXISTS (
                 SELECT 1 FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                                             JOIN accounts AS a ON a.id = p.account_id
                 WHERE w.app_id = $1 AND w.disabled_reason IS NULL AND p.webhook_url IS NOT NULL
                   AND p.deleted_at IS NULL AND a.plan = $2) AS "has_active_webhook!: bool",
               EXISTS (SELECT 1 FROM listeners AS l WHERE l.app_id = $1 AND l.expires_at > $3)
               AS "has_listeners!: bool""#,
            app,
            plan,
            now.0
        )
        .fetch_one(c)
        .await
    }
}
