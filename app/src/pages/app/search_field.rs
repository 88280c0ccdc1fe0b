//! What the forms that search lists have in common.

use hato_domain::ErrorCode;
use leptos::prelude::*;

/// Longest text that is searched for, in characters.
const MAX_SEARCH: usize = 200;

/// The value of a name in the query of a list, if it has one.
pub type QueryValue<'q> = dyn Fn(&str) -> Option<String> + 'q;

/// A text that is searched for; one that is too long is `INVALID_INPUT`.
pub fn searched_text(query: &QueryValue<'_>, name: &str) -> Result<String, ErrorCode> {
    let text = query(name).unwrap_or_default().trim().to_owned();
    let is_long = text.chars().nth(MAX_SEARCH).is_some();
    (!is_long).then_some(text).ok_or(ErrorCode::InvalidInput)
}

/// A field for a part of a text.
#[component]
pub fn SearchField(
    name: &'static str,
    label: &'static str,
    value: String,
    #[prop(optional)] hint: &'static str,
) -> impl IntoView {
    let id = format!("search-{name}");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input id=id type="search" name=name value=value maxlength=MAX_SEARCH placeholder=hint />
        </div>
    }
    .into_any()
}
