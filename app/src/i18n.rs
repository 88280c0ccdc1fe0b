//! The dashboard's texts, one structure per page with a value per language: a text that is missing does not compile.

mod account;
mod app;
mod apps;
mod entrance;
mod errors;
mod landing;
mod pricing;
mod reference;
mod site;
mod webhook;

pub use account::Account;
pub use app::{
    App, Chart, Checklist, Compose, DeadLetters, Embed, History, Keys, Overview, Reasons, Send,
    Settings, Subscribers, ThisBrowser,
};
pub use apps::Apps;
pub use entrance::Entrance;
pub use errors::message;
pub use landing::Landing;
pub use pricing::Pricing;
pub use reference::Reference;
pub use site::Site;
pub use webhook::Webhook;

use hato_domain::Plan;

pub use crate::grouped::grouped;
use crate::language::Lang;

/// Every text in one language.
pub struct Texts {
    /// What surrounds every page.
    pub site: Site,
    /// The landing page.
    pub landing: Landing,
    /// The pricing page.
    pub pricing: Pricing,
    /// The reference of the API.
    pub reference: Reference,
    /// Registering and logging in.
    pub entrance: Entrance,
    /// The account's page.
    pub account: Account,
    /// The list of apps.
    pub apps: Apps,
    /// An app's pages.
    pub app: App,
    /// An app's webhook page.
    pub webhook: Webhook,
}

impl Texts {
    /// The texts of a language.
    pub fn of(lang: Lang) -> &'static Self {
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
    entrance: entrance::JA,
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
    entrance: entrance::EN,
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
