//! The section of the form that says what the notification says.

use hato_domain::Notification;
use leptos::prelude::*;

use crate::components::{Field, FieldKind};
use crate::i18n::ComposeTexts;
use crate::islands::{Composer, IconTexts, Samples};
use crate::server_fns::NotificationDraft;

/// Title, text and links, with how it will look.
#[component]
pub(super) fn ContentSection(
    texts: &'static ComposeTexts,
    draft: NotificationDraft,
    /// Whom browsers name as the sender.
    site: String,
) -> impl IntoView {
    let samples = Samples {
        title: texts.sample_title.to_owned(),
        body: texts.sample_body.to_owned(),
        site,
    };
    let icon_texts = IconTexts {
        insecure: texts.icon_insecure.to_owned(),
        broken: texts.icon_broken.to_owned(),
    };
    let written = [&draft.title, &draft.body, &draft.icon].map(String::clone);
    view! {
        <Composer
            limit=Notification::MAX_PAYLOAD_BYTES
            label=texts.size.to_owned()
            unit=texts.bytes.to_owned()
            preview=texts.preview.to_owned()
            preview_hint=texts.preview_hint.to_owned()
            samples
            icon_texts
            written
        >
            <Fields texts draft />
        </Composer>
        <noscript>
            <p class="hint">{texts.preview_later}</p>
        </noscript>
    }
    .into_any()
}

#[component]
fn Fields(texts: &'static ComposeTexts, draft: NotificationDraft) -> impl IntoView {
    let open = !draft.icon.is_empty() || !draft.badge.is_empty();
    view! {
        <Field
            form="send"
            name="title"
            kind=FieldKind::Text
            label=texts.heading
            value=draft.title
        />
        <Field
            form="send"
            name="body"
            kind=FieldKind::Multiline
            label=texts.body
            value=draft.body
        />
        <LinkField name="url" label=texts.url hint=texts.url_hint value=draft.url />
        <details open=open>
            <summary>{texts.more}</summary>
            <LinkField name="icon" label=texts.icon hint=texts.https value=draft.icon />
            <LinkField name="badge" label=texts.badge hint=texts.https value=draft.badge />
        </details>
    }
    .into_any()
}

#[component]
fn LinkField(
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
) -> impl IntoView {
    view! { <Field form="send" name kind=FieldKind::Url label hint value optional=true /> }
}
