//! A form that posts to a server function.

use leptos::prelude::*;

/// Names and values of fields that nobody sees.
pub type HiddenFields = Vec<(&'static str, String)>;

/// A form with one button; its children are the fields to fill in.
#[component]
pub fn PostForm(
    #[prop(optional)] id: Option<&'static str>,
    #[prop(optional)] class: Option<&'static str>,
    /// The path of the server function.
    action: &'static str,
    #[prop(optional)] hidden: HiddenFields,
    #[prop(optional)] children: Option<Children>,
    button: &'static str,
    #[prop(default = "button")] button_class: &'static str,
) -> impl IntoView {
    let hidden = hidden
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    view! {
        <form id=id class=class method="post" action=action>
            {hidden.collect_view()}
            {children.map(|children| children())}
            <button type="submit" class=button_class>
                {button}
            </button>
        </form>
    }
    .into_any()
}
