//! What a notification has beyond title, text and links, as the form asks it (CONTRACT 13).

use hato_domain::ErrorCode;
use hato_domain::wire::{Notify, NotifyAction};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::non_empty;
use super::timing::{moment, read};

/// The fields as they were typed; an empty one is not given.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct RichDraft {
    pub image: String,
    /// What the first button shows.
    pub button_1: String,
    pub button_1_url: String,
    pub button_1_icon: String,
    /// What the second button shows.
    pub button_2: String,
    pub button_2_url: String,
    pub button_2_icon: String,
    /// What the third button shows.
    pub button_3: String,
    pub button_3_url: String,
    pub button_3_icon: String,
    pub tag: String,
    /// Filled in where its box is ticked, like the next two.
    pub renotify: String,
    pub require_interaction: String,
    pub silent: String,
    /// A JSON object for the site's own scripts, as text.
    pub data: String,
    pub dir: String,
    pub lang: String,
    /// When what it tells of happened, in UTC: `2026-01-31T09:05`.
    pub timestamp: String,
    pub app_badge: String,
}

impl RichDraft {
    /// The fields by their names in the form.
    pub fn fields(&self) -> [(&'static str, &str); 19] {
        [
            ("image", &self.image),
            ("button_1", &self.button_1),
            ("button_1_url", &self.button_1_url),
            ("button_1_icon", &self.button_1_icon),
            ("button_2", &self.button_2),
            ("button_2_url", &self.button_2_url),
            ("button_2_icon", &self.button_2_icon),
            ("button_3", &self.button_3),
            ("button_3_url", &self.button_3_url),
            ("button_3_icon", &self.button_3_icon),
            ("tag", &self.tag),
            ("renotify", &self.renotify),
            ("require_interaction", &self.require_interaction),
            ("silent", &self.silent),
            ("data", &self.data),
            ("dir", &self.dir),
            ("lang", &self.lang),
            ("timestamp", &self.timestamp),
            ("app_badge", &self.app_badge),
        ]
    }

    /// What the buttons show, without those that show nothing.
    pub fn shown_buttons(&self) -> Vec<String> {
        let texts = self.buttons().map(|[text, ..]| non_empty(text));
        texts.into_iter().flatten().collect()
    }

    /// What each button shows, its link and its icon.
    pub(super) fn buttons(&self) -> [[&String; 3]; 3] {
        [
            [&self.button_1, &self.button_1_url, &self.button_1_icon],
            [&self.button_2, &self.button_2_url, &self.button_2_icon],
            [&self.button_3, &self.button_3_url, &self.button_3_icon],
        ]
    }

    /// A request that has these members alone; `INVALID_INPUT` for data that is no JSON, a time that is none, and no number.
    pub(super) fn notify(&self) -> Result<Notify, ErrorCode> {
        Ok(Notify {
            image: non_empty(&self.image),
            actions: self.actions(),
            tag: non_empty(&self.tag),
            renotify: ticked(&self.renotify),
            require_interaction: ticked(&self.require_interaction),
            silent: ticked(&self.silent),
            data: read(&self.data, |text| {
                RawValue::from_string(text.to_owned()).ok()
            })?,
            dir: non_empty(&self.dir),
            lang: non_empty(&self.lang),
            timestamp: moment(&self.timestamp)?,
            app_badge: read(&self.app_badge, |text| text.parse().ok())?,
            ..Notify::default()
        })
    }

    /// The buttons of which anything is filled in; reports name them by their places.
    fn actions(&self) -> Option<Vec<NotifyAction>> {
        let names = ["button-1", "button-2", "button-3"];
        let filled_in = names.into_iter().zip(self.buttons());
        let filled_in = filled_in.filter_map(|(name, fields)| button(name, fields));
        let actions: Vec<_> = filled_in.collect();
        (!actions.is_empty()).then_some(actions)
    }
}

/// A button of its text, its link and its icon; `None` when nothing of it is filled in.
fn button(name: &str, fields: [&String; 3]) -> Option<NotifyAction> {
    let [title, url, icon] = fields.map(|field| non_empty(field));
    let is_given = title.is_some() || url.is_some() || icon.is_some();
    is_given.then(|| NotifyAction {
        action: Some(name.to_owned()),
        title,
        url,
        icon,
    })
}

fn ticked(field: &str) -> Option<bool> {
    (!field.is_empty()).then_some(true)
}
