//! The dashboard's texts, one structure per page with a value per language: a text that is missing does not compile.

mod account;
mod app;
mod apps;
mod auth;
mod errors;
mod landing;
mod pricing;
mod reference;
mod site;
mod webhook;

pub use account::AccountTexts;
pub use app::{
    AppTexts, ChartTexts, ChecklistTexts, ComposeTexts, DeadLettersTexts, EmbedTexts, HistoryTexts,
    KeysTexts, OverviewTexts, ReasonsTexts, SendTexts, SettingsTexts, SubscribersTexts,
    ThisBrowserTexts,
};
pub use apps::AppsTexts;
pub use auth::AuthTexts;
pub use errors::message;
pub use landing::LandingTexts;
pub use pricing::PricingTexts;
pub use reference::ReferenceTexts;
pub use site::SiteTexts;
pub use webhook::WebhookTexts;

use hato_domain::Plan;

use crate::language::Lang;
pub use crate::thousands::group_thousands;

/// Every text in one language.
pub struct Texts {
    /// What surrounds every page.
    pub site: SiteTexts,
    /// The landing page.
    pub landing: LandingTexts,
    /// The pricing page.
    pub pricing: PricingTexts,
    /// The reference of the API.
    pub reference: ReferenceTexts,
    /// Registering and logging in.
    pub auth: AuthTexts,
    /// The account's page.
    pub account: AccountTexts,
    /// The list of apps.
    pub apps: AppsTexts,
    /// An app's pages.
    pub app: AppTexts,
    /// An app's webhook page.
    pub webhook: WebhookTexts,
}

impl Texts {
    /// The texts of a language.
    pub fn for_language(lang: Lang) -> &'static Self {
        match lang {
            Lang::Ja => &JA,
            Lang::En => &EN,
        }
    }
}

static JA: Texts = Texts {
    site: site::JA,
    landing: landing::JA,
    pricing: pricing::JA,
    reference: reference::JA,
    auth: auth::JA,
    account: account::JA,
    apps: apps::JA,
    app: app::JA,
    webhook: webhook::JA,
};

static EN: Texts = Texts {
    site: site::EN,
    landing: landing::EN,
    pricing: pricing::EN,
    reference: reference::EN,
    auth: auth::EN,
    account: account::EN,
    apps: apps::EN,
    app: app::EN,
    webhook: webhook::EN,
};

/// A plan's name, which is the same in every language.
pub const fn plan_name(plan: Plan) -> &'static str {
    match plan {
        Plan::Free => "Free",
        Plan::Pro => "Pro",
    }
}
