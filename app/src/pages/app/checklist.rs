//! The start checklist, which ticks itself and goes away when all is done.

use leptos::prelude::*;

use crate::i18n::App;

/// The three steps to the first notification.
#[component]
pub fn StartChecklist(
    texts: &'static App,
    has_key: bool,
    has_subscriber: bool,
    has_sent: bool,
) -> impl IntoView {
    let list = &texts.checklist;
    if has_key && has_subscriber && has_sent {
        return None;
    }
    let step = |done: bool, link, title, text| {
        let (class, state) = if done {
            ("done", list.done)
        } else {
            ("open", list.open)
        };
        view! {
            <li class=class>
                <p>
                    <a href=link>{title}</a>
                    " "
                    <span class="state">{state}</span>
                </p>
                <p class="hint">{text}</p>
            </li>
        }
    };
    Some(
        view! {
            <section class="card checklist" aria-labelledby="checklist-title">
                <h2 id="checklist-title">{list.title}</h2>
                <ol>
                    {step(has_key, "#keys", list.key, list.key_text)}
                    {step(has_subscriber, "#embed", list.subscriber, list.subscriber_text)}
                    {step(has_sent, "#send", list.send, list.send_text)}
                </ol>
            </section>
        }
        .into_any(),
    )
}
