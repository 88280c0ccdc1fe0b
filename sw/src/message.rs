//! The message that a push carries (SPEC 2.4, CONTRACT 13).

/// Most buttons that are read; browsers show fewer.
const MAX_ACTIONS: usize = 3;
/// Their places in the list, as members of it.
const PLACES: [&str; MAX_ACTIONS] = ["0", "1", "2"];
/// The directions that browsers know; another one would be an error.
const DIRECTIONS: [&str; 3] = ["auto", "ltr", "rtl"];
/// What tells a declarative message from others (W3C Push API).
const WEB_PUSH: f64 = 8_030.0;

/// A simple value of the message's JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum MemberValue {
    /// With its escapes resolved.
    Text(String),
    /// A member that is `true` or `false`.
    Flag(bool),
    /// As JavaScript has it, in double precision.
    Number(f64),
}

/// What a notification shows and where a click on it leads.
///
/// Every member of the message is optional, but one with neither title nor body says nothing and
/// is no message. What is of another type than it should be is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PushMessage {
    /// The headline; without one the site's name stands in for it.
    pub title: Option<String>,
    /// The text below the headline.
    pub body: Option<String>,
    /// An `https://` address of a picture.
    pub icon: Option<String>,
    /// An `https://` address of a monochrome picture for the status bar.
    pub badge: Option<String>,
    /// Where a click leads, as sent: [`crate::destination`] judges it at the click.
    pub url: Option<String>,
    /// An `https://` address of a large picture.
    pub image: Option<String>,
    /// The buttons below the text, as many as the message has.
    pub actions: Vec<Action>,
    /// The name under which a newer notification takes this one's place.
    pub tag: Option<String>,
    /// Whether the device rings again then.
    pub renotify: Option<bool>,
    /// Whether it stays until somebody does something with it.
    pub require_interaction: Option<bool>,
    /// Whether it comes without sound and vibration.
    pub silent: Option<bool>,
    /// In which direction its texts are written: `auto`, `ltr` or `rtl`.
    pub dir: Option<String>,
    /// The language of its texts.
    pub lang: Option<String>,
    /// When what it tells of happened, Unix milliseconds.
    pub timestamp: Option<f64>,
    /// Whether it came as a declarative message, whose members are below `notification`.
    pub is_declarative: bool,
}

/// A button of a notification, and what a click on it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its name, which the click tells.
    pub action: String,
    /// The text on the button.
    pub title: String,
    /// Where it leads, as sent; without one, where the notification does.
    pub url: Option<String>,
    /// An `https://` address of a picture.
    pub icon: Option<String>,
}

impl PushMessage {
    /// Reads a message, plain or declarative, through `member`, which answers what is at the end of a path of names.
    ///
    /// `None` when neither title nor body is there. A picture that does not start with
    /// `https://` is left out (SPEC 2.4), and so is an option that browsers would refuse.
    pub fn read(member: impl Fn(&[&str]) -> Option<MemberValue>) -> Option<Self> {
        let is_declarative = member(&["web_push"]) == Some(MemberValue::Number(WEB_PUSH));
        let reader = MessageReader {
            member: &|path: &[&str]| match (is_declarative, path) {
                (false, path) => member(path),
                (true, [one]) => member(&["notification", one]),
                (true, [list, place, name]) => member(&["notification", list, place, name]),
                (true, _) => None,
            },
            url: if is_declarative { "navigate" } else { "url" },
        };
        let message = reader.message(is_declarative);
        (message.title.is_some() || message.body.is_some()).then_some(message)
    }
}

struct MessageReader<'a> {
    member: &'a dyn Fn(&[&str]) -> Option<MemberValue>,
    /// What the address of a click is called.
    url: &'a str,
}

impl MessageReader<'_> {
    fn message(&self, is_declarative: bool) -> PushMessage {
        let (tag, silent) = (self.text(&["tag"]), self.flag("silent"));
        let may_ring = tag.is_some() && silent != Some(true);
        let known = |dir: &String| DIRECTIONS.contains(&dir.as_str());
        PushMessage {
            title: self.text(&["title"]),
            body: self.text(&["body"]),
            icon: self.picture(&["icon"]),
            badge: self.picture(&["badge"]),
            url: self.text(&[self.url]),
            image: self.picture(&["image"]),
            actions: PLACES
                .iter()
                .filter_map(|place| self.action(place))
                .collect(),
            tag,
            renotify: self.flag("renotify").filter(|_| may_ring),
            require_interaction: self.flag("require_interaction"),
            silent,
            dir: self.text(&["dir"]).filter(known),
            lang: self.text(&["lang"]),
            timestamp: self.moment(),
            is_declarative,
        }
    }

    fn action(&self, place: &str) -> Option<Action> {
        let of = |name| ["actions", place, name];
        Some(Action {
            action: self.text(&of("action"))?,
            title: self.text(&of("title"))?,
            url: self.text(&of(self.url)),
            icon: self.picture(&of("icon")),
        })
    }

    fn text(&self, path: &[&str]) -> Option<String> {
        match (self.member)(path)? {
            MemberValue::Text(text) => Some(text).filter(|text| !text.trim().is_empty()),
            _ => None,
        }
    }

    fn picture(&self, path: &[&str]) -> Option<String> {
        self.text(path)
            .filter(|address| address.starts_with("https://"))
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match (self.member)(&[name])? {
            MemberValue::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn moment(&self) -> Option<f64> {
        match (self.member)(&["timestamp"])? {
            MemberValue::Number(moment) => Some(moment).filter(|it| it.is_finite() && *it >= 0.0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
