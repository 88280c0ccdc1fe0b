//! A field that a file is chosen with.

use leptos::prelude::*;

/// Files that are pictures, for a field that takes them.
pub const PICTURE_FILES: &str = "image/png,image/jpeg,image/webp";

/// A field for one file, with its label and a hint that is read with it.
#[component]
pub fn FileField(
    /// Unique on the page.
    id: &'static str,
    name: &'static str,
    /// Types and endings of the files that it offers.
    accept: &'static str,
    label: &'static str,
    hint: &'static str,
    /// Whether the form is sent without a file too.
    #[prop(optional)]
    optional: bool,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                id=id
                name=name
                type="file"
                required=!optional
                accept=accept
                aria-describedby=hint_id.clone()
            />
            <p class="hint" id=hint_id>
                {hint}
            </p>
        </div>
    }
    .into_any()
}
