//! What an owner finds in all of their apps.

use hato_domain::{SubscriptionId, UserId};

use crate::access::AccountPrincipal;
use crate::ports::{Findings, FoundSend, FoundSubscription, SubscriptionKey};
use crate::{Service, ServiceResult};

/// `sub_` and the 32 hexadecimal digits of a UUID.
const SUBSCRIPTION_ID_LENGTH: usize = 36;

/// The id of a subscription, if the text is one that a subscription can have.
pub fn subscription_id(text: &str) -> Option<SubscriptionId> {
    let id = SubscriptionId::parse(text).ok()?;
    (text.len() == SUBSCRIPTION_ID_LENGTH).then_some(id)
}

impl Service {
    /// The newest sends in all of the owner's apps that have `text` in their own, at most `limit`. A search that gets no permit, because
    /// the account has other heavy reads under way, is cut short, as are those below.
    pub async fn sends_of_account(
        &self,
        owner: &AccountPrincipal,
        text: &str,
        limit: usize,
    ) -> ServiceResult<Findings<FoundSend>> {
        match self.heavy_reads.permit(owner.id()).await {
            Some(_permit) => Ok(self.store.sends_of_account(owner.id(), text, limit).await?),
            None => Ok(Findings::unscanned()),
        }
    }

    /// The subscription in any of the owner's apps whose id `text` is, or else the newest ones of the user whose id it is, at most `limit`.
    pub async fn subscriptions_of_account(
        &self,
        owner: &AccountPrincipal,
        text: &str,
        limit: usize,
    ) -> ServiceResult<Findings<FoundSubscription>> {
        let Some(_permit) = self.heavy_reads.permit(owner.id()).await else {
            return Ok(Findings::unscanned());
        };
        let by_id = subscription_id(text).map(SubscriptionKey::Id);
        let by_user = UserId::parse(text).ok().map(SubscriptionKey::User);
        let mut found = Findings {
            items: Vec::new(),
            is_cut_short: false,
        };
        for key in by_id.into_iter().chain(by_user) {
            let search = self.store.subscriptions_of_account(owner.id(), &key, limit);
            found = search.await?;
            if !found.items.is_empty() || found.is_cut_short {
                break;
            }
        }
        Ok(found)
    }
}
