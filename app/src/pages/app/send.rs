//! The form that sends to every subscriber.

use hato_domain::Notification;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::calls::{SendToAll, Typed};
use crate::components::{Field, Kind, Note, RefusalNote, Tone};
use crate::i18n::{App, Compose};
use crate::islands::PayloadMeter;

/// The form, and above it what became of the last send.
#[component]
pub fn SendSection(
    texts: &'static App,
    app: String,
    subscribers: i64,
    typed: Typed,
    queued: Option<i64>,
) -> impl IntoView {
    let texts = &texts.compose;
    let result = queued.map(|count| {
        let tone = if count == 0 { Tone::Mind } else { Tone::Good };
        view! {
            <Note tone>
                <p>{(texts.queued)(count)}</p>
            </Note>
        }
    });
    view! {
        <section class="card" id="send">
            <h2>{texts.title}</h2>
            {result}
            <RefusalNote form="send" />
            <form method="post" action=SendToAll::url()>
                <input type="hidden" name="app" value=app />
                <PayloadMeter
                    limit=Notification::MAX_PAYLOAD_BYTES
                    label=texts.size.to_owned()
                    unit=texts.bytes.to_owned()
                >
                    <Fields texts typed />
                </PayloadMeter>
                <div class="act">
                    <button type="submit" class="button">
                        {texts.send}
                    </button>
                    <p class="hint">{(texts.audience)(subscribers)}</p>
                </div>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn Fields(texts: &'static Compose, typed: Typed) -> impl IntoView {
    let (icon, badge) = (typed.of("icon"), typed.of("badge"));
    let open = !icon.is_empty() || !badge.is_empty();
    view! {
        <Field
            form="send"
            name="title"
            kind=Kind::Line
            label=texts.heading
            value=typed.of("title")
        />
        <Field form="send" name="body" kind=Kind::Lines label=texts.body value=typed.of("body") />
        <Field
            form="send"
            name="url"
            kind=Kind::Link
            label=texts.url
            hint=texts.url_hint
            value=typed.of("url")
            optional=true
        />
        <details open=open>
            <summary>{texts.more}</summary>
            <Field
                form="send"
                name="icon"
                kind=Kind::Link
                label=texts.icon
                hint=texts.https
                value=icon
                optional=true
            />
            <Field
                form="send"
                name="badge"
                kind=Kind::Link
                label=texts.badge
                hint=texts.https
                value=badge
                optional=true
            />
        </details>
    }
    .into_any()
}
