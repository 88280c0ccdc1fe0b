//! The command palette: the search over any page, which `app/scripts/palette.js` opens and fills.

use leptos::prelude::*;

use crate::request_context::RequestContext;

/// A dialog with a combobox. Without scripts nothing opens it, and the link in the header leads to the page of searches.
#[component]
pub fn Palette(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().search;
    let app = ctx.searched_app();
    let app = app.map(|app| view! { <input type="hidden" name="app" value=app /> });
    view! {
        <dialog id="palette" class="palette" aria-label=texts.title>
            <form class="search" method="get" action="/search">
                {app}
                <input
                    type="text"
                    name="q"
                    role="combobox"
                    aria-label=texts.title
                    aria-expanded="false"
                    aria-controls="palette-found"
                    aria-autocomplete="list"
                    placeholder=texts.placeholder
                    autocomplete="off"
                    spellcheck="false"
                    maxlength="200"
                    dir="auto"
                />
            </form>
            <ul id="palette-found" role="listbox" aria-label=texts.results></ul>
            <p class="hint">
                <span role="status"></span>
                " "
                {texts.keys}
            </p>
        </dialog>
    }
    .into_any()
}
