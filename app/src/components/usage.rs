//! How much of a limit is used.

use leptos::prelude::*;

use crate::i18n::{AppsTexts, group_thousands};

/// From how many percent of a limit on it is near.
const WARN_PERCENT: i64 = 80;

/// A number, with a bar where there is a limit and a warning in words where that is near.
#[component]
pub fn Usage(
    texts: &'static AppsTexts,
    label: &'static str,
    used: i64,
    limit: Option<i64>,
) -> impl IntoView {
    let percent = limit.map(|limit| used.saturating_mul(100) / limit.max(1));
    let warning = match percent {
        Some(100..) => Some(texts.reached),
        Some(WARN_PERCENT..) => Some(texts.nearly),
        _ => None,
    };
    let number = limit.map_or_else(
        || group_thousands(used),
        |limit| (texts.of_limit)(used, limit),
    );
    let bar = limit.map(|limit| {
        view! {
            <meter
                min="0"
                max=limit
                high={limit * WARN_PERCENT / 100}
                value=used
                aria-label=label
            ></meter>
        }
    });
    view! {
        <div class="usage" class:near={warning.is_some()}>
            <p>
                <span>{label}</span>
                " "
                <b>{number}</b>
            </p>
            {bar}
            {warning.map(|text| view! { <p class="warning">{text}</p> })}
        </div>
    }
    .into_any()
}
