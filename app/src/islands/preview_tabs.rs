//! How a notification looks on each system: what it cuts off, and what it leaves out.

use leptos::prelude::*;

use super::Preview;
use crate::text_list::text_list;

/// The systems by the names that `style/components/preview-tabs.css` knows them by, as they call themselves.
const SYSTEMS: [(&str, &str); 4] = [
    ("windows", "Windows"),
    ("macos", "macOS"),
    ("android", "Android"),
    ("ios", "iOS"),
];

text_list! {
    /// What is said around the previews.
    PreviewTexts {
        /// Says that they are previews.
        title,
        /// The heading of the whole text.
        whole,
        /// Where all of them differ from what browsers draw.
        hint,
    }
    rest {
        /// What each system leaves out, in the order of the tabs.
        systems
    }
}

/// A notification as one system draws it, chosen by a row of radio buttons, and all of its text below.
#[component]
pub fn PreviewTabs(
    texts: PreviewTexts,
    #[prop(into)] title: Signal<String>,
    #[prop(into)] body: Signal<String>,
    /// The icon's URL; nothing without one.
    #[prop(into)]
    icon: Signal<String>,
    /// The badge's URL; nothing without one.
    #[prop(into)]
    badge: Signal<String>,
    /// The large picture's URL; nothing without one.
    #[prop(into)]
    image: Signal<String>,
    /// What its buttons show.
    #[prop(into)]
    buttons: Signal<Vec<String>>,
    /// Which site it comes from.
    #[prop(into)]
    site: Signal<String>,
    /// Called with the number of a picture that cannot be loaded.
    #[prop(optional)]
    on_broken: Option<Callback<usize>>,
) -> impl IntoView {
    // Each on its own: of two in one view the server, which erases the types of views, and the browser write the end differently.
    let tab = |(name, label): (&'static str, &'static str)| {
        let id = format!("preview-{name}");
        let checked = name == SYSTEMS[0].0;
        let button = view! { <input type="radio" name="preview" id=id.clone() value=name checked=checked /> };
        let label = view! {
            <label for=id translate="no">
                {label}
            </label>
        };
        [button.into_any(), label.into_any()]
    };
    let named = SYSTEMS.into_iter().zip(texts.systems);
    let notes = named.map(|((name, _), says)| {
        let class = format!("hint of-system of-{name}");
        view! { <p class=class>{says}</p> }
    });
    let ignore = || Callback::new(|_| ());
    view! {
        <fieldset class="preview-tabs">
            <legend>{texts.title}</legend>
            {SYSTEMS.into_iter().flat_map(tab).collect_view()}
            <Preview
                title
                body
                icon
                badge
                image
                buttons
                site
                on_broken=on_broken.unwrap_or_else(ignore)
            />
            {notes.collect_view()}
            <p class="hint">{texts.hint}</p>
            <div class="whole-text">
                <p class="hint">{texts.whole}</p>
                <b dir="auto" translate="no">
                    {title}
                </b>
                <p dir="auto" translate="no">
                    {body}
                </p>
            </div>
        </fieldset>
    }
}
