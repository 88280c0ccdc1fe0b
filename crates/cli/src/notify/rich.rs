//! What a notification has beyond title, body and links (CONTRACT 13).

use clap::Args;
use hato_domain::notification::TextDirection;
use hato_domain::wire::{Notify, NotifyAction};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::zoned_time::{ZonedTime, parse_time};

/// The options of `hato notify` for rich members; browsers leave out what they do not know.
#[derive(Args)]
#[command(next_help_heading = "Rich notifications")]
pub struct RichArgs {
    /// A large picture below the text, https://
    #[arg(long, value_name = "URL")]
    image: Option<String>,
    /// A button, "NAME|TITLE", "NAME|TITLE|URL" or "NAME|TITLE|URL|ICON"; up to three times
    #[arg(long = "action", value_name = "BUTTON", value_parser = action)]
    actions: Vec<NotifyAction>,
    /// A name under which a newer notification takes this one's place on the screen
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Ring again when it takes another one's place
    #[arg(long, requires = "tag", conflicts_with = "silent")]
    renotify: bool,
    /// Keep it on the screen until somebody does something with it
    #[arg(long)]
    require_interaction: bool,
    /// No sound and no vibration
    #[arg(long)]
    silent: bool,
    /// What the site's own scripts find in it: a JSON object of at most 1,024 bytes
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    data: Option<Box<RawValue>>,
    /// In which direction its texts are written
    #[arg(long, value_parser = TextDirection::ALL.map(TextDirection::as_str))]
    dir: Option<String>,
    /// The language of its texts, such as ja or en-GB
    #[arg(long)]
    lang: Option<String>,
    /// When what it tells of happened, in this machine's time zone: "2026-12-24 18:00"
    #[arg(long, value_name = "WHEN", value_parser = parse_time)]
    timestamp: Option<ZonedTime>,
    /// The number on the app's icon, up to 999999; 0 takes it away
    #[arg(long, value_name = "NUMBER")]
    app_badge: Option<i64>,
}

impl RichArgs {
    /// The message with these members.
    pub fn added_to(&self, message: Notify) -> Notify {
        let actions = Some(&self.actions).filter(|actions| !actions.is_empty());
        Notify {
            image: self.image.clone(),
            actions: actions.cloned(),
            tag: self.tag.clone(),
            renotify: self.renotify.then_some(true),
            require_interaction: self.require_interaction.then_some(true),
            silent: self.silent.then_some(true),
            data: self.data.clone(),
            dir: self.dir.clone(),
            lang: self.lang.clone(),
            timestamp: self.timestamp.as_ref().map(ZonedTime::milliseconds),
            app_badge: self.app_badge,
            ..message
        }
    }
}

fn action(text: &str) -> Result<NotifyAction, &'static str> {
    let mut parts = text.split('|').map(|part| part.trim().to_owned());
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let button = NotifyAction {
        action: part(),
        title: part(),
        url: part(),
        icon: part(),
    };
    if button.action.is_none() || button.title.is_none() || parts.next().is_some() {
        return Err("\"NAME|TITLE|URL|ICON\" is expected, of which URL and ICON may be left out");
    }
    Ok(button)
}

fn json_object(text: &str) -> Result<Box<RawValue>, &'static str> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value
        .filter(Value::is_object)
        .and_then(|object| to_raw_value(&object).ok())
        .ok_or("a JSON object is expected")
}
