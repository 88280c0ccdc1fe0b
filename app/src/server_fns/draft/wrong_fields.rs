//! Which fields of a draft are wrong. What a value must be is the domain's rule: each field is judged as if nothing else was filled in.

use hato_domain::wire::Notify;
use hato_domain::{ErrorCode, HttpsUrl, UnixMillis};
use serde::Deserialize as _;
use serde::de::value::{Error as ValueError, MapDeserializer};

use super::{AudienceDraft, NotificationDraft, OptionsDraft, RichDraft, TimingDraft};

/// The names of fields.
type Names = Vec<&'static str>;

impl NotificationDraft {
    /// The fields because of which it cannot be sent at `now`, by their names and in the form's order; none where it is refused for
    /// another reason.
    pub fn wrong_fields(&self, now: UnixMillis) -> Names {
        let parts = [
            self.wrong_content(),
            self.rich.wrong_buttons(),
            self.rich.wrong_others(),
            self.audience.wrong(),
            self.timing.wrong(now),
            self.options.wrong(),
        ];
        parts.concat()
    }

    fn wrong_content(&self) -> Names {
        wrong_ones([
            ("title", !is_blank(&self.title)),
            ("body", !is_blank(&self.body)),
            ("url", is_link(&self.url)),
            ("icon", is_link(self.icon())),
            ("badge", is_link(self.badge())),
            ("image", is_link(&self.rich.image)),
        ])
    }
}

impl RichDraft {
    fn wrong_buttons(&self) -> Names {
        let is_named =
            |[text, url, icon]: [&String; 3]| !is_blank(text) || is_blank(url) && is_blank(icon);
        let [first, second, third] = self.buttons();
        wrong_ones([
            ("button_1", is_named(first)),
            ("button_1_url", is_link(&self.button_1_url)),
            ("button_1_icon", is_link(&self.button_1_icon)),
            ("button_2", is_named(second)),
            ("button_2_url", is_link(&self.button_2_url)),
            ("button_2_icon", is_link(&self.button_2_icon)),
            ("button_3", is_named(third)),
            ("button_3_url", is_link(&self.button_3_url)),
            ("button_3_icon", is_link(&self.button_3_icon)),
        ])
    }

    fn wrong_others(&self) -> Names {
        let alone = |name: &str, value: &str| {
            let field = MapDeserializer::<_, ValueError>::new([(name, value)].into_iter());
            Self::deserialize(field).is_ok_and(|draft| draft.is_right())
        };
        let is_tagged = self.renotify.is_empty() || !is_blank(&self.tag);
        let is_heard = self.renotify.is_empty() || self.silent.is_empty();
        wrong_ones([
            ("tag", is_tagged && alone("tag", &self.tag)),
            ("silent", is_heard),
            ("timestamp", alone("timestamp", &self.timestamp)),
            ("lang", alone("lang", &self.lang)),
            ("dir", alone("dir", &self.dir)),
            ("app_badge", alone("app_badge", &self.app_badge)),
            ("data", alone("data", &self.data)),
        ])
    }

    /// Whether a notification may have it.
    fn is_right(&self) -> bool {
        let notification = self.notify().and_then(|rich| {
            let some = || Some("-".to_owned());
            let notify = Notify {
                title: some(),
                body: some(),
                ..rich
            };
            notify.into_notification()
        });
        notification.is_ok()
    }
}

impl AudienceDraft {
    fn wrong(&self) -> Names {
        let is_right = |users: &str, tags: &str| {
            let [users, tags] = [users, tags].map(str::to_owned);
            Self { users, tags }.filter().is_ok()
        };
        wrong_ones([
            ("tags", is_right("", &self.tags)),
            ("users", is_right(&self.users, "")),
        ])
    }
}

