//! What is said of a field that is wrong.

use leptos::prelude::*;

/// What is wrong with a field, below it; nothing where nothing is. `app/scripts/forms.js` makes the same.
#[component]
pub fn WrongText(
    /// The id by which the field is described.
    id: String,
    text: Option<String>,
) -> impl IntoView {
    text.map(|text| {
        view! {
            <p class="wrong" id=id>
                {text}
            </p>
        }
    })
}
