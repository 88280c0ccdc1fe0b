//! What is shown where there is nothing yet.

use leptos::prelude::*;

use super::Logo;

/// A headline and a sentence; the children lead on.
#[component]
pub fn EmptyState(
    /// The headline.
    title: &'static str,
    /// Below it.
    text: &'static str,
    /// What may be done about it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <Logo />
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}
