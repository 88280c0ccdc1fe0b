//! The section of the form that says what the notification says.

use hato_domain::Notification;
use leptos::prelude::*;

use super::pictures::{PictureChoices, PictureField, PictureUpload};
use crate::components::{Field, FieldKind, Note, Tone};
use crate::i18n::ComposeTexts;
use crate::islands::{Composer, PictureTexts, PreviewTexts, Samples, Written};
use crate::pages::PreviewStyle;
use crate::request_context::RequestContext;
use crate::server_fns::NotificationDraft;

/// Title, text and links, with how it will look.
#[component]
pub(super) fn ContentSection(
    texts: &'static ComposeTexts,
    draft: NotificationDraft,
    pictures: PictureChoices,
    /// The id of the app, or nothing where the path names none.
    app: String,
    /// Whom browsers name as the sender.
    site: String,
) -> impl IntoView {
    let samples = Samples {
        title: texts.sample_title.to_owned(),
        body: texts.sample_body.to_owned(),
        site,
    };
    let picture_texts = PictureTexts {
        insecure: texts.picture_insecure.to_owned(),
        broken: texts.picture_broken.to_owned(),
        names: texts.picture_names.map(str::to_owned).to_vec(),
    };
    let written = Written {
        title: draft.title.clone(),
        body: draft.body.clone(),
        icon: draft.icon().to_owned(),
        badge: draft.badge().to_owned(),
        image: draft.rich.image.clone(),
        buttons: draft.rich.shown_buttons(),
    };
    view! {
        <PreviewStyle />
        <Composer
            limit=Notification::MAX_PAYLOAD_BYTES
            label=texts.size.to_owned()
            unit=texts.bytes.to_owned()
            preview=preview_texts(texts)
            samples
            picture_texts
            written
        >
            <Fields texts draft pictures app />
        </Composer>
        <noscript>
            <p class="hint">{texts.preview_later}</p>
        </noscript>
    }
    .into_any()
}

/// What is said around the previews.
pub(super) fn preview_texts(texts: &ComposeTexts) -> PreviewTexts {
    let [windows, macos, android, ios] = texts.preview_systems;
    let [on_windows, on_macos, on_android] = texts.preview_extras;
    PreviewTexts {
        title: texts.preview.to_owned(),
        whole: texts.preview_whole.to_owned(),
        hint: texts.preview_hint.to_owned(),
        systems: vec![
            format!("{windows}{on_windows}"),
            format!("{macos}{on_macos}"),
            format!("{android}{on_android}"),
            ios.to_owned(),
        ],
    }
}

#[component]
fn Fields(
    texts: &'static ComposeTexts,
    draft: NotificationDraft,
    pictures: PictureChoices,
    app: String,
) -> impl IntoView {
    view! {
        <Field
            form="send"
            name="title"
            kind=FieldKind::Text
            label=texts.heading
            value=draft.title.clone()
        />
        <Field
            form="send"
            name="body"
            kind=FieldKind::Multiline
            label=texts.body
            value=draft.body.clone()
        />
        <LinkField name="url" label=texts.url hint=texts.url_hint value=draft.url.clone() />
        <Images texts draft pictures app />
    }
    .into_any()
}

/// Icon and badge, folded away until there is one: an uploaded picture, or any address.
#[component]
fn Images(
    texts: &'static ComposeTexts,
    draft: NotificationDraft,
    pictures: PictureChoices,
    app: String,
) -> impl IntoView {
    let words = &RequestContext::current().texts().app.pictures;
    let [icon, badge] = [draft.icon(), draft.badge()].map(str::to_owned);
    let outcome = pictures.outcome();
    let open = !icon.is_empty() || !badge.is_empty() || outcome.is_some();
    let outcome = outcome.map(|(tone, text)| view! { <Note tone text /> });
    // What is chosen is not typed as well.
    let typed = |url: &String| {
        if pictures.has(url) {
            String::new()
        } else {
            url.clone()
        }
    };
    let (icon_url, badge_url) = (typed(&icon), typed(&badge));
    let insecure = pictures
        .are_insecure()
        .then(|| view! { <Note tone=Tone::Warning text=words.insecure /> });
    let badges = pictures.clone();
    let upload = (!app.is_empty() && !pictures.are_insecure())
        .then(|| view! { <PictureUpload texts=words app /> });
    view! {
        <details open=open id="send-pictures">
            <summary>{texts.more}</summary>
            {insecure}
            {outcome}
            <PictureField
                texts=words
                name="icon_choice"
                legend=words.icon_choice
                choices=pictures
                chosen=icon
            />
            <LinkField name="icon" label=texts.icon hint=texts.https value=icon_url />
            <PictureField
                texts=words
                name="badge_choice"
                legend=words.badge_choice
                choices=badges
                chosen=badge
            />
            <LinkField name="badge" label=texts.badge hint=texts.https value=badge_url />
            {upload}
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
