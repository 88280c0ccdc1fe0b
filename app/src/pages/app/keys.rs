//! The app's API keys.

use hato_domain::Scope;
use hato_service::ports::{AppRecord, KeyRecord};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section, path_of};
use super::managed;
use super::new_key::NewKey;
use crate::calls::{CreateKey, DeleteKey, Typed};
use crate::components::{
    CodeBlock, Confirm, DoneNote, Field, Kind, Moment, Note, Nothing, RefusalNote, Tone,
};
use crate::i18n::Keys;
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// The new key if there is one, the list, and the form that makes another.
#[component]
pub fn KeysPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        let keys = visit.service().keys(&access).await?;
        let new_key = NewKey::take(&visit);
        Ok(view! { <Everything visit app keys new_key /> }.into_any())
    })
}

#[component]
fn Everything(
    visit: Visit,
    app: AppRecord,
    keys: Vec<KeyRecord>,
    new_key: Option<NewKey>,
) -> impl IntoView {
    let texts = &visit.texts().app.keys;
    let typed = Typed::take(&visit);
    let (id, events) = (
        app.id.to_string(),
        format!("{}/keys/history", path_of(&app)),
    );
    let lively = new_key.is_some().then(|| view! { <Lively /> });
    view! {
        <AppFrame app section=Section::Keys>
            {lively}
            <p class="lead">{texts.lead}</p>
            <DoneNote what="delete" text=texts.deleted />
            <RefusalNote form="delete" />
            {new_key.map(|new_key| view! { <NewKeyNote texts new_key /> })}
            <List texts app=id.clone() keys />
            <p>
                <a href=events>{texts.events}</a>
            </p>
            <CreateForm texts app=id typed />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn CreateForm(texts: &'static Keys, app: String, typed: Typed) -> impl IntoView {
    view! {
        <section class="card narrow" id="create">
            <h2>{texts.create_title}</h2>
            <RefusalNote form="create" />
            <form method="post" action=CreateKey::url()>
                <input type="hidden" name="app" value=app />
                <Field
                    form="create"
                    name="name"
                    kind=Kind::Line
                    label=texts.name
                    value=typed.of("name")
                    max=100
                />
                <ScopeChoice texts chosen=typed.of("scope") />
                <button type="submit" class="button">
                    {texts.create}
                </button>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn NewKeyNote(texts: &'static Keys, new_key: NewKey) -> impl IntoView {
    let secret = new_key.scope > Scope::SubscribeOnly;
    view! {
        <div class="letter" id="new-key" role="status">
            <h2>{texts.new_title}</h2>
            <p>{texts.new_warning}</p>
            <CodeBlock id="raw-key" label=texts.new_title text=new_key.raw line=true />
            {secret
                .then(|| {
                    view! {
                        <Note tone=Tone::Mind>
                            <p>{texts.new_secret}</p>
                        </Note>
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn List(texts: &'static Keys, app: String, keys: Vec<KeyRecord>) -> impl IntoView {
    if keys.is_empty() {
        return view! { <Nothing title=texts.empty_title text=texts.empty /> }.into_any();
    }
    let rows = keys
        .into_iter()
        .map(|key| view! { <Row texts app=app.clone() key /> })
        .collect_view();
    view! {
        <section class="card listing" aria-label=texts.list>
            <table class="list keys">
                <thead>
                    <tr>
                        <th scope="col">{texts.name}</th>
                        <th scope="col">{texts.scope}</th>
                        <th scope="col">{texts.created}</th>
                        <th scope="col">{texts.last_used}</th>
                        <th scope="col">
                            <span class="unseen">{texts.delete}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static Keys, app: String, key: KeyRecord) -> impl IntoView {
    let used = match key.last_used_at {
        Some(at) => view! { <Moment at /> }.into_any(),
        None => texts.never.into_any(),
    };
    view! {
        <tr>
            <td class="content">
                <b>{key.name.clone()}</b>
            </td>
            <td>
                <code class=format!("scope {}", key.scope.as_str())>{key.scope.as_str()}</code>
            </td>
            <td class="time" data-label=texts.created>
                <Moment at=key.created_at />
            </td>
            <td class="time" data-label=texts.last_used>
                {used}
            </td>
            <td class="doing">
                <Confirm label=texts.delete about=key.name>
                    <p>{texts.delete_text}</p>
                    <form method="post" action=DeleteKey::url()>
                        <input type="hidden" name="app" value=app />
                        <input type="hidden" name="key" value=key.id.to_string() />
                        <button type="submit" class="button danger">
                            {texts.delete_now}
                        </button>
                    </form>
                </Confirm>
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn ScopeChoice(texts: &'static Keys, chosen: String) -> impl IntoView {
    let chosen = Scope::parse(&chosen).unwrap_or(Scope::SubscribeOnly);
    let choice = |scope: Scope| {
        view! {
            <label class="choice">
                <input type="radio" name="scope" value=scope.as_str() checked={scope == chosen} />
                <span>
                    <code>{scope.as_str()}</code>
                    " "
                    <small>{texts.purpose(scope)}</small>
                </span>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend>{texts.scope}</legend>
            {Scope::ALL.map(choice)}
        </fieldset>
    }
    .into_any()
}
