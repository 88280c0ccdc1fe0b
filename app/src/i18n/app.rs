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

pub use compose::ComposeTexts;
pub use dead_letters::{DeadLettersTexts, ReasonsTexts};
pub use embed::EmbedTexts;
pub use frame::AppFrameTexts;
pub use history::HistoryTexts;
pub use keys::KeysTexts;
pub use overview::{ChartTexts, ChecklistTexts, OverviewTexts};
pub use send::SendTexts;
pub use settings::SettingsTexts;
pub use subscribers::SubscribersTexts;
pub use this_browser::ThisBrowserTexts;

/// Texts of an app's pages.
pub struct AppTexts {
    /// Around every page.
    pub frame: AppFrameTexts,
    /// The first page.
    pub overview: OverviewTexts,
    /// The embed snippets.
    pub embed: EmbedTexts,
    /// Trying it out.
    pub this_browser: ThisBrowserTexts,
    /// Writing a notification.
    pub compose: ComposeTexts,
    /// A send.
    pub send: SendTexts,
    /// The history.
    pub history: HistoryTexts,
    /// Who subscribes.
    pub subscribers: SubscribersTexts,
    /// The API keys.
    pub keys: KeysTexts,
    /// What could not be delivered.
    pub dead_letters: DeadLettersTexts,
    /// The settings.
    pub settings: SettingsTexts,
}

/// Japanese.
pub const JA: AppTexts = AppTexts {
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
pub const EN: AppTexts = AppTexts {
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
