//! Subscriptions: one record per app and endpoint, active while it has a position.
//!
//! Positions only grow: who comes back gets a new one at the end. So "the active subscriptions up to position n" never gains
//! anybody, and a send that remembers the app's last position reaches the audience of the moment when it was accepted.
//!
//! An app keeps the numbers of its active and of its deactivated subscriptions: whoever changes how many there are changes the
//! number in the same transaction, once for all of them.

use async_trait::async_trait;
use hato_domain::{
    AppId, AudienceFilter, Endpoint, PageRequest, SubscriptionId, UnixMillis, UserId,
};
use hato_service::ports::{
    AudienceSummary, DeactivationReason, ExportCursor, ExportRecord, NewSubscription,
    RegisterOutcome, StoreError, SubscriptionFilter, SubscriptionPage, SubscriptionRecord,
    SubscriptionStore,
};

use crate::Database;
use crate::audience_summary::{count, summarize};
use crate::bulk_registration::register_many;
use crate::deactivation::{clear_tags_of, deactivate};
use crate::dialect::{lock_app, readers};
use crate::error::with_context;
use crate::export::export_page;
use crate::registration::register;
use crate::subscription_counts::{change_counts, count_growth};
use crate::subscription_list::{find, list, list_of_user};
use crate::transaction::transaction;
use crate::values::endpoint_hash;

#[async_trait]
impl SubscriptionStore for Database {
    async fn register_subscription(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError> {
        transaction!(self, "register a subscription", |c| {
            register(c, &subscription, false).await
        })
    }

    async fn register_within_limit(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError> {
        transaction!(self, "register a subscription within the limit", |c| {
            register(c, &subscription, true).await
        })
    }

    async fn register_many(
        &self,
        app: &AppId,
        subscriptions: Vec<NewSubscription>,
        is_dry_run: bool,
    ) -> Result<Vec<RegisterOutcome>, StoreError> {
        let app = app.clone();
        transaction!(self, "register many subscriptions", |c| {
            register_many(c, &app, &subscriptions, is_dry_run).await
        })
    }

    async fn export_page(
        &self,
        app: &AppId,
        after: Option<ExportCursor>,
        limit: u32,
    ) -> Result<Vec<ExportRecord>, StoreError> {
        export_page(self, app, after, limit)
            .await
            .map_err(with_context("export subscriptions"))
    }

    async fn knows_endpoint(&self, app: &AppId, endpoint: &Endpoint) -> Result<bool, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM subscriptions
                              WHERE app_id = $1 AND endpoint_hash = $2) AS "is_known!: bool""#,
            app.as_str(),
            &endpoint_hash(endpoint)[..]
        )
        .fetch_one(readers(self))
        .await
        .map_err(with_context("look for an endpoint"))
    }

    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        let (app, endpoint) = (app.clone(), endpoint.clone());
        transaction!(self, "unsubscribe", |c| {
            deactivate(c, &app, &endpoint, DeactivationReason::Unsubscribed, now).await
        })
    }

    async fn subscriptions_of(
        &self,
        app: &AppId,
        filter: &SubscriptionFilter,
        page: &PageRequest,
    ) -> Result<SubscriptionPage, StoreError> {
        list(self, app, filter, page)
            .await
            .map_err(with_context("list subscriptions"))
    }

    async fn subscriptions_of_user(
        &self,
        app: &AppId,
        user: &UserId,
        limit: i64,
    ) -> Result<Vec<SubscriptionRecord>, StoreError> {
        list_of_user(self, app, user, limit)
            .await
            .map_err(with_context("find a user's subscriptions"))
    }

    async fn subscription_of(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
    ) -> Result<Option<SubscriptionRecord>, StoreError> {
        let found = find(self, app, subscription).await;
        found.map_err(with_context("find a subscription"))
    }

    async fn audience_of(
        &self,
        app: &AppId,
        filter: Option<&AudienceFilter>,
        now: UnixMillis,
    ) -> Result<Option<AudienceSummary>, StoreError> {
        summarize(self, app, filter, now)
            .await
            .map_err(with_context("summarize an audience"))
    }

    async fn recipients_of(
        &self,
        app: &AppId,
        filter: &AudienceFilter,
    ) -> Result<Option<i64>, StoreError> {
        let count = count(self, app, filter).await;
        count.map_err(with_context("count recipients"))
    }

    async fn remove_subscription(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let (app, subscription) = (app.clone(), subscription.clone());
        transaction!(self, "remove a subscription", |c| {
            lock_app(c, &app).await?;
            let removed = sqlx::query!(
                "DELETE FROM subscriptions WHERE app_id = $1 AND public_id = $2
                 RETURNING position, tags",
                app.as_str(),
                subscription.as_str()
            )
            .fetch_optional(&mut *c)
            .await?;
            let Some(removed) = removed else {
                return Ok(false);
            };
            if let Some(position) = removed.position {
                change_counts(c, app.as_str(), (-1, 0)).await?;
                count_growth(c, app.as_str(), now, (0, 1)).await?;
                clear_tags_of(c, &app, position, removed.tags).await?;
            } else {
                change_counts(c, app.as_str(), (0, -1)).await?;
            }
            Ok(true)
        })
    }
}
