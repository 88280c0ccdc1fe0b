//! The checklist of the first steps, which ticks itself as they are done. When the last is done, a page that is already open
//! shows it with all ticks; a page that is opened later leaves it out.

use hato_service::AppOverview;
use leptos::prelude::*;

use crate::i18n::ChecklistTexts;

/// The three steps to the first notification.
#[component]
pub fn StartChecklist(
    texts: &'static ChecklistTexts,
    path: String,
    overview: AppOverview,
    /// Whether it is shown when all is done: the page is a refresh of one that is open.
    stays: bool,
) -> impl IntoView {
    let AppOverview {
        had_key,
        had_subscriber,
        has_sent,
        ..
    } = overview;
    let is_done = had_key && had_subscriber && has_sent;
    if is_done && !stays {
        return None;
    }
    let (embed, browser) = (format!("{path}/embed"), "#this-browser".to_owned());
    let arrived = is_done.then(|| view! { <p>{texts.arrived}</p> });
    let steps = [
        view! {
            <Step
                texts
                done=had_subscriber
                link=browser.clone()
                title=texts.subscriber
                text=texts.subscriber_text
            />
        },
        view! { <Step texts done=has_sent link=browser title=texts.send text=texts.send_text /> },
        view! { <Step texts done=had_key link=embed title=texts.key text=texts.key_text /> },
    ];
    let list = view! {
        <section class="card checklist" id="checklist" data-live aria-labelledby="checklist-title">
            <h2 id="checklist-title">{texts.title}</h2>
            <ol>{steps}</ol>
            {arrived}
        </section>
    };
    Some(list.into_any())
}

#[component]
fn Step(
    texts: &'static ChecklistTexts,
    done: bool,
    link: String,
    title: &'static str,
    text: &'static str,
) -> impl IntoView {
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
    .into_any()
}
