//! A page on its way: what its recipients share, made once per page or once per origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use hato_service::ports::Recipient;
use http::HeaderMap;

use super::{Courier, LATER, Mail, NEVER};
use crate::answer::Outcome;
use crate::client::Way;
use crate::origin::{Origin, Target};
use crate::push::{PageHeaders, Push};

/// What the recipients of a page share.
pub struct Round<'a> {
    mail: Mail<'a>,
    /// What is encrypted.
    pub plaintext: Bytes,
    headers: PageHeaders,
    routes: Mutex<HashMap<Origin, Arc<Route>>>,
}

/// What its recipients at one origin share.
pub struct Route {
    /// How to get there.
    pub way: Way,
    headers: Arc<HeaderMap>,
}

/// A recipient, and how to reach it.
pub struct Addressed<'a> {
    /// Who.
    pub recipient: &'a Recipient,
    /// By which route.
    pub route: Arc<Route>,
    target: Target,
}

/// A message to a recipient, ready to go.
pub struct Letter {
    /// By which route.
    pub route: Arc<Route>,
    /// What is sent.
    pub push: Push,
}

impl<'a> Round<'a> {
    /// The round of this mail.
    pub fn new(mail: Mail<'a>) -> Self {
        let page = mail.page;
        Self {
            mail,
            plaintext: Bytes::copy_from_slice(page.payload.as_bytes()),
            headers: PageHeaders::new(mail.ttl, page.urgency, page.topic.as_ref()),
            routes: Mutex::new(HashMap::new()),
        }
    }

    /// The way to `recipient`; `route` finds the way to an origin that is new to this round.
    pub fn address(
        &self,
        recipient: &'a Recipient,
        route: impl FnOnce(&Origin) -> Result<Route, Outcome>,
    ) -> Result<Addressed<'a>, Outcome> {
        let target = Target::of(&recipient.endpoint).map_err(|_| NEVER)?;
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let route = if let Some(route) = routes.get(&target.origin) {
            Arc::clone(route)
        } else {
            let route = Arc::new(route(&target.origin)?);
            routes.insert(target.origin.clone(), Arc::clone(&route));
            route
        };
        Ok(Addressed {
            recipient,
            route,
            target,
        })
    }
}

impl Addressed<'_> {
    /// The message with this body.
    pub fn with(self, body: Bytes) -> Letter {
        let push = Push {
            target: self.target,
            headers: Arc::clone(&self.route.headers),
            body,
        };
        Letter {
            route: self.route,
            push,
        }
    }
}

impl Courier {
    /// The way to an origin, and the headers of all that goes there.
    pub(super) fn route(&self, round: &Round<'_>, origin: &Origin) -> Result<Route, Outcome> {
        let Mail { page, signer, .. } = round.mail;
        let now = self.clock.now();
        let authorization = self.vapid.authorization(&page.app_id, signer, origin, now);
        let headers = round
            .headers
            .with(authorization.map_err(|_| LATER)?, origin);
        Ok(Route {
            way: self.client.way(&page.app_id, origin),
            headers: Arc::new(headers),
        })
    }
}
