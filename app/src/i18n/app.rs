//! Texts of an app's page.

use hato_domain::Scope;
use hato_service::ports::SendStatus;

use super::grouped;

mod en;
mod ja;

pub use en::EN;
pub use ja::JA;

/// Texts of an app's page.
pub struct App {
    /// Leads back to the list.
    pub all_apps: &'static str,
    /// What the page's own navigation is called.
    pub sections: &'static str,
    /// Counts subscribers.
    pub subscribers: &'static str,
    /// The account's plan.
    pub plan: &'static str,
    /// The app's identifier.
    pub id: &'static str,
    /// Headline of the public key.
    pub public_key: &'static str,
    /// What it is for.
    pub public_key_text: &'static str,
    /// The start checklist.
    pub checklist: Checklist,
    /// The API keys.
    pub keys: Keys,
    /// The embed snippet.
    pub embed: Embed,
    /// The send form.
    pub compose: Compose,
    /// The history.
    pub history: History,
}

/// Texts of the start checklist.
pub struct Checklist {
    /// The headline.
    pub title: &'static str,
    /// Said of a step that is done.
    pub done: &'static str,
    /// Said of a step that is not.
    pub open: &'static str,
    /// A key was made.
    pub key: &'static str,
    /// How to make one.
    pub key_text: &'static str,
    /// Somebody subscribed.
    pub subscriber: &'static str,
    /// How to come by a subscriber.
    pub subscriber_text: &'static str,
    /// Something was sent.
    pub send: &'static str,
    /// How to send.
    pub send_text: &'static str,
}

/// Texts of the API keys.
pub struct Keys {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// Instead of the list when there is none.
    pub empty: &'static str,
    /// Labels the name.
    pub name: &'static str,
    /// Labels the scope.
    pub scope: &'static str,
    /// When it was last used.
    pub last_used: &'static str,
    /// It never was.
    pub never: &'static str,
    /// The form's button.
    pub create: &'static str,
    /// Headline above a raw key.
    pub new_title: &'static str,
    /// Says that it is shown this once.
    pub new_warning: &'static str,
    /// A raw key that belongs on a server.
    pub new_secret: &'static str,
    /// What `subscribe_only` is for.
    pub subscribe_only: &'static str,
    /// What `notify` is for.
    pub notify: &'static str,
    /// What `full` is for.
    pub full: &'static str,
}

/// Texts of the embed snippet.
pub struct Embed {
    /// The headline.
    pub title: &'static str,
    /// Introduces the snippets while they hold a placeholder.
    pub lead: &'static str,
    /// Introduces them when they hold the new key.
    pub filled: &'static str,
    /// Makes the key for them.
    pub make_key: &'static str,
    /// The name of that key.
    pub key_name: &'static str,
    /// Introduces the page's part.
    pub page: &'static str,
    /// Introduces the worker's part.
    pub worker: &'static str,
    /// Introduces the bell.
    pub bell: &'static str,
    /// The snippet's button.
    pub button: &'static str,
    /// Introduces the call from a server.
    pub server: &'static str,
    /// The body of that call's notification.
    pub sample: &'static str,
    /// What a strict page must allow.
    pub policy: &'static str,
    /// Says that the page's scripts stay as they are, before the folder that they are in.
    pub pinned: &'static str,
}

/// Texts of the send form.
pub struct Compose {
    /// The headline.
    pub title: &'static str,
    /// Labels the notification's title.
    pub heading: &'static str,
    /// Labels its body.
    pub body: &'static str,
    /// Labels its url.
    pub url: &'static str,
    /// What happens with it.
    pub url_hint: &'static str,
    /// Opens the fields that few need.
    pub more: &'static str,
    /// Labels the icon.
    pub icon: &'static str,
    /// Labels the badge.
    pub badge: &'static str,
    /// Links are https only.
    pub https: &'static str,
    /// The form's button.
    pub send: &'static str,
    /// Says who will get it.
    pub audience: fn(i64) -> String,
    /// Says how many it was queued for.
    pub queued: fn(i64) -> String,
    /// Labels the size.
    pub size: &'static str,
    /// The unit of the size.
    pub bytes: &'static str,
}

/// Texts of the history.
pub struct History {
    /// The headline.
    pub title: &'static str,
    /// Instead of the list when there is none.
    pub empty: &'static str,
    /// When it was sent, in UTC.
    pub time: &'static str,
    /// What was sent.
    pub content: &'static str,
    /// How far it is.
    pub status: &'static str,
    /// Taken by the push service.
    pub sent: &'static str,
    /// Failed.
    pub failed: &'static str,
    /// Not subscribed any more.
    pub skipped: &'static str,
    /// Leads to older sends.
    pub older: &'static str,
    /// Leads back to the newest.
    pub newest: &'static str,
    /// No page was claimed yet.
    pub queued: &'static str,
    /// Under way.
    pub sending: &'static str,
    /// All settled.
    pub done: &'static str,
    /// Stopped.
    pub cancelled: &'static str,
}

impl Keys {
    /// What a scope is for.
    pub const fn purpose(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::SubscribeOnly => self.subscribe_only,
            Scope::Notify => self.notify,
            Scope::Full => self.full,
        }
    }
}

impl History {
    /// How far a send is.
    pub const fn progress(&self, status: SendStatus) -> &'static str {
        match status {
            SendStatus::Queued => self.queued,
            SendStatus::Sending => self.sending,
            SendStatus::Done => self.done,
            SendStatus::Cancelled => self.cancelled,
        }
    }
}
