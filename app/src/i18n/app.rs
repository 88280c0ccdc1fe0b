//! Texts of an app's pages.

mod compose;
mod dead_letters;
mod embed;
mod frame;
mod history;
mod keys;
mod overview;
mod send;
mod settings;
mod subscribers;
mod this_browser;

pub use compose::Compose;
pub use dead_letters::{DeadLetters, Reasons};
pub use embed::Embed;
pub use frame::Frame;
pub use history::History;
pub use keys::Keys;
pub use overview::{Chart, Checklist, Overview};
pub use send::Send;
pub use settings::Settings;
pub use subscribers::Subscribers;
pub use this_browser::ThisBrowser;

/// Texts of an app's pages.
pub struct App {
    /// Around every page.
    pub frame: Frame,
    /// The first page.
    pub overview: Overview,
    /// The embed snippets.
    pub embed: Embed,
    /// Trying it out.
    pub this_browser: ThisBrowser,
    /// Writing a notification.
    pub compose: Compose,
    /// A send.
    pub send: Send,
    /// The history.
    pub history: History,
    /// Who subscribes.
    pub subscribers: Subscribers,
    /// The API keys.
    pub keys: Keys,
    /// What could not be delivered.
    pub dead_letters: DeadLetters,
    /// The settings.
    pub settings: Settings,
}

/// Japanese.
pub const JA: App = App {
    frame: frame::JA,
    overview: overview::JA,
    embed: embed::JA,
    this_browser: this_browser::JA,
    compose: compose::JA,
    send: send::JA,
    history: history::JA,
    subscribers: subscribers::JA,
    keys: keys::JA,
    dead_letters: dead_letters::JA,
    settings: settings::JA,
};

/// English.
pub const EN: App = App {
    frame: frame::EN,
    overview: overview::EN,
    embed: embed::EN,
    this_browser: this_browser::EN,
    compose: compose::EN,
    send: send::EN,
    history: history::EN,
    subscribers: subscribers::EN,
    keys: keys::EN,
    dead_letters: dead_letters::EN,
    settings: settings::EN,
};
