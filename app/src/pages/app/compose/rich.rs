//! The section of the form for what a notification has beyond title, text and links (CONTRACT 13).

use hato_domain::UnixMillis;
use hato_domain::notification::TextDirection;
use leptos::prelude::*;

use super::timing::time_field_texts;
use super::wrong_field::marked;
use crate::components::{Fact, Field, FieldKind, TimeStyle, Timestamp};
use crate::i18n::{ComposeTexts, RichTexts};
use crate::islands::TimeField;
use crate::server_fns::RichDraft;
use crate::wrong_text::WrongText;

/// Picture, buttons and the rest, folded away until one is filled in.
#[component]
pub(super) fn RichSection(texts: &'static ComposeTexts, draft: RichDraft) -> impl IntoView {
    let words = &texts.rich;
    let open = draft.fields().iter().any(|(_, value)| !value.is_empty());
    let time = time_field_texts(texts, words.timestamp);
    view! {
        <details class="section" open=open>
            <summary>{words.summary}</summary>
            <div class="fields">
                <p class="hint">{words.note}</p>
                <Pictures texts=words draft=draft.clone() />
                <Behaviour texts=words draft=draft.clone() />
                <TimeField
                    name="timestamp".to_owned()
                    value=draft.timestamp.clone()
                    wrong=marked("timestamp").map(str::to_owned)
                    texts=time
                />
                <ForTheSite texts=words draft />
            </div>
        </details>
    }
    .into_any()
}

/// The large picture and the buttons.
#[component]
fn Pictures(texts: &'static RichTexts, draft: RichDraft) -> impl IntoView {
    let text = |name, label, hint, value| view! { <Field form="send" name kind=FieldKind::Text label hint value optional=true /> };
    let link = |name, label, hint, value| view! { <Field form="send" name kind=FieldKind::Url label hint value optional=true /> };
    let (shown, url, icon) = (
        texts.button_hint,
        texts.button_url_hint,
        texts.button_icon_hint,
    );
    view! {
        {link("image", texts.image, texts.https, draft.image)}
        {text("button_1", texts.button_1, shown, draft.button_1)}
        {link("button_1_url", texts.button_1_url, url, draft.button_1_url)}
        {link("button_1_icon", texts.button_1_icon, icon, draft.button_1_icon)}
        {text("button_2", texts.button_2, shown, draft.button_2)}
        {link("button_2_url", texts.button_2_url, url, draft.button_2_url)}
        {link("button_2_icon", texts.button_2_icon, icon, draft.button_2_icon)}
        {text("button_3", texts.button_3, texts.button_3_hint, draft.button_3)}
        {link("button_3_url", texts.button_3_url, url, draft.button_3_url)}
        {link("button_3_icon", texts.button_3_icon, icon, draft.button_3_icon)}
    }
    .into_any()
}

/// How it comes, stays, and takes another one's place.
#[component]
fn Behaviour(texts: &'static RichTexts, draft: RichDraft) -> impl IntoView {
    let choice =
        |name, label, ticked: &str| view! { <Choice name label ticked=!ticked.is_empty() /> };
    view! {
        <Field
            form="send"
            name="tag"
            kind=FieldKind::Text
            label=texts.tag
            hint=texts.tag_hint
            value=draft.tag
            optional=true
            max=64
        />
        {choice("renotify", texts.renotify, &draft.renotify)}
        {choice("require_interaction", texts.require_interaction, &draft.require_interaction)}
        {choice("silent", texts.silent, &draft.silent)}
    }
    .into_any()
}

/// A box to tick.
#[component]
fn Choice(name: &'static str, label: &'static str, ticked: bool) -> impl IntoView {
    let id = format!("send-{name}");
    let wrong_id = format!("{id}-wrong");
    let wrong = marked(name);
    view! {
        <div>
            <label class="choice">
                <input
                    id=id
                    type="checkbox"
                    name=name
                    value="true"
                    checked=ticked
                    aria-invalid=wrong.map(|_| "true")
                    aria-describedby=wrong.map(|_| wrong_id.clone())
                />
                <span>{label}</span>
            </label>
            <WrongText id=wrong_id text=wrong.map(str::to_owned) />
        </div>
    }
    .into_any()
}

/// Language and direction of the texts, the number on the app's icon, and what the site's scripts find.
#[component]
fn ForTheSite(texts: &'static RichTexts, draft: RichDraft) -> impl IntoView {
    view! {
        <Field
            form="send"
            name="lang"
            kind=FieldKind::Text
            label=texts.lang
            hint=texts.lang_hint
            value=draft.lang
            optional=true
            max=35
        />
        <DirectionField texts chosen=draft.dir />
        <Field
            form="send"
            name="app_badge"
            kind=FieldKind::Number(0, 999_999)
            label=texts.app_badge
            hint=texts.app_badge_hint
            value=draft.app_badge
            optional=true
        />
        <Field
            form="send"
            name="data"
            kind=FieldKind::Multiline
            label=texts.data
            hint=texts.data_hint
            value=draft.data
            optional=true
        />
    }
    .into_any()
}

#[component]
fn DirectionField(texts: &'static RichTexts, chosen: String) -> impl IntoView {
    let option = |direction: TextDirection| {
        let value = direction.as_str();
        view! {
            <option value=value selected={value == chosen}>
                {direction_name(texts, direction)}
            </option>
        }
    };
    view! {
        <div class="field">
            <label for="send-dir">{texts.dir}</label>
            <select id="send-dir" name="dir">
                <option value="">{texts.dir_none}</option>
                {TextDirection::ALL.map(option)}
            </select>
        </div>
    }
    .into_any()
}

const fn direction_name(texts: &RichTexts, direction: TextDirection) -> &'static str {
    match direction {
        TextDirection::Auto => texts.dir_auto,
        TextDirection::LeftToRight => texts.dir_ltr,
        TextDirection::RightToLeft => texts.dir_rtl,
    }
}

/// What the question says of them: those that are filled in.
#[component]
pub(super) fn RichFacts(texts: &'static RichTexts, draft: RichDraft) -> impl IntoView {
    let fact = |(name, value): (&str, &str)| {
        let value = match name {
            "renotify" | "require_interaction" | "silent" => texts.yes.into_any(),
            "timestamp" => UnixMillis::from_date_and_time(value)
                .map(|at| view! { <Timestamp at style=TimeStyle::Zoned /> })
                .into_any(),
            _ => value.to_owned().into_any(),
        };
        view! { <Fact label=label(texts, name)>{value}</Fact> }
    };
    let filled_in = draft
        .fields()
        .into_iter()
        .filter(|(_, value)| !value.is_empty());
    filled_in.map(fact).collect_view().into_any()
}

/// What a field is called in the question and in a refusal.
pub(super) fn label(texts: &RichTexts, field: &str) -> &'static str {
    match field {
        "image" => texts.image,
        "button_1" => texts.button_1,
        "button_1_url" => texts.button_1_url,
        "button_1_icon" => texts.button_1_icon,
        "button_2" => texts.button_2,
        "button_2_url" => texts.button_2_url,
        "button_2_icon" => texts.button_2_icon,
        "button_3" => texts.button_3,
        "button_3_url" => texts.button_3_url,
        "button_3_icon" => texts.button_3_icon,
        "tag" => texts.tag,
        "renotify" => texts.renotify,
        "require_interaction" => texts.require_interaction,
        "silent" => texts.silent,
        "data" => texts.data,
        "dir" => texts.dir,
        "lang" => texts.lang,
        "timestamp" => texts.timestamp,
        _ => texts.app_badge,
    }
}
