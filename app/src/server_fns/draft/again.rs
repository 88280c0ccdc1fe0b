//! A draft that says again what was sent before.

use hato_domain::wire::{Notify, NotifyAction};
use hato_domain::{Pace, PushOptions, Topic, Ttl, UnixMillis, Urgency};
use hato_service::ports::{SendConditions, SentContent};

use super::{AudienceDraft, NotificationDraft, OptionsDraft, RichDraft, TimingDraft};

impl NotificationDraft {
    /// What the form holds that would send the same again, at once. Members that the form does not have are left out.
    pub fn again(content: SentContent) -> Self {
        let sent: Notify = serde_json::from_str(&content.payload).unwrap_or_default();
        Self {
            title: content.title,
            body: content.body,
            url: content.url.unwrap_or_default(),
            icon: sent.icon.clone().unwrap_or_default(),
            badge: sent.badge.clone().unwrap_or_default(),
            rich: RichDraft::again(sent),
            audience: AudienceDraft::again(content.conditions),
            timing: TimingDraft::again(content.pace),
            options: OptionsDraft::again(&content.options),
            ..Self::default()
        }
    }
}

impl RichDraft {
    fn again(sent: Notify) -> Self {
        let ticked = |value: Option<bool>| match value {
            Some(true) => "true".to_owned(),
            _ => String::new(),
        };
        let minute = |at: i64| UnixMillis(at).to_minute().replace(' ', "T");
        let mut buttons = sent.actions.unwrap_or_default().into_iter().map(button);
        let mut next_button = || buttons.next().unwrap_or_default();
        let [button_1, button_1_url, button_1_icon] = next_button();
        let [button_2, button_2_url, button_2_icon] = next_button();
        let [button_3, button_3_url, button_3_icon] = next_button();
        Self {
            image: sent.image.unwrap_or_default(),
            button_1,
            button_1_url,
            button_1_icon,
            button_2,
            button_2_url,
            button_2_icon,
            button_3,
            button_3_url,
            button_3_icon,
            tag: sent.tag.unwrap_or_default(),
            renotify: ticked(sent.renotify),
            require_interaction: ticked(sent.require_interaction),
            silent: ticked(sent.silent),
            data: sent
                .data
                .map_or_else(String::new, |data| data.get().to_owned()),
            dir: sent.dir.unwrap_or_default(),
            lang: sent.lang.unwrap_or_default(),
            timestamp: sent.timestamp.map_or_else(String::new, minute),
            app_badge: sent.app_badge.map_or_else(String::new, |it| it.to_string()),
        }
    }
}

/// Its text, its link and its icon.
fn button(action: NotifyAction) -> [String; 3] {
    [action.title, action.url, action.icon].map(Option::unwrap_or_default)
}

impl AudienceDraft {
    /// What stands among the users where some were meant whom nobody knows any more: no user has such an id, and a field with blanks
    /// alone is filled in, so that it is refused and never goes to everybody.
    const FORGOTTEN_USERS: &'static str = " ";

    fn again(conditions: Option<SendConditions>) -> Self {
        let Some(conditions) = conditions else {
            return Self::default();
        };
        let users = conditions.users.map(|_| Self::FORGOTTEN_USERS.to_owned());
        Self {
            users: users.unwrap_or_default(),
            tags: conditions.tags.unwrap_or_default(),
        }
    }

    /// Whether users were meant whom nobody knows any more.
    pub fn has_forgotten_users(&self) -> bool {
        self.users == Self::FORGOTTEN_USERS
    }
}

impl TimingDraft {
    /// The same pace, and no times: it goes at once.
    fn again(pace: Option<Pace>) -> Self {
        Self {
            max_per_minute: pace.map_or_else(String::new, |pace| pace.per_minute().to_string()),
            ..Self::default()
        }
    }
}

impl OptionsDraft {
    fn again(options: &PushOptions) -> Self {
        let ttl = Some(options.ttl).filter(|ttl| *ttl != Ttl::MAX);
        let topic = options.topic.as_ref().map(Topic::as_str);
        Self {
            ttl: ttl.map_or_else(String::new, |ttl| ttl.seconds().to_string()),
            urgency: options.urgency.map_or("", Urgency::as_str).to_owned(),
            topic: topic.unwrap_or_default().to_owned(),
        }
    }
}
