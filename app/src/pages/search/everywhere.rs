//! What is found in all apps of the account, from a page that is of none of them.

use hato_service::ServiceResult;
use hato_service::access::AccountPrincipal;
use hato_service::ports::{FoundSend, FoundSubscription};

use super::{Found, MAX_FOUND, SearchRequest, SearchResult};
use crate::pages::app::Device;

impl SearchRequest {
    pub(super) async fn everywhere(&self, owner: &AccountPrincipal) -> ServiceResult<Found> {
        let (service, text) = (self.ctx.service(), &self.text);
        let apps = service.apps_with_name(owner, text, MAX_FOUND.into());
        let apps = apps.await?;
        let mut found = Found {
            results: self.pages(owner, None),
            is_cut_short: false,
        };
        found.results.extend(apps.iter().map(|app| self.app(app)));
        if text.is_empty() {
            return Ok(found);
        }
        if !self.is_subscription_id() {
            let sends = service.sends_of_account(owner, text, MAX_FOUND.into());
            let sends = sends.await?;
            found.is_cut_short |= sends.is_cut_short;
            let sends = sends.items.into_iter();
            found.results.extend(sends.map(|it| self.found_send(it)));
        }
        let own = service.subscriptions_of_account(owner, text, MAX_FOUND.into());
        let own = own.await?;
        found.is_cut_short |= own.is_cut_short;
        let own = own.items.into_iter();
        found
            .results
            .extend(own.map(|it| self.found_subscriber(it)));
        Ok(found)
    }

    fn found_send(&self, send: FoundSend) -> SearchResult {
        SearchResult {
            kind: self.ctx.texts().search.send,
            path: format!("/apps/{}/sends/{}", send.app, send.id),
            name: send.title,
            about: send.body,
            app: Some(send.app_name),
        }
    }

    fn found_subscriber(&self, found: FoundSubscription) -> SearchResult {
        let device = Device::new(found.platform.as_deref(), &found.endpoint);
        let id = found.id.to_string();
        SearchResult {
            kind: self.ctx.texts().search.subscriber,
            path: format!("/apps/{}/subscribers/{id}", found.app),
            name: device.name(&found.endpoint),
            about: found.user_id.unwrap_or(id),
            app: Some(found.app_name),
        }
    }
}
