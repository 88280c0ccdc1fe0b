//! A question before something that cannot be undone, which works with scripts off.

use leptos::prelude::*;

/// A button that opens the question and closes any other; its form stands among the children.
#[component]
pub fn ConfirmDialog(
    label: &'static str,
    /// What it is about, for those who do not see the row that it stands in.
    #[prop(optional, into)]
    about: Option<String>,
    /// Whether it is open from the start.
    #[prop(optional)]
    open: bool,
    /// The question and the form.
    children: Children,
) -> impl IntoView {
    let about = about.map(|about| {
        view! {
            <span class="visually-hidden">" " <bdi>{about}</bdi></span>
        }
    });
    view! {
        <details class="confirm" name="question" open=open>
            <summary class="button quiet small danger">{label} {about}</summary>
            <div class="confirm-body">{children()}</div>
        </details>
    }
    .into_any()
}
