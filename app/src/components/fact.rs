//! A fact of a list of facts.

use leptos::prelude::*;

/// What something is called, and what it is: an entry of a `dl`.
#[component]
pub fn Fact(label: &'static str, children: Children) -> impl IntoView {
    view! {
        <div>
            <dt>{label}</dt>
            <dd dir="auto">{children()}</dd>
        </div>
    }
    .into_any()
}
