//! What to do about a failure, and where.

use hato_domain::FailureReason;
use leptos::prelude::*;

use crate::i18n::AppTexts;

/// What to do about failures of one kind.
pub struct Advice {
    text: &'static str,
    /// The page where that is done: its name and its path.
    page: Option<(&'static str, String)>,
}

impl Advice {
    /// The advice for the reason with this code, in the app at `base`; `None` where the code is not known.
    pub fn new(texts: &AppTexts, base: &str, code: &str) -> Option<Self> {
        let text = texts.dead_letters.reasons.advice(code)?;
        let page = page_below(texts, code).map(|(name, below)| (name, format!("{base}{below}")));
        Some(Self { text, page })
    }

    /// The sentence with its link.
    pub fn render(self) -> impl IntoView {
        let link = self.page.map(|(name, path)| {
            view! {
                " "
                <a href=path>{name}</a>
            }
        });
        view! {
            {self.text}
            {link}
        }
        .into_any()
    }
}

/// The page of an app where something can be done about the reason, and the field there.
fn page_below(texts: &AppTexts, code: &str) -> Option<(&'static str, &'static str)> {
    let compose = texts.frame.compose;
    let pages = [
        (
            FailureReason::KeyMismatch,
            texts.vapid_keys.title,
            "/keys/vapid",
        ),
        (
            FailureReason::Throttled,
            compose,
            "/send#send-max_per_minute",
        ),
        (FailureReason::OutOfTime, compose, "/send#send-ttl"),
    ];
    let mut pages = pages.into_iter();
    let found = pages.find(|(reason, ..)| reason.as_str() == code);
    found.map(|(_, name, below)| (name, below))
}
