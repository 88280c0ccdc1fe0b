//! The section of the form that says how push services are to treat the notification (RFC 8030 §5).

use hato_domain::{Ttl, Urgency};
use leptos::prelude::*;

use crate::components::{Fact, Field, FieldKind};
use crate::i18n::DeliveryOptionsTexts;
use crate::server_fns::OptionsDraft;

/// TTL, urgency and topic, folded away until one is filled in.
#[component]
pub(super) fn OptionsSection(
    texts: &'static DeliveryOptionsTexts,
    draft: OptionsDraft,
) -> impl IntoView {
    let fields = [&draft.ttl, &draft.urgency, &draft.topic];
    let open = fields.into_iter().any(|field| !field.is_empty());
    view! {
        <details class="section" open=open>
            <summary>{texts.summary}</summary>
            <div class="fields">
                <Field
                    form="send"
                    name="ttl"
                    kind=FieldKind::Number(0, Ttl::MAX.seconds())
                    label=texts.ttl
                    hint=texts.ttl_hint
                    value=draft.ttl
                    optional=true
                />
                <UrgencyField texts chosen=draft.urgency />
                <Field
                    form="send"
                    name="topic"
                    kind=FieldKind::Text
                    label=texts.topic
                    hint=texts.topic_hint
                    value=draft.topic
                    optional=true
                    max=32
                />
            </div>
        </details>
    }
    .into_any()
}

#[component]
fn UrgencyField(texts: &'static DeliveryOptionsTexts, chosen: String) -> impl IntoView {
    let option = |urgency: Urgency| {
        let value = urgency.as_str();
        view! {
            <option value=value selected={value == chosen}>
                {texts.name(urgency)}
            </option>
        }
    };
    view! {
        <div class="field">
            <label for="send-urgency">{texts.urgency}</label>
            <select id="send-urgency" name="urgency">
                <option value="">{texts.urgency_none}</option>
                {Urgency::ALL.map(option)}
            </select>
        </div>
    }
    .into_any()
}

/// What the question says of them: those that are filled in.
#[component]
pub(super) fn OptionsFacts(
    texts: &'static DeliveryOptionsTexts,
    draft: OptionsDraft,
) -> impl IntoView {
    let urgency = Urgency::parse(&draft.urgency).ok();
    let urgency = urgency.map(|it| texts.name(it).to_owned());
    let ttl = (!draft.ttl.is_empty()).then(|| (texts.seconds)(&draft.ttl));
    let facts = [
        (texts.ttl, ttl.unwrap_or_default()),
        (texts.urgency, urgency.unwrap_or_default()),
        (texts.topic, draft.topic),
    ];
    let filled_in = facts.into_iter().filter(|(_, value)| !value.is_empty());
    filled_in
        .map(|(label, value)| view! { <Fact label>{value}</Fact> })
        .collect_view()
        .into_any()
}
