//! URL, secret, switch and test of a webhook.

use hato_domain::{DisabledReason, Plan};
use hato_service::WebhookDetails;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::components::{
    CodeBlock, Field, FieldKind, FormErrorNote, Note, PostForm, Timestamp, Tone,
};
use crate::i18n;
use crate::request_context::RequestContext;
use crate::server_fns::{
    ClearWebhook, EnableWebhook, RotateSecret, SendTestEvent, SetWebhook, SubmittedFields,
};

/// Where events go; on the Free plan, how to come by a webhook.
#[component]
pub fn UrlSection(
    texts: &'static i18n::WebhookTexts,
    app: String,
    plan: Plan,
    url: Option<String>,
    submitted: SubmittedFields,
) -> impl IntoView {
    let clear = url.is_some().then(|| {
        view! { <AppForm action=ClearWebhook::url() app=app.clone() label=texts.clear /> }
    });
    let set = if plan == Plan::FOR_WEBHOOKS {
        view! { <UrlForm texts app url submitted /> }.into_any()
    } else {
        view! { <NoUrlForm texts url /> }.into_any()
    };
    view! {
        <section class="card" id="webhook">
            <h2>{texts.url}</h2>
            <FormErrorNote form="webhook" />
            {set}
            {clear}
        </section>
    }
    .into_any()
}

#[component]
fn UrlForm(
    texts: &'static i18n::WebhookTexts,
    app: String,
    url: Option<String>,
    submitted: SubmittedFields,
) -> impl IntoView {
    let submitted = Some(submitted.get("webhook_url")).filter(|submitted| !submitted.is_empty());
    view! {
        <PostForm action=SetWebhook::url() hidden=vec![("app", app)] button=texts.save>
            <Field
                form="webhook"
                name="webhook_url"
                kind=FieldKind::Url
                label=texts.url
                hint=texts.url_hint
                value=submitted.or(url).unwrap_or_default()
                max=2048
            />
        </PostForm>
    }
    .into_any()
}

/// On the Free plan: the URL that is kept, or what it takes to have one.
#[component]
fn NoUrlForm(texts: &'static i18n::WebhookTexts, url: Option<String>) -> impl IntoView {
    let pricing = RequestContext::current().pricing_url();
    match url {
        Some(text) => {
            view! { <CodeBlock id="webhook-url" label=texts.url text line=true /> }.into_any()
        }
        None => view! {
            <p>
                {texts.for_pro} " " <a href=pricing>{texts.plans}</a>
            </p>
        }
        .into_any(),
    }
}

/// A form that is nothing but a button.
#[component]
fn AppForm(action: &'static str, app: String, label: &'static str) -> impl IntoView {
    view! {
        <PostForm action hidden=vec![("app", app)] button=label button_class="button quiet" />
    }
}

/// Why no events are posted, and the way to switch them on where there is one.
#[component]
pub fn DisabledNotice(
    texts: &'static i18n::WebhookTexts,
    app: String,
    reason: DisabledReason,
) -> impl IntoView {
    let action = if reason == DisabledReason::PlanRequired {
        let pricing = RequestContext::current().pricing_url();
        view! {
            <p>
                <a href=pricing>{texts.plans}</a>
            </p>
        }
        .into_any()
    } else {
        view! { <AppForm action=EnableWebhook::url() app label=texts.enable /> }.into_any()
    };
    view! {
        <section id="switch">
            <FormErrorNote form="switch" />
            <Note tone=Tone::Warning>
                <h2>{texts.off}</h2>
                <p>{texts.reason(reason)}</p>
                {action}
            </Note>
        </section>
    }
    .into_any()
}

/// The secrets, which are revealed on click, and the button that makes a new one.
#[component]
pub fn SecretSection(
    texts: &'static i18n::WebhookTexts,
    app: String,
    webhook: WebhookDetails,
) -> impl IntoView {
    let previous = webhook.previous_secret.map(|(secret, until)| {
        view! {
            <p class="hint">
                {texts.previous} " · " {texts.previous_until} " " <Timestamp at=until />
            </p>
            <CodeBlock id="previous-secret" label=texts.previous text=secret line=true />
        }
    });
    view! {
        <section class="card" id="secret">
            <h2>{texts.secret}</h2>
            <p class="hint">{texts.secret_text}</p>
            <FormErrorNote form="secret" />
            <details>
                <summary>{texts.reveal}</summary>
                <CodeBlock
                    id="webhook-secret"
                    label=texts.secret
                    text=webhook.secret
                    line=true
                />
                {previous}
            </details>
            <p class="hint">{texts.rotate_text}</p>
            <AppForm action=RotateSecret::url() app label=texts.rotate />
        </section>
    }
    .into_any()
}

/// The button that sends a test event.
#[component]
pub fn TestSection(texts: &'static i18n::WebhookTexts, app: String) -> impl IntoView {
    view! {
        <section class="card" id="test">
            <h2>{texts.test}</h2>
            <p class="hint">{texts.test_text}</p>
            <FormErrorNote form="test" />
            <AppForm action=SendTestEvent::url() app label=texts.test_button />
        </section>
    }
    .into_any()
}
