//! An app's name, what identifies it, and its end.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_service::ports::AppRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section};
use super::managed;
use crate::calls::{DeleteApp, RenameApp, Typed};
use crate::components::{CodeBlock, Confirm, DoneNote, Field, Kind, RefusalNote};
use crate::i18n::Settings;
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// The settings of the app that the path names.
#[component]
pub fn SettingsPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (_, app) = managed(&visit).await?;
        let texts = &visit.texts().app.settings;
        Ok(view! {
            <AppFrame app=app.clone() section=Section::Settings>
                <Lively />
                <Naming visit=visit.clone() app=app.clone() />
                <Facts texts app=app.clone() />
                <End visit app />
            </AppFrame>
        }
        .into_any())
    })
}

#[component]
fn Naming(visit: Visit, app: AppRecord) -> impl IntoView {
    let texts = &visit.texts().app.settings;
    let typed = Typed::take(&visit).of("name");
    let name = Some(typed).filter(|name| !name.is_empty());
    view! {
        <section class="card narrow" id="rename">
            <h2>{texts.name_title}</h2>
            <DoneNote what="rename" text=texts.renamed />
            <RefusalNote form="rename" />
            <form method="post" action=RenameApp::url()>
                <input type="hidden" name="app" value=app.id.to_string() />
                <Field
                    form="rename"
                    name="name"
                    kind=Kind::Line
                    label=texts.name
                    hint=texts.name_hint
                    value={name.unwrap_or(app.name)}
                    max=100
                />
                <button type="submit" class="button">
                    {texts.rename}
                </button>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn Facts(texts: &'static Settings, app: AppRecord) -> impl IntoView {
    view! {
        <section class="card narrow">
            <h2>{texts.facts}</h2>
            <h3>{texts.id}</h3>
            <CodeBlock id="app-id" label=texts.id text=app.id.to_string() line=true />
            <h3>{texts.public_key}</h3>
            <p class="hint">{texts.public_key_text}</p>
            <CodeBlock
                id="vapid-public-key"
                label=texts.public_key
                text=URL_SAFE_NO_PAD.encode(app.vapid_public_key)
                line=true
            />
        </section>
    }
    .into_any()
}

#[component]
fn End(visit: Visit, app: AppRecord) -> impl IntoView {
    let texts = &visit.texts().app.settings;
    let label = (texts.type_name)(&app.name);
    let refused = visit.query("form").as_deref() == Some("delete");
    view! {
        <section class="card narrow end" id="delete">
            <h2>{texts.delete_title}</h2>
            <p>{texts.delete_text}</p>
            <RefusalNote form="delete" />
            <Confirm label=texts.delete_open open=refused>
                <form method="post" action=DeleteApp::url()>
                    <input type="hidden" name="app" value=app.id.to_string() />
                    <div class="field">
                        <label for="delete-name">{label}</label>
                        <input id="delete-name" name="name" required autocomplete="off" />
                    </div>
                    <button type="submit" class="button danger">
                        {texts.delete}
                    </button>
                </form>
            </Confirm>
        </section>
    }
    .into_any()
}
