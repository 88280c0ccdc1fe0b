//! Who subscribes: the list of an app's subscriptions, and whom a send would go to (CONTRACT 12).

use hato_domain::wire::Page;
use hato_domain::{AudienceFilter, ErrorCode, PageRequest, UserId};

use crate::access::MayManage;
use crate::heavy_reads::HeavyReadPermit;
use crate::ports::{AudienceSummary, SubscriptionFilter, SubscriptionPage, SubscriptionRecord};
use crate::{Service, ServiceResult};

impl Service {
    /// A page of the app's subscriptions, newest first. A search that gets no permit, because the account has others under way, is cut
    /// short.
    pub async fn subscriptions(
        &self,
        access: &MayManage,
        filter: &SubscriptionFilter,
        page: &PageRequest,
    ) -> ServiceResult<SubscriptionPage> {
        let listed = self.store.subscriptions_of(access.app(), filter, page);
        if !filter.is_heavy() {
            return Ok(listed.await?);
        }
        match self.heavy_reads.permit(access.account()).await {
            Some(_permit) => Ok(listed.await?),
            None => Ok(SubscriptionPage::unscanned()),
        }
    }

    /// The same for who reads page after page until the last one: `OVERLOADED` where nothing could be looked at.
    pub async fn listed_subscriptions(
        &self,
        access: &MayManage,
        filter: &SubscriptionFilter,
        page: &PageRequest,
    ) -> ServiceResult<Page<SubscriptionRecord>> {
        let listed = self.subscriptions(access, filter, page).await?;
        if listed.is_cut_short && listed.next.is_none() {
            return Err(ErrorCode::Overloaded.into());
        }
        let next = listed.next.map(|next| (next.before, next.before_id));
        let (next_before, next_before_id) = next.unzip();
        Ok(Page {
            items: listed.items,
            next_before,
            next_before_id: next_before_id.flatten(),
        })
    }

    /// The newest subscriptions of a user, at most `limit`, without the days on which they last took a send.
    pub async fn subscriptions_of_user(
        &self,
        access: &MayManage,
        user: &UserId,
        limit: i64,
    ) -> ServiceResult<Vec<SubscriptionRecord>> {
        let found = self.store.subscriptions_of_user(access.app(), user, limit);
        Ok(found.await?)
    }

    /// Whom a send to the part of the audience, or to everybody, would go to. `OVERLOADED` when the account has other such reads under
    /// way, or there was no time for it.
    pub async fn audience(
        &self,
        access: &MayManage,
        filter: Option<&AudienceFilter>,
    ) -> ServiceResult<AudienceSummary> {
        let _permit = self.heavy_read(access).await?;
        let now = self.clock.now();
        let summary = self.store.audience_of(access.app(), filter, now).await?;
        Ok(summary.ok_or(ErrorCode::Overloaded)?)
    }

    /// How many a send to this part of the audience would go to now, exactly. `OVERLOADED` as [`Self::audience`].
    pub async fn recipients(
        &self,
        access: &MayManage,
        filter: &AudienceFilter,
    ) -> ServiceResult<i64> {
        let _permit = self.heavy_read(access).await?;
        let recipients = self.store.recipients_of(access.app(), filter).await?;
        Ok(recipients.ok_or(ErrorCode::Overloaded)?)
    }

    /// The account's permit to read what is heavy; `OVERLOADED` when it has other such reads under way.
    pub(crate) async fn heavy_read(&self, access: &MayManage) -> ServiceResult<HeavyReadPermit> {
        let permit = self.heavy_reads.permit(access.account()).await;
        Ok(permit.ok_or(ErrorCode::Overloaded)?)
    }
}
