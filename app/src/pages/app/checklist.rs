//! The start checklist, which ticks itself and goes away when all is done.

use leptos::prelude::*;

use crate::i18n::Checklist;
use crate::islands::Live;

/// The three steps to the first notification.
#[component]
pub fn StartChecklist(
    texts: &'static Checklist,
    path: String,
    has_key: bool,
    has_subscriber: bool,
    has_sent: bool,
) -> impl IntoView {
    if has_key && has_subscriber && has_sent {
        return None;
    }
    let send = format!("{path}/send");
    let step = |done: bool, link: String, title, text| {
        let (class, state) = if done {
            ("done", texts.done)
        } else {
            ("open", texts.open)
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
            <Live path part=".checklist".to_owned() running=".checklist .open".to_owned()>
                <section class="card checklist" aria-labelledby="checklist-title">
                    <h2 id="checklist-title">{texts.title}</h2>
                    <ol>
                        {step(has_key, "#embed".to_owned(), texts.key, texts.key_text)}
                        {step(
                            has_subscriber,
                            "#this-browser".to_owned(),
                            texts.subscriber,
                            texts.subscriber_text,
                        )} {step(has_sent, send, texts.send, texts.send_text)}
                    </ol>
                </section>
            </Live>
        }
        .into_any(),
    )
}
