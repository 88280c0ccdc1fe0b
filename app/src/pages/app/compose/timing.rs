//! The section of the form that says when the notification goes, until when, and how fast (CONTRACT 14).

use leptos::prelude::*;

use super::wrong_field::marked;
use crate::components::{Field, FieldKind};
use crate::i18n::ComposeTexts;
use crate::islands::{TimeField, TimeFieldTexts};
use crate::server_fns::TimingDraft;

/// Two times in the visitor's time zone, or in UTC without scripts, and the pace.
#[component]
pub(super) fn TimingSection(texts: &'static ComposeTexts, draft: TimingDraft) -> impl IntoView {
    let is_given = |field: &String| !field.is_empty();
    let open = [&draft.send_at, &draft.expires_at, &draft.max_per_minute]
        .into_iter()
        .any(is_given);
    let words = |label| time_field_texts(texts, label);
    let wrong = |name| marked(name).map(str::to_owned);
    view! {
        <details class="section" open=open>
            <summary>{texts.timing}</summary>
            <div class="fields">
            <TimeField
                name="send_at".to_owned()
                value=draft.send_at
                wrong=wrong("send_at")
                texts=words(texts.send_at)
            />
            <TimeField
                name="expires_at".to_owned()
                value=draft.expires_at
                wrong=wrong("expires_at")
                texts=words(texts.expires_at)
            />
            <Field
                form="send"
                name="max_per_minute"
                kind=FieldKind::Number(1, 10_000_000)
                label=texts.pace
                hint=texts.pace_hint
                value=draft.max_per_minute
                optional=true
            />
            </div>
        </details>
    }
    .into_any()
}

/// What a field for a time says.
pub(super) fn time_field_texts(texts: &ComposeTexts, label: &str) -> TimeFieldTexts {
    TimeFieldTexts {
        label: label.to_owned(),
        utc: texts.utc.to_owned(),
        skipped: texts.skipped.to_owned(),
        twice: texts.twice.to_owned(),
    }
}
