//! Texts of an app's pages. Those of the checklist and the chart are in `overview.rs`, of the key events in `keys.rs`.

mod audience;
mod compose;
mod dead_letters;
mod delivery;
mod embed;
mod engagement;
mod frame;
mod growth;
mod history;
mod import;
mod keys;
mod options;
mod overview;
mod pictures;
mod rich;
mod send;
mod settings;
mod subscribers;
mod this_browser;
mod vapid_keys;
mod webhook;

pub use audience::AudienceTexts;
pub use compose::ComposeTexts;
pub use dead_letters::DeadLettersTexts;
pub use delivery::DeliveryTexts;
pub use embed::EmbedTexts;
pub use engagement::EngagementTexts;
pub use frame::AppFrameTexts;
pub use growth::{DevicesTexts, GrowthTexts};
pub use history::HistoryTexts;
pub use import::ImportTexts;
pub use keys::KeysTexts;
pub use options::DeliveryOptionsTexts;
pub use overview::{ChartTexts, ChecklistTexts, OverviewTexts};
pub use pictures::PicturesTexts;
pub use rich::RichTexts;
pub use send::SendTexts;
pub use settings::SettingsTexts;
pub use subscribers::SubscribersTexts;
pub use this_browser::ThisBrowserTexts;
pub use vapid_keys::VapidKeysTexts;
pub use webhook::WebhookTexts;

texts! {
    AppTexts {
        frame: AppFrameTexts = AppFrameTexts::JA, AppFrameTexts::EN;
        overview: OverviewTexts = OverviewTexts::JA, OverviewTexts::EN;
        embed: EmbedTexts = EmbedTexts::JA, EmbedTexts::EN;
        this_browser: ThisBrowserTexts = ThisBrowserTexts::JA, ThisBrowserTexts::EN;
        compose: ComposeTexts = ComposeTexts::JA, ComposeTexts::EN;
        delivery: DeliveryTexts = DeliveryTexts::JA, DeliveryTexts::EN;
        send: SendTexts = SendTexts::JA, SendTexts::EN;
        engagement: EngagementTexts = EngagementTexts::JA, EngagementTexts::EN;
        history: HistoryTexts = HistoryTexts::JA, HistoryTexts::EN;
        subscribers: SubscribersTexts = SubscribersTexts::JA, SubscribersTexts::EN;
        import: ImportTexts = ImportTexts::JA, ImportTexts::EN;
        audience: AudienceTexts = AudienceTexts::JA, AudienceTexts::EN;
        keys: KeysTexts = KeysTexts::JA, KeysTexts::EN;
        vapid_keys: VapidKeysTexts = VapidKeysTexts::JA, VapidKeysTexts::EN;
        dead_letters: DeadLettersTexts = DeadLettersTexts::JA, DeadLettersTexts::EN;
        webhook: WebhookTexts = WebhookTexts::JA, WebhookTexts::EN;
        pictures: PicturesTexts = PicturesTexts::JA, PicturesTexts::EN;
        settings: SettingsTexts = SettingsTexts::JA, SettingsTexts::EN;
    }
}
