//! What is shown where there is nothing yet.

use leptos::prelude::*;

use super::Logo;

/// A headline and a sentence; the children are links to what may be done about it.
#[component]
pub fn EmptyState(
    title: &'static str,
    text: &'static str,
    #[prop(optional)] children: Option<Children>,
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
