//! The browsers on the WebSocket side, and the notifications they have not confirmed yet.

use super::keys;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};

/// Unconfirmed notifications kept for one browser; older ones are dropped, as a real service does.
const MAX_UNCONFIRMED: usize = 1_000;

/// All browsers that have said hello.
#[derive(Default)]
pub(super) struct Browsers {
    known: HashMap<String, BrowserState>,
    renew_next: bool,
}

#[derive(Default)]
struct BrowserState {
    /// The ids of subscriptions, by the channel that Firefox chose.
    channels: HashMap<String, String>,
    unconfirmed: VecDeque<PendingNotification>,
    sockets: usize,
}

/// A push on its way to a browser.
#[derive(Clone)]
pub(super) struct PendingNotification {
    pub(super) number: u64,
    pub(super) frame: Value,
    subscription: String,
    version: String,
}

/// The browser a hello belongs to, and the subscriptions that were dropped for it.
pub(super) struct HelloOutcome {
    pub(super) uaid: String,
    pub(super) dropped: Vec<String>,
}

impl Browsers {
    /// Answers a hello: a known uaid is kept, unless the next one is to be renewed.
    pub(super) fn hello(&mut self, asked: Option<&str>) -> HelloOutcome {
        let renew = std::mem::take(&mut self.renew_next);
        let known = asked.filter(|uaid| self.known.contains_key(*uaid));
        let (uaid, dropped) = match known {
            Some(uaid) if !renew => (uaid.to_owned(), Vec::new()),
            Some(uaid) => (keys::random_id(), self.forget(uaid)),
            None => (keys::random_id(), Vec::new()),
        };
        self.known.entry(uaid.clone()).or_default().sockets += 1;
        HelloOutcome { uaid, dropped }
    }

    fn forget(&mut self, uaid: &str) -> Vec<String> {
        let browser = self.known.remove(uaid).unwrap_or_default();
        browser.channels.into_values().collect()
    }

    /// The next hello gets a fresh uaid, whatever it asks for.
    pub(super) fn renew_next(&mut self) {
        self.renew_next = true;
    }

    /// A socket of the browser has ended.
    pub(super) fn disconnect(&mut self, uaid: &str) {
        if let Some(browser) = self.known.get_mut(uaid) {
            browser.sockets = browser.sockets.saturating_sub(1);
        }
    }

    /// How many browsers hold a socket.
    pub(super) fn connected(&self) -> usize {
        self.known.values().filter(|it| it.sockets > 0).count()
    }

    /// Remembers the subscription of a channel; returns the one it replaces.
    pub(super) fn register(&mut self, uaid: &str, channel: &str, id: &str) -> Option<String> {
        let browser = self.known.entry(uaid.to_owned()).or_default();
        browser.channels.insert(channel.to_owned(), id.to_owned())
    }

    /// Forgets a channel; returns its subscription.
    pub(super) fn unregister(&mut self, uaid: &str, channel: &str) -> Option<String> {
        self.known.get_mut(uaid)?.channels.remove(channel)
    }

    /// Puts a message on its way: `(number, subscription id)`, kept for an absent browser only if `storable`.
    pub(super) fn notify(
        &mut self,
        uaid: &str,
        channel: &str,
        (number, subscription): (u64, &str),
        body: &[u8],
        storable: bool,
    ) {
        let Some(browser) = self.known.get_mut(uaid) else {
            return;
        };
        if browser.sockets == 0 && !storable {
            return;
        }
        if browser.unconfirmed.len() == MAX_UNCONFIRMED {
            browser.unconfirmed.pop_front();
        }
        let version = keys::random_id();
        browser.unconfirmed.push_back(PendingNotification {
            number,
            frame: json!({
                "messageType": "notification",
                "channelID": channel,
                "version": version,
                "data": keys::encode(body),
                "headers": {"encoding": "aes128gcm"},
            }),
            subscription: subscription.to_owned(),
            version,
        });
    }

    /// The unconfirmed notifications from `number` on, in order.
    pub(super) fn pending(&self, uaid: &str, number: u64) -> Vec<PendingNotification> {
        let browser = self.known.get(uaid);
        browser
            .into_iter()
            .flat_map(|browser| &browser.unconfirmed)
            .filter(|notification| notification.number >= number)
            .cloned()
            .collect()
    }

    /// Takes an ack or nack; returns the subscription the version was for.
    pub(super) fn confirm(&mut self, uaid: &str, version: &str) -> Option<String> {
        let unconfirmed = &mut self.known.get_mut(uaid)?.unconfirmed;
        let index = unconfirmed.iter().position(|it| it.version == version)?;
        unconfirmed.remove(index).map(|it| it.subscription)
    }
}
