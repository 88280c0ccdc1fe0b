//! A question before something that cannot be undone, which works with scripts off.

use leptos::prelude::*;

/// A button that opens the question and closes any other; its form stands among the children.
#[component]
pub fn ConfirmDialog(
    label: &'static str,
    /// What it is about, for those who do not see the row that it stands in.
    #[prop(optional, into)]
    about: Option<String>,
    /// Whether it hides behind three dots, which take less notice.
    #[prop(optional)]
    is_menu: bool,
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
    let (class, dots) = if is_menu {
        ("button quiet small", Some("⋯"))
    } else {
        ("button quiet small danger", None)
    };
    view! {
        <details class="confirm" name="question" open=open>
            <summary class=class>
                {dots.map(|dots| view! { <span aria-hidden="true">{dots}</span> })}
                <span class:visually-hidden=is_menu>{label}</span>
                {about}
            </summary>
            <div class="confirm-body">{children()}</div>
        </details>
    }
    .into_any()
}
