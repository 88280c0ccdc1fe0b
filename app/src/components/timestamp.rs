//! A point in time.

use hato_domain::UnixMillis;
use leptos::prelude::*;

/// Date and minute in UTC, as the lists' heads say.
#[component]
pub fn Timestamp(at: UnixMillis) -> impl IntoView {
    let minute = at.to_minute();
    let machine = format!("{}Z", minute.replace(' ', "T"));
    view! { <time datetime=machine>{minute}</time> }
}
