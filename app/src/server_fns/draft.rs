//! A notification that is being written: the form of the compose page, posted to the page itself, because no cookie would
//! carry it past a redirect.

use hato_domain::wire::Notify;
use hato_domain::{IdempotencyKey, Notification};
use hato_service::access::MayManage;
use hato_service::{IdempotentRequest, SendReceipt, Service, ServiceResult};
use serde::Deserialize;

/// Names a send within the requests that may be repeated.
const PATH: &str = "/apps/send";

/// What the form holds, and what is to be done with it.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct NotificationDraft {
    /// The headline.
    pub title: String,
    /// The text.
    pub body: String,
    /// Opened on click.
    pub url: String,
    /// Shown beside the text.
    pub icon: String,
    /// Shown where there is little room.
    pub badge: String,
    /// What to do.
    pub step: ComposeStep,
    /// Names the send, so that sending the form twice sends once.
    pub idempotency_key: String,
}

/// What a draft is posted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComposeStep {
    /// To be changed.
    #[default]
    Edit,
    /// To be looked at once more.
    Review,
    /// To be sent.
    Send,
}

impl NotificationDraft {
    /// The notification that it is: the codes of its parts.
    pub fn notification(&self) -> ServiceResult<Notification> {
        Ok(self.notify().into_notification()?)
    }

    /// Sends it to every active subscriber, or finds out that it was sent already.
    pub async fn send(&self, service: &Service, access: &MayManage) -> ServiceResult<SendReceipt> {
        let key = IdempotencyKey::parse(self.idempotency_key.as_bytes())?;
        let notification = self.notification()?;
        let request = IdempotentRequest::new(key, PATH, notification.payload().as_bytes());
        service
            .broadcast(&access.may_send(), self.notify(), Some(request))
            .await
    }

    fn notify(&self) -> Notify {
        Notify {
            title: non_empty(&self.title),
            body: non_empty(&self.body),
            url: non_empty(&self.url),
            icon: non_empty(&self.icon),
            badge: non_empty(&self.badge),
            ..Notify::default()
        }
    }
}

/// A field's text; browsers end the lines of a form with CR LF, which nobody typed.
fn non_empty(field: &str) -> Option<String> {
    let text = field.replace("\r\n", "\n");
    let filled = !text.trim().is_empty();
    filled.then_some(text)
}
