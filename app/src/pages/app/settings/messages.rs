//! What an app says of its messages: the site's address, declarative messages, and what is measured.

use hato_domain::{SiteUrl, Tracking};
use hato_service::ports::AppRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::components::{Field, FieldKind, FormErrorNote, PostForm, SuccessNote};
use crate::i18n::SettingsTexts;
use crate::request_context::RequestContext;
use crate::server_fns::{ChangeMessages, SubmittedFields};

/// What the form shows: what was refused, or what is stored.
struct MessageSettingsForm {
    site_url: String,
    declarative: bool,
    tracking: Tracking,
}

impl MessageSettingsForm {
    fn new(app: &AppRecord, submitted: &SubmittedFields) -> Self {
        let stored = &app.messages;
        // A choice is made whenever the form is sent.
        match Tracking::parse(&submitted.get("tracking")) {
            Ok(tracking) => Self {
                site_url: submitted.get("site_url"),
                declarative: submitted.get("declarative") == "true",
                tracking,
            },
            Err(_) => Self {
                site_url: stored
                    .site_url
                    .as_ref()
                    .map(SiteUrl::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                declarative: stored.declarative,
                tracking: stored.tracking,
            },
        }
    }
}

/// The form of these settings.
#[component]
pub fn MessagesForm(
    ctx: RequestContext,
    app: AppRecord,
    submitted: SubmittedFields,
) -> impl IntoView {
    let texts = &ctx.texts().app.settings;
    let shown = MessageSettingsForm::new(&app, &submitted);
    view! {
        <section class="card narrow" id="messages">
            <h2>{texts.messages_title}</h2>
            <SuccessNote what="messages" text=texts.messages_saved />
            <FormErrorNote form="messages" />
            <PostForm
                action=ChangeMessages::url()
                hidden=vec![("app", app.id.to_string())]
                button=texts.save_messages
            >
                <Field
                    form="messages"
                    name="site_url"
                    kind=FieldKind::Url
                    label=texts.site_url
                    hint=texts.site_url_hint
                    value=shown.site_url
                    optional=true
                    max=2048
                />
                <label class="choice">
                    <input
                        type="checkbox"
                        name="declarative"
                        value="true"
                        checked=shown.declarative
                    />
                    <span>
                        {texts.declarative} " " <small>{texts.declarative_hint}</small>
                    </span>
                </label>
                <TrackingChoice texts chosen=shown.tracking />
            </PostForm>
        </section>
    }
    .into_any()
}

#[component]
fn TrackingChoice(texts: &'static SettingsTexts, chosen: Tracking) -> impl IntoView {
    let choice = |tracking: Tracking| {
        let text = match tracking {
            Tracking::Off => texts.tracking_off,
            Tracking::Counts => texts.tracking_counts,
        };
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="tracking"
                    value=tracking.as_str()
                    checked={tracking == chosen}
                />
                <span>{text}</span>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend>{texts.tracking}</legend>
            {Tracking::ALL.map(choice)}
        </fieldset>
    }
    .into_any()
}
