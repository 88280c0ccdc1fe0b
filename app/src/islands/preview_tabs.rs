//! How a notification looks on each system: what it cuts off, and what it leaves out.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::Preview;

/// The systems by the names that `style/components/preview-tabs.css` knows them by, as they call themselves.
const SYSTEMS: [(&str, &str); 4] = [
    ("windows", "Windows"),
    ("macos", "macOS"),
    ("android", "Android"),
    ("ios", "iOS"),
];

/// What is said around the previews.
#[derive(Clone, Serialize, Deserialize)]
pub struct PreviewTexts {
    /// Says that they are previews.
    pub title: String,
    /// What each system leaves out, in the order of the tabs.
    pub systems: [String; 4],
    /// The heading of the whole text.
    pub whole: String,
    /// Where all of them differ from what browsers draw.
    pub hint: String,
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
    /// Which site it comes from.
    #[prop(into)]
    site: Signal<String>,
    /// Called when the icon cannot be loaded.
    #[prop(optional)]
    on_broken_icon: Option<Callback<()>>,
) -> impl IntoView {
    let tab = |(name, label): (&'static str, &'static str)| {
        let id = format!("preview-{name}");
        view! {
            <input
                type="radio"
                name="preview"
                id=id.clone()
                value=name
                checked={name == SYSTEMS[0].0}
            />
            <label for=id translate="no">
                {label}
            </label>
        }
    };
    let named = SYSTEMS.into_iter().zip(texts.systems);
    let notes = named.map(|((name, _), says)| {
        let class = format!("hint of-system of-{name}");
        view! { <p class=class>{says}</p> }
    });
    let ignore = || Callback::new(|()| ());
    view! {
        <fieldset class="preview-tabs">
            <legend>{texts.title}</legend>
            {SYSTEMS.map(tab)}
            <Preview title body icon badge site on_broken_icon=on_broken_icon.unwrap_or_else(ignore) />
            {notes.collect_view()}
            <p class="hint">{texts.hint}</p>
            <div class="whole-text" dir="auto" translate="no">
                <p class="hint">{texts.whole}</p>
                <b>{title}</b>
                <p>{body}</p>
            </div>
        </fieldset>
    }
}
