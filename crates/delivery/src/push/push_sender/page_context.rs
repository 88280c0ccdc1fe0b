//! What the recipients of a page share, made once per page or once per origin and not for each of 500.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hato_service::SendTokens;
use hato_service::ports::{ClaimedPage, Recipient, VapidKeyNumber};
use http::HeaderMap;
use tokio::time::Instant;

use super::dispatch_countdown::DispatchCountdown;
use super::page_forms::PageForms;
use crate::push::client::PushRoute;
use crate::push::clock_reading::ClockReading;
use crate::push::encryption::PlainMessage;
use crate::push::origin::{Origin, PushTarget};
use crate::push::pool::error::DeliveryError;
use crate::push::request::{PageHeaders, Push};
use crate::push::response::PushOutcome;
use crate::push::vapid::Signer;

/// The key pairs that sign a page's pushes: nearly always one.
pub struct PageSigners {
    /// The app's primary one, which also signs for a key that the app has no more.
    pub primary: (VapidKeyNumber, Arc<Signer>),
    /// The others that recipients have.
    pub others: Vec<(VapidKeyNumber, Arc<Signer>)>,
}

impl PageSigners {
    /// The pair that signs for this key, and its number.
    pub fn find(&self, key: VapidKeyNumber) -> &(VapidKeyNumber, Arc<Signer>) {
        let other = self.others.iter().find(|(number, _)| *number == key);
        other.unwrap_or(&self.primary)
    }
}

/// A page's content, and to whom it goes.
#[derive(Clone, Copy)]
pub struct PushJob<'a> {
    /// The page: its app, payload and options.
    pub page: &'a ClaimedPage,
    /// The VAPID key pairs of the recipients.
    pub signers: &'a PageSigners,
    /// Makes the tokens of its messages, if the app counts.
    pub tokens: Option<&'a SendTokens>,
    /// How long push services are to keep the message.
    pub ttl: Duration,
    /// Whom it goes to.
    pub recipients: &'a [Recipient],
    /// Until when a request may begin, if the send is paced; who comes later is deferred.
    pub begin_by: Option<Instant>,
    /// Counts the recipients whose pushes have begun.
    pub countdown: &'a DispatchCountdown,
}

/// What the recipients of a page share.
pub struct PageContext<'a> {
    pub job: PushJob<'a>,
    forms: PageForms<'a>,
    pub headers: PageHeaders,
    /// The routes to the origins met so far, for each VAPID key.
    routes: Mutex<HashMap<VapidKeyNumber, HashMap<Origin, Arc<PageRoute>>>>,
}

/// What the page's recipients at one origin with the same VAPID key share.
pub struct PageRoute {
    /// The limiter and the connections.
    pub push_route: PushRoute,
    /// The headers of each request, `Authorization` among them.
    pub headers: Arc<HeaderMap>,
    /// By which clock its token was signed.
    pub clock: ClockReading,
}

/// A recipient, and how to reach it.
pub struct RoutedRecipient<'a> {
    pub recipient: &'a Recipient,
    pub route: Arc<PageRoute>,
    target: PushTarget,
    begin_by: Option<Instant>,
}

/// A message to a recipient, ready to go.
pub struct PreparedPush {
    pub route: Arc<PageRoute>,
    pub push: Push,
}

impl<'a> PageContext<'a> {
    /// The context of this job.
    pub fn new(job: PushJob<'a>) -> Self {
        let page = job.page;
        Self {
            job,
            forms: PageForms::new(page, job.tokens),
            headers: PageHeaders::new(job.ttl, page.urgency, page.topic.as_ref()),
            routes: Mutex::new(HashMap::new()),
        }
    }

    /// The message to a recipient, in the form that its push service gets.
    pub fn message_to(&self, routed: &RoutedRecipient<'_>) -> PlainMessage {
        PlainMessage {
            keys: routed.recipient.keys.clone(),
            plaintext: self
                .forms
                .message_to(routed.recipient.id, &routed.target.origin),
        }
    }

    /// The route to `recipient`; `route` finds the route to an origin that is new to this page, for a VAPID key.
    pub fn route_recipient(
        &self,
        recipient: &'a Recipient,
        route: impl FnOnce(&Origin, VapidKeyNumber) -> Result<PageRoute, PushOutcome>,
    ) -> Result<RoutedRecipient<'a>, PushOutcome> {
        let target =
            PushTarget::from_endpoint(&recipient.endpoint).map_err(|_| PushOutcome::REFUSED)?;
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let routes = routes.entry(recipient.vapid_key).or_default();
        let route = if let Some(route) = routes.get(&target.origin) {
            Arc::clone(route)
        } else {
            let route = Arc::new(route(&target.origin, recipient.vapid_key)?);
            routes.insert(target.origin.clone(), Arc::clone(&route));
            route
        };
        Ok(RoutedRecipient {
            recipient,
            route,
            target,
            begin_by: self.job.begin_by,
        })
    }
}

impl RoutedRecipient<'_> {
    /// Whether it is worth preparing a push.
    pub fn check(&self) -> Result<(), DeliveryError> {
        if self.begin_by.is_some_and(|until| Instant::now() > until) {
            return Err(DeliveryError::TooLate);
        }
        self.route.push_route.check()
    }

    /// The message with this body.
    pub fn with_body(self, body: Bytes) -> PreparedPush {
        let push = Push {
            target: self.target,
            headers: Arc::clone(&self.route.headers),
            body,
            begin_by: self.begin_by,
        };
        PreparedPush {
            route: self.route,
            push,
        }
    }
}
