//! Why a draft was refused: a note that leads to the wrong fields, and what is said below each of them.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::wrong_field::FORM;
use crate::components::{ErrorNote, Note, Tone};
use crate::i18n::{ComposeTexts, message};
use crate::request_context::{RequestContext, WrongField};
use crate::server_fns::{DraftPart, DraftRefusal, NotificationDraft};

/// The code for which a draft was refused, what of it, and the fields that are wrong.
pub(super) struct RefusedDraft {
    code: ErrorCode,
    part: DraftPart,
    fields: Vec<&'static str>,
}

impl RefusedDraft {
    /// Looks for the fields, and marks them in the form that is about to be shown.
    pub(super) fn mark(
        ctx: &RequestContext,
        draft: &NotificationDraft,
        refusal: &DraftRefusal,
    ) -> Self {
        let texts = &ctx.texts().app.compose;
        let fields = draft.wrong_fields(ctx.service().now());
        let marked = fields.iter().map(|&name| WrongField {
            name,
            text: wrong_text(texts, name),
        });
        ctx.mark_wrong_fields(FORM, marked.collect());
        Self {
            code: refusal.error.code(),
            part: refusal.part,
            fields,
        }
    }
}

/// Why the draft was refused, with links to the fields to look at.
#[component]
pub(super) fn RefusalNote(
    ctx: RequestContext,
    texts: &'static ComposeTexts,
    refused: RefusedDraft,
) -> impl IntoView {
    let RefusedDraft { code, part, fields } = refused;
    if fields.is_empty() {
        return match advice(texts, code, part) {
            None => view! { <ErrorNote code /> }.into_any(),
            Some(text) => view! { <Note tone=Tone::Error text /> }.into_any(),
        };
    }
    let text = match code {
        ErrorCode::InvalidInput => texts.check_fields,
        _ => message(ctx.lang(), code),
    };
    let link = |name: &'static str| {
        let href = format!("#{FORM}-{name}");
        view! {
            <li>
                <a href=href>{label(texts, name)}</a>
            </li>
        }
    };
    view! {
        <Note tone=Tone::Error text>
            <ul class="wrong-fields">{fields.into_iter().map(link).collect_view()}</ul>
        </Note>
    }
    .into_any()
}

/// What to look at where no single field is wrong.
fn advice(texts: &ComposeTexts, code: ErrorCode, part: DraftPart) -> Option<&'static str> {
    match part {
        _ if code != ErrorCode::InvalidInput => None,
        DraftPart::Content => None,
        DraftPart::Rich => Some(texts.rich.refused),
        DraftPart::Audience => Some(texts.refused_audience),
        DraftPart::Timing => Some(texts.refused_timing),
        DraftPart::Options => Some(texts.options.refused),
    }
}

/// What is said below a field; nothing where its kind says it.
fn wrong_text(texts: &ComposeTexts, field: &str) -> Option<&'static str> {
    let text = match field {
        "tags" => texts.wrong_tags,
        "users" => texts.wrong_users,
        "send_at" => texts.wrong_send_at,
        "expires_at" => texts.wrong_expires_at,
        "button_1" | "button_2" | "button_3" => texts.rich.wrong_button,
        "tag" => texts.rich.wrong_tag,
        "silent" => texts.rich.wrong_silent,
        "timestamp" => texts.rich.wrong_timestamp,
        "lang" => texts.rich.wrong_lang,
        "data" => texts.rich.wrong_data,
        "topic" => texts.options.wrong_topic,
        _ => return None,
    };
    Some(text)
}

/// What a field is called.
fn label(texts: &ComposeTexts, field: &str) -> &'static str {
    match field {
        "title" => texts.heading,
        "body" => texts.body,
        "url" => texts.url,
        "icon" => texts.icon,
        "badge" => texts.badge,
        "tags" => texts.tags,
        "users" => texts.users,
        "send_at" => texts.send_at,
        "expires_at" => texts.expires_at,
        "max_per_minute" => texts.pace,
        "ttl" => texts.options.ttl,
        "urgency" => texts.options.urgency,
        "topic" => texts.options.topic,
        _ => super::rich::label(&texts.rich, field),
    }
}
