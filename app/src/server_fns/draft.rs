//! A notification that is being written: the form of the compose page, posted to the page itself, because no cookie would
//! carry it past a redirect.

mod again;
mod audience;
mod options;
mod rich;
mod timing;
mod wrong_fields;

use std::collections::BTreeMap;

use hato_domain::wire::Notify;
use hato_domain::{
    AudienceFilter, ErrorCode, IdempotencyKey, MessageSettings, Notification, Schedule, UnixMillis,
};
use hato_service::access::MayManage;
use hato_service::{IdempotentRequest, SendReceipt, Service, ServiceError};
use serde::Deserialize;
use serde::de::value::{Error as ValueError, MapDeserializer};
use url::form_urlencoded;

pub use self::audience::AudienceDraft;
pub use self::options::OptionsDraft;
pub use self::rich::RichDraft;
pub use self::timing::TimingDraft;

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
    /// The address of an uploaded picture that was chosen in place of [`Self::icon`].
    pub icon_choice: String,
    pub badge_choice: String,
    #[serde(flatten)]
    pub rich: RichDraft,
    #[serde(flatten)]
    pub audience: AudienceDraft,
    #[serde(flatten)]
    pub timing: TimingDraft,
    #[serde(flatten)]
    pub options: OptionsDraft,
    pub step: ComposeStep,
    /// The tag of a language that the page is to speak from now on.
    pub page_lang: String,
    /// The name of a theme that the page is to have from now on.
    pub page_theme: String,
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

/// A part of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftPart {
    Content,
    Rich,
    Audience,
    Timing,
    Options,
}

/// Why a draft was refused, and the part of the form to look at.
pub struct DraftRefusal {
    pub error: ServiceError,
    pub part: DraftPart,
}

/// A draft whose parts are all well-formed: what it says, whom it is for, if not for everybody, and when it goes how fast.
pub struct CheckedDraft {
    pub notification: Notification,
    pub filter: Option<AudienceFilter>,
    pub schedule: Schedule,
}

impl DraftPart {
    /// The refusal that an error of this part is.
    pub fn refuses(self, error: impl Into<ServiceError>) -> DraftRefusal {
        let error = error.into();
        DraftRefusal { error, part: self }
    }
}

impl NotificationDraft {
    /// The draft as it was shown when its page was asked for another language or theme: the question has a name for it.
    pub fn shown_again(mut self) -> Self {
        self.step = if self.idempotency_key.is_empty() {
            ComposeStep::Edit
        } else {
            ComposeStep::Review
        };
        self
    }

    /// The icon: the picture that was chosen, or else the address that was typed.
    pub fn icon(&self) -> &str {
        chosen_or_typed(&self.icon_choice, &self.icon)
    }

    /// The same for the badge.
    pub fn badge(&self) -> &str {
        chosen_or_typed(&self.badge_choice, &self.badge)
    }

    /// What it asks for: the codes of its parts.
    pub fn check(&self) -> Result<CheckedDraft, DraftRefusal> {
        let notify = self.notify()?;
        let filter = notify.filter();
        let schedule = notify.schedule();
        let options = notify.options();
        options.map_err(|code| DraftPart::Options.refuses(code))?;
        Ok(CheckedDraft {
            notification: into_notification(notify)?,
            filter: filter.map_err(|code| DraftPart::Audience.refuses(code))?,
            schedule: schedule.map_err(|code| DraftPart::Timing.refuses(code))?,
        })
    }

    /// The same, for one that could be sent at `now` in an app with these settings.
    pub fn check_at(
        &self,
        now: UnixMillis,
        settings: &MessageSettings,
    ) -> Result<CheckedDraft, DraftRefusal> {
        let checked = self.check()?;
        let fits = checked.notification.check_forms(settings);
        fits.map_err(|code| DraftPart::Content.refuses(code))?;
        if checked.schedule.is_ahead_of(now) {
            Ok(checked)
        } else {
            Err(DraftPart::Timing.refuses(ErrorCode::InvalidInput))
        }
    }

    /// Sends it, or finds out that it was sent already.
    pub async fn send(
        &self,
        service: &Service,
        access: &MayManage,
    ) -> Result<SendReceipt, DraftRefusal> {
        self.check()?;
        let key = IdempotencyKey::parse(self.idempotency_key.as_bytes());
        let key = key.map_err(|code| DraftPart::Content.refuses(code))?;
        let notify = self.notify()?;
        let body = serde_json::to_vec(&notify);
        let body = body.map_err(|_| DraftPart::Content.refuses(ErrorCode::InternalError))?;
        let request = IdempotentRequest::new(key, PATH, &body);
        let access = access.may_send();
        let sent = service.broadcast(&access, notify, Some(request));
        sent.await.map_err(|error| match error.code() {
            // Its parts are well-formed, so that its time has come since the question.
            ErrorCode::InvalidInput => DraftPart::Timing.refuses(error),
            _ => DraftPart::Content.refuses(error),
        })
    }

    /// The form as a script hands it over, encoded as it would be posted; `INVALID_INPUT` for anything else.
    pub fn parse(encoded: &str) -> Result<Self, ErrorCode> {
        let fields = form_urlencoded::parse(encoded.as_bytes()).into_owned();
        let fields: BTreeMap<_, _> = fields.collect();
        let fields = MapDeserializer::<_, ValueError>::new(fields.into_iter());
        Self::deserialize(fields).map_err(|_| ErrorCode::InvalidInput)
    }

    /// Sends it at once to one subscriber, whomever else it is for.
    pub async fn send_to(
        &self,
        service: &Service,
        access: &MayManage,
        endpoint: String,
    ) -> Result<SendReceipt, ServiceError> {
        let notify = self.notify().map_err(|refusal| refusal.error)?;
        let notify = Notify {
            endpoint: Some(endpoint),
            to: None,
            send_at: None,
            expires_at: None,
            max_per_minute: None,
            ..notify
        };
        let access = access.may_send();
        service.send(&access, notify, None).await
    }

    fn notify(&self) -> Result<Notify, DraftRefusal> {
        let timing = &self.timing;
        let refuse = |code| DraftPart::Timing.refuses(code);
        let rich = self.rich.notify();
        let options = self.options.notify();
        let options = options.map_err(|code| DraftPart::Options.refuses(code))?;
        Ok(Notify {
            ttl: options.ttl,
            urgency: options.urgency,
            topic: options.topic,
            title: non_empty(&self.title),
            body: non_empty(&self.body),
            url: non_empty(&self.url),
            icon: non_empty(self.icon()),
            badge: non_empty(self.badge()),
            to: self.audience.to(),
            send_at: timing.send_at().map_err(refuse)?,
            expires_at: timing.expires_at().map_err(refuse)?,
            max_per_minute: timing.max_per_minute().map_err(refuse)?,
            ..rich.map_err(|code| DraftPart::Rich.refuses(code))?
        })
    }
}

fn into_notification(notify: Notify) -> Result<Notification, DraftRefusal> {
    notify.into_notification().map_err(|code| match code {
        // Title, text and links have codes of their own.
        ErrorCode::InvalidInput => DraftPart::Rich.refuses(code),
        _ => DraftPart::Content.refuses(code),
    })
}

fn chosen_or_typed<'d>(chosen: &'d str, typed: &'d str) -> &'d str {
    if chosen.is_empty() { typed } else { chosen }
}

/// A field's text; browsers end the lines of a form with CR LF, which nobody typed.
fn non_empty(field: &str) -> Option<String> {
    let text = field.replace("\r\n", "\n");
    let filled = !text.trim().is_empty();
    filled.then_some(text)
}
