//! A moment that people wait for, on their own clock.

use leptos::prelude::*;

use super::local_clock;

/// A date and a time in UTC; in the visitor's time zone where scripts run. Either is named.
#[island]
pub fn LocalTime(
    /// `2026-01-31T09:05` in UTC.
    utc: String,
) -> impl IntoView {
    let machine = format!("{utc}Z");
    let shown = RwSignal::new(format!("{} (UTC)", utc.replace('T', " ")));
    Effect::new(move |_| {
        if let Some((at, zone)) = local_clock::read_utc(&utc).zip(local_clock::zone()) {
            shown.set(format!(
                "{} ({zone})",
                local_clock::write(at).replace('T', " ")
            ));
        }
    });
    view! { <time datetime=machine>{shown}</time> }
}
