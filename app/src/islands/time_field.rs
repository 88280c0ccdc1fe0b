//! A field for a date and a time: in UTC, and in the visitor's own time zone where scripts run.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::local_clock::{self, ClockOddity};
use crate::text_list::text_list;
use crate::wrong_text::WrongText;

text_list! {
    /// What a [`TimeField`] says.
    TimeFieldTexts {
        /// What the field is for.
        label,
        /// Said below it as long as the time in it is UTC.
        utc,
        /// Said of a local time that is skipped; `{}` stands for the one that is taken.
        skipped,
        /// Said of a local time that comes twice.
        twice,
    }
}

/// A field of a form that holds UTC. Once it is awake the visitor fills in another one, in their own time, and it follows.
#[island]
pub fn TimeField(
    /// The name of the field.
    name: String,
    /// The time in it, `2026-01-31T09:05` in UTC, or nothing.
    value: String,
    /// What is wrong with it, when the form was refused.
    wrong: Option<String>,
    /// In the language of the page.
    texts: TimeFieldTexts,
) -> impl IntoView {
    let utc = NodeRef::<leptos::html::Input>::new();
    let local = NodeRef::<leptos::html::Input>::new();
    let zone = RwSignal::new(None::<String>);
    let (label, hint) = (texts.label.clone(), RwSignal::new(texts.utc.clone()));
    let id = format!("send-{name}");
    let hint_id = format!("{id}-hint");
    let wrong_id = format!("{id}-wrong");
    let invalid = wrong.is_some().then_some("true");
    let described = match wrong {
        Some(_) => format!("{hint_id} {wrong_id}"),
        None => hint_id.clone(),
    };
    // The label and the links to the field lead to the one that is seen.
    let id_of = |is_local: bool, id: &str| {
        let (seen, hidden) = (id.to_owned(), format!("{id}-hidden"));
        move || {
            let is_seen = zone.with(Option::is_some) == is_local;
            if is_seen {
                seen.clone()
            } else {
                hidden.clone()
            }
        }
    };
    let (utc_id, local_id) = (id_of(false, &id), id_of(true, &id));
    let follow = move || {
        if let (Some(utc), Some(local)) = (utc.get_untracked(), local.get_untracked()) {
            hint.set(write_utc(&local, &utc, &texts));
        }
    };
    let wake = follow.clone();
    Effect::new(move |_| {
        if let (Some(utc), Some(local)) = (utc.get(), local.get()) {
            let at = local_clock::read_utc(&utc.value());
            local.set_value(&at.map(local_clock::write).unwrap_or_default());
            zone.set(local_clock::zone());
            wake();
        }
    });
    view! {
        <div class="field">
            <label for=id>
                {label} " ("
                {move || zone.get().unwrap_or_else(|| "UTC".to_owned())} ")"
            </label>
            <input
                id=utc_id
                node_ref=utc
                name=name
                type="datetime-local"
                value=value
                hidden=move || zone.with(Option::is_some)
                aria-describedby=described.clone()
                aria-invalid=invalid
            />
            <input
                id=local_id
                node_ref=local
                type="datetime-local"
                hidden=move || zone.with(Option::is_none)
                aria-describedby=described
                aria-invalid=invalid
                on:input=move |_| follow()
            />
            <p class="hint" id=hint_id>
                {hint}
            </p>
            <WrongText id=wrong_id text=wrong />
        </div>
    }
}

/// Puts the local time into the field for UTC, and returns what is to be said of it.
fn write_utc(local: &HtmlInputElement, utc: &HtmlInputElement, texts: &TimeFieldTexts) -> String {
    let Some(moment) = local_clock::read(&local.value()) else {
        utc.set_value("");
        return String::new();
    };
    let text = local_clock::write_utc(moment.at);
    utc.set_value(&text);
    let said = format!("= {} UTC", text.replace('T', " "));
    match moment.oddity {
        None => said,
        Some(ClockOddity::Twice) => format!("{said} · {}", texts.twice),
        Some(ClockOddity::Skipped) => {
            let taken = local_clock::write(moment.at).replace('T', " ");
            format!("{said} · {}", texts.skipped.replace("{}", &taken))
        }
    }
}
