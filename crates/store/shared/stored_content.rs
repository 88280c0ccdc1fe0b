//! What is kept of a send: everything while it is to be delivered, and little of one that goes to nobody. Those cost nothing of any
//! plan, so an app may send any number of them, and each takes at most 1 KiB of disk.

use std::borrow::Cow;

use hato_domain::{HttpsUrl, Notification, PushOptions, Topic, Urgency};
use hato_service::ports::NewSend;

/// Bytes that are kept of title, body and url of a send to nobody (CONTRACT 6).
const MAX_UNDELIVERED: usize = 256;

/// Bytes that are kept of the name of whoever sends to nobody: a name of ASCII characters in full (CONTRACT 6).
const MAX_UNDELIVERED_ACTOR: usize = 100;

/// Stands where a text was cut.
const ELLIPSIS: char = '…';

/// The columns of a send that hold texts.
pub(crate) struct StoredContent<'a> {
    pub(crate) title: Cow<'a, str>,
    pub(crate) body: Cow<'a, str>,
    pub(crate) url: Option<&'a str>,
    /// The JSON that is encrypted for each recipient.
    pub(crate) payload: &'a str,
    pub(crate) urgency: Option<&'a str>,
    pub(crate) topic: Option<&'a str>,
    pub(crate) actor_name: Cow<'a, str>,
}

impl<'a> StoredContent<'a> {
    /// What is kept when so many recipients get it, or when it is scheduled.
    pub(crate) fn new(send: &'a NewSend, recipients: i64) -> Self {
        let is_scheduled = send.schedule.send_at().is_some();
        if recipients == 0 && !is_scheduled {
            let notification = &send.notification;
            let texts = (notification.title(), notification.body());
            let url = notification.url().map(HttpsUrl::as_str);
            Self::from_undelivered(texts, url, &send.actor.name)
        } else {
            Self::from_queued(&send.notification, &send.options, &send.actor.name)
        }
    }

    /// What is kept while somebody has still to get it: title, body, url, payload and options in full.
    fn from_queued(
        notification: &'a Notification,
        options: &'a PushOptions,
        actor_name: &'a str,
    ) -> Self {
        Self {
            title: notification.title().into(),
            body: notification.body().into(),
            url: notification.url().map(HttpsUrl::as_str),
            payload: notification.payload(),
            urgency: options.urgency.map(Urgency::as_str),
            topic: options.topic.as_ref().map(Topic::as_str),
            actor_name: actor_name.into(),
        }
    }

    /// What the history shows of a send that no browser gets: as much of the title as fits, the url if it fits as well, and as much
    /// of the body as then does.
    pub(crate) fn from_undelivered(
        (title, body): (&'a str, &'a str),
        url: Option<&'a str>,
        actor_name: &'a str,
    ) -> Self {
        let title = cut(title, MAX_UNDELIVERED);
        let left = MAX_UNDELIVERED - title.len();
        let url = url.filter(|url| url.len() <= left);
        let left = left - url.map_or(0, str::len);
        Self {
            title,
            body: cut(body, left),
            url,
            payload: "",
            urgency: None,
            topic: None,
            actor_name: cut(actor_name, MAX_UNDELIVERED_ACTOR),
        }
    }
}

/// The text, or its beginning and an ellipsis, in at most `max` bytes; nothing when not even the ellipsis fits.
fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return text.into();
    }
    let Some(room) = max.checked_sub(ELLIPSIS.len_utf8()) else {
        return "".into();
    };
    let mut cut = text[..text.floor_char_boundary(room)].to_owned();
    cut.push(ELLIPSIS);
    cut.into()
}
