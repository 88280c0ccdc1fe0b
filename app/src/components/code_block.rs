//! Something to be copied: code, a key.

use leptos::prelude::*;

use crate::islands::CopyButton;
use crate::request_context::RequestContext;

/// A text in the code face with a button that copies it. It can be scrolled with the keyboard.
#[component]
pub fn CodeBlock(
    /// Its id, unique on the page.
    id: &'static str,
    /// What assistive technology calls it.
    #[prop(into)]
    label: String,
    #[prop(into)] text: String,
    /// Whether it is one line, as keys are.
    #[prop(optional)]
    line: bool,
) -> impl IntoView {
    let texts = &RequestContext::current().texts().site;
    let class = if line { "code line" } else { "code" };
    view! {
        <div class=class translate="no">
            <pre tabindex="0" role="region" aria-label=label>
                <code id=id>{text}</code>
            </pre>
            <CopyButton
                target=id.to_owned()
                label=texts.copy.to_owned()
                done=texts.copied.to_owned()
                selected=texts.selected.to_owned()
            />
        </div>
    }
    .into_any()
}
