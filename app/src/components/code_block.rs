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

/// The same without an island, for static pages: `app/scripts/copy.js` copies.
#[component]
pub fn StaticCodeBlock(
    ctx: RequestContext,
    /// Its id, unique on the page.
    #[prop(into)]
    id: String,
    /// What assistive technology calls it.
    label: String,
    #[prop(into)] text: String,
    /// What the style sheet knows it by besides.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let texts = &ctx.texts().site;
    let class = format!("code {class}");
    view! {
        <div class=class.trim_end().to_owned() translate="no" lang=ctx.lang().as_str()>
            <pre tabindex="0" role="region" aria-label=label>
                <code id=id.clone() lang="en">
                    {text}
                </code>
            </pre>
            <button
                type="button"
                class="copy"
                data-copy=id
                data-done=texts.copied
                data-selected=texts.selected
                hidden
            >
                <span aria-live="polite">{texts.copy}</span>
            </button>
        </div>
    }
    .into_any()
}