impl TimingDraft {
    fn wrong(&self, now: UnixMillis) -> Names {
        let is_ahead = |send_at: Result<Option<i64>, ErrorCode>, expires_at| {
            let notify = Notify {
                send_at: send_at?,
                expires_at,
                ..Notify::default()
            };
            Ok::<_, ErrorCode>(notify.schedule()?.is_ahead_of(now))
        };
        let starts = is_ahead(self.send_at(), None) == Ok(true);
        // What it must lie after is known only where the other one is right.
        let start = if starts { self.send_at() } else { Ok(None) };
        let end = self.expires_at();
        let ends = end.and_then(|end| is_ahead(start, end)) == Ok(true);
        let pace = self.max_per_minute().and_then(|max_per_minute| {
            let notify = Notify {
                max_per_minute,
                ..Notify::default()
            };
            notify.schedule()
        });
        wrong_ones([
            ("send_at", starts),
            ("expires_at", ends),
            ("max_per_minute", pace.is_ok()),
        ])
    }
}

impl OptionsDraft {
    fn wrong(&self) -> Names {
        let [ttl, urgency, topic] = [&self.ttl, &self.urgency, &self.topic].map(Clone::clone);
        let none = Self::default;
        wrong_ones([
            ("ttl", Self { ttl, ..none() }.is_right()),
            ("urgency", Self { urgency, ..none() }.is_right()),
            ("topic", Self { topic, ..none() }.is_right()),
        ])
    }

    fn is_right(&self) -> bool {
        let options = self.notify().and_then(|notify| notify.options());
        options.is_ok()
    }
}

/// Those that are not right.
fn wrong_ones<const N: usize>(fields: [(&'static str, bool); N]) -> Names {
    let wrong = fields.into_iter().filter(|(_, is_right)| !is_right);
    wrong.map(|(name, _)| name).collect()
}

/// Whether it is a link, or nothing.
fn is_link(text: &str) -> bool {
    is_blank(text) || HttpsUrl::parse(text).is_ok()
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use hato_domain::UnixMillis;

    use super::NotificationDraft;

    /// The fields that are wrong in a form with these fields, beside a title and a text.
    fn wrong(fields: &str) -> Vec<&'static str> {
        let form = format!("title=t&body=b&{fields}");
        let draft = NotificationDraft::parse(&form).unwrap_or_default();
        let now = UnixMillis(1_790_000_000_000);
        let found = draft.wrong_fields(now);
        let refused = draft.check_at(now, &hato_domain::MessageSettings::default());
        assert_eq!(refused.is_err(), !found.is_empty(), "{fields}");
        found
    }

    #[test]
    fn each_wrong_field_is_found() {
        for (fields, expected) in [
            ("", vec![]),
            (
                "url=https://a.example&tags=a+%26%26+b&ttl=60&users=u%0D%0Av",
                vec![],
            ),
            ("title=+", vec!["title"]),
            ("title=&body=", vec!["title", "body"]),
            (
                "url=http://a.example&icon=x&image=y",
                vec!["url", "icon", "image"],
            ),
            ("icon=x&icon_choice=https://a.example/i", vec![]),
            ("button_1_url=https://a.example", vec!["button_1"]),
            (
                "button_3=x&button_3_icon=http://a.example",
                vec!["button_3_icon"],
            ),
            ("renotify=true", vec!["tag"]),
            ("renotify=true&tag=t&silent=true", vec!["silent"]),
            (
                "data=%5B%5D&app_badge=x&lang=%21",
                vec!["lang", "app_badge", "data"],
            ),
            ("tags=a+%26%26&users=+", vec!["tags", "users"]),
            (
                "send_at=2020-01-01T00:00&max_per_minute=0",
                vec!["send_at", "max_per_minute"],
            ),
            (
                "send_at=2026-12-02T00:00&expires_at=2026-12-01T00:00",
                vec!["expires_at"],
            ),
            ("expires_at=soon", vec!["expires_at"]),
            (
                "ttl=-1&topic=%21&urgency=at-once",
                vec!["ttl", "urgency", "topic"],
            ),
        ] {
            assert_eq!(wrong(fields), expected, "{fields}");
        }
    }
}
