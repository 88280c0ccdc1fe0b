//! The context of a page: what its recipients share, made once per page or once per origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use hato_service::ports::Recipient;
use http::HeaderMap;

use super::{PushJob, PushSender, REFUSED, UNREACHABLE};
use crate::push::client::PushRoute;
use crate::push::origin::{Origin, PushTarget};
use crate::push::request::{PageHeaders, Push};
use crate::push::response::PushOutcome;

/// What the recipients of a page share.
pub struct PageContext<'a> {
    job: PushJob<'a>,
    /// What is encrypted.
    pub plaintext: Bytes,
    headers: PageHeaders,
    routes: Mutex<HashMap<Origin, Arc<PageRoute>>>,
}

/// What its recipients at one origin share.
pub struct PageRoute {
    /// How to get there.
    pub push_route: PushRoute,
    headers: Arc<HeaderMap>,
}

/// A recipient, and how to reach it.
pub struct RoutedRecipient<'a> {
    /// Who.
    pub recipient: &'a Recipient,
    /// By which route.
    pub route: Arc<PageRoute>,
    target: PushTarget,
}

/// A message to a recipient, ready to go.
pub struct PreparedPush {
    /// By which route.
    pub route: Arc<PageRoute>,
    /// What is sent.
    pub push: Push,
}

impl<'a> PageContext<'a> {
    /// The context of this job.
    pub fn new(job: PushJob<'a>) -> Self {
        let page = job.page;
        Self {
            job,
            plaintext: Bytes::copy_from_slice(page.payload.as_bytes()),
            headers: PageHeaders::new(job.ttl, page.urgency, page.topic.as_ref()),
            routes: Mutex::new(HashMap::new()),
        }
    }

    /// The route to `recipient`; `route` finds the route to an origin that is new to this page.
    pub fn route_recipient(
        &self,
        recipient: &'a Recipient,
        route: impl FnOnce(&Origin) -> Result<PageRoute, PushOutcome>,
    ) -> Result<RoutedRecipient<'a>, PushOutcome> {
        let target = PushTarget::from_endpoint(&recipient.endpoint).map_err(|_| REFUSED)?;
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let route = if let Some(route) = routes.get(&target.origin) {
            Arc::clone(route)
        } else {
            let route = Arc::new(route(&target.origin)?);
            routes.insert(target.origin.clone(), Arc::clone(&route));
            route
        };
        Ok(RoutedRecipient {
            recipient,
            route,
            target,
        })
    }
}

impl RoutedRecipient<'_> {
    /// The message with this body.
    pub fn with_body(self, body: Bytes) -> PreparedPush {
        let push = Push {
            target: self.target,
            headers: Arc::clone(&self.route.headers),
            body,
        };
        PreparedPush {
            route: self.route,
            push,
        }
    }
}

impl PushSender {
    /// The route to an origin, and the headers of all that goes there.
    pub(super) fn route(
        &self,
        context: &PageContext<'_>,
        origin: &Origin,
    ) -> Result<PageRoute, PushOutcome> {
        let PushJob { page, signer, .. } = context.job;
        let now = self.clock.now();
        let authorization = self.vapid.authorization(&page.app_id, signer, origin, now);
        let headers = context
            .headers
            .with(authorization.map_err(|_| UNREACHABLE)?, origin);
        Ok(PageRoute {
            push_route: self.client.route(&page.app_id, origin),
            headers: Arc::new(headers),
        })
    }
}
