//! The dashboard's texts, one structure per page with a value per language: a text that is missing does not compile.
//!
//! Each line of a `texts!` has the Japanese text first and the English one second. The language of a response is chosen in
//! `language.rs`.

/// A structure of texts and its values `JA` and `EN`: each line gives a field, its type unless that is `&'static str`, the
/// Japanese text and the English one.
macro_rules! texts {
    (@type) => { &'static str };
    (@type $type:ty) => { $type };
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident $(: $type:ty)? = $ja:expr, $en:expr;)*
    })*) => {$(
        $(#[$doc])*
        pub struct $name {
            $($(#[$field_doc])* pub $field: texts!(@type $($type)?),)*
        }

        impl $name {
            pub const JA: Self = Self { $($field: $ja,)* };
            pub const EN: Self = Self { $($field: $en,)* };
        }
    )*};
}

mod account;
mod app;
mod apps;
mod auth;
mod errors;
mod guides;
mod landing;
mod operator;
mod pricing;
mod reference;
mod review;
mod search;
mod site;

pub use account::AccountTexts;
pub use app::{
    AppTexts, AudienceTexts, ChartTexts, ChecklistTexts, ComposeTexts, DeadLettersTexts,
    DeliveryOptionsTexts, DeliveryTexts, DevicesTexts, EmbedTexts, EngagementTexts, GrowthTexts,
    HistoryTexts, ImportTexts, KeysTexts, OverviewTexts, PicturesTexts, RichTexts, SendTexts,
    SettingsTexts, SubscribersTexts, ThisBrowserTexts, VapidKeysTexts, WebhookTexts,
};
pub use apps::AppsTexts;
pub use auth::AuthTexts;
pub use errors::message;
pub use guides::GuidesTexts;
pub use landing::{LandingPoint, LandingTexts};
pub use operator::OperatorTexts;
pub use pricing::PricingTexts;
pub use reference::{ReferenceTexts, described};
pub use review::ReviewTexts;
pub use search::SearchTexts;
pub use site::SiteTexts;

use hato_domain::Plan;

use crate::language::Lang;
pub use crate::thousands::group_thousands;

texts! {
    /// Every text in one language.
    Texts {
        site: SiteTexts = SiteTexts::JA, SiteTexts::EN;
        landing: LandingTexts = LandingTexts::JA, LandingTexts::EN;
        pricing: PricingTexts = PricingTexts::JA, PricingTexts::EN;
        reference: ReferenceTexts = ReferenceTexts::JA, ReferenceTexts::EN;
        guides: GuidesTexts = GuidesTexts::JA, GuidesTexts::EN;
        search: SearchTexts = SearchTexts::JA, SearchTexts::EN;
        auth: AuthTexts = AuthTexts::JA, AuthTexts::EN;
        account: AccountTexts = AccountTexts::JA, AccountTexts::EN;
        operator: OperatorTexts = OperatorTexts::JA, OperatorTexts::EN;
        review: ReviewTexts = ReviewTexts::JA, ReviewTexts::EN;
        apps: AppsTexts = AppsTexts::JA, AppsTexts::EN;
        app: AppTexts = AppTexts::JA, AppTexts::EN;
    }
}

impl Texts {
    /// The texts of a language.
    pub fn for_language(lang: Lang) -> &'static Self {
        match lang {
            Lang::Ja => &Self::JA,
            Lang::En => &Self::EN,
        }
    }
}

/// A plan's name, which is the same in every language.
pub const fn plan_name(plan: Plan) -> &'static str {
    match plan {
        Plan::Free => "Free",
        Plan::Pro => "Pro",
    }
}
