//! A notification that is being written: the form of the compose page, posted to the page itself, because no cookie would
//! carry it past a redirect.

use hato_domain::wire::Notify;
use hato_domain::{IdempotencyKey, Notification};
use hato_service::access::MayManage;
use hato_service::{IdempotentRequest, SendReceipt, Service, ServiceResult};
use serde::Deserialize;

/// The path under which an idempotency key of the dashboard is kept.
const PATH: &str = "/apps/send";

/// The fields of the form as they were typed, and the step that its button asks for.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct NotificationDraft {
    pub title: String,
    pub body: String,
    pub url: String,
    pub icon: String,
    pub badge: String,
    pub step: ComposeStep,
    /// The idempotency key of the send (CONTRACT 6), so that posting the form twice sends once.
    pub idempotency_key: String,
}

/// The step that a draft is posted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComposeStep {
    /// Show the form again.
    #[default]
    Edit,
    /// Show the notification with the question whether to send it.
    Review,
    /// Send the notification and go on to the page of the send.
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
