//! The app's API keys.

use hato_domain::Scope;
use hato_service::ports::{AppRecord, KeyRecord};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use super::revealed_key::RevealedKey;
use crate::components::{
    CodeBlock, Column, ConfirmDialog, EmptyState, Field, FieldKind, FormErrorNote, List, Note,
    PostForm, SuccessNote, TimeCell, TimeStyle, Timestamp, Tone,
};
use crate::i18n::KeysTexts;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::{CreateKey, DeleteKey, SubmittedFields};

/// The new key if there is one, the list, and the form that makes another.
#[component]
pub fn KeysPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let keys = ctx.service().keys(&access).await?;
        let new_key = RevealedKey::take(&ctx);
        Ok(view! { <KeysView ctx app keys new_key /> }.into_any())
    })
}

#[component]
fn KeysView(
    ctx: RequestContext,
    app: AppRecord,
    keys: Vec<KeyRecord>,
    new_key: Option<RevealedKey>,
) -> impl IntoView {
    let texts = &ctx.texts().app.keys;
    let submitted = SubmittedFields::take(&ctx);
    let id = app.id.to_string();
    let links = view! { <Links ctx path=app_path(&app) /> };
    let row = |key| view! { <Row texts app=id.clone() key /> }.into_any();
    let rows = keys.into_iter().map(row).collect();
    let columns = vec![
        Column::Text(texts.name),
        Column::Text(texts.scope),
        Column::Text(texts.created),
        Column::Text(texts.last_used),
        Column::Actions(texts.delete),
    ];
    let island_assets = new_key.is_some().then(|| view! { <IslandAssets /> });
    view! {
        <AppFrame app section=Section::Keys>
            {island_assets}
            <p class="lead">{texts.lead}</p>
            <SuccessNote what="delete" text=texts.deleted />
            <FormErrorNote form="delete" />
            {new_key.map(|new_key| view! { <NewKeyNote texts new_key /> })}
            <List class="list keys" label=texts.list columns rows>
                <EmptyState title=texts.empty_title text=texts.empty />
            </List>
            {links}
            <CreateForm texts app=id submitted />
        </AppFrame>
    }
    .into_any()
}

/// What stands beside the keys: their history, and the keys that sign pushes.
#[component]
fn Links(ctx: RequestContext, path: String) -> impl IntoView {
    let texts = &ctx.texts().app;
    view! {
        <p>
            <a href=format!("{path}/keys/history")>{texts.keys.events}</a>
            " · "
            <a href=format!("{path}/keys/vapid")>{texts.vapid_keys.title}</a>
        </p>
    }
}

#[component]
fn CreateForm(texts: &'static KeysTexts, app: String, submitted: SubmittedFields) -> impl IntoView {
    view! {
        <section class="card narrow" id="create">
            <h2>{texts.create_title}</h2>
            <FormErrorNote form="create" />
            <PostForm action=CreateKey::url() hidden=vec![("app", app)] button=texts.create>
                <Field
                    form="create"
                    name="name"
                    kind=FieldKind::Text
                    label=texts.name
                    value=submitted.get("name")
                    max=100
                />
                <ScopeChoice texts chosen=submitted.get("scope") />
            </PostForm>
        </section>
    }
    .into_any()
}

#[component]
fn NewKeyNote(texts: &'static KeysTexts, new_key: RevealedKey) -> impl IntoView {
    let secret = new_key.scope > Scope::SubscribeOnly;
    view! {
        <div class="callout" id="new-key" role="status">
            <h2>{texts.new_title}</h2>
            <p>{texts.new_warning}</p>
            <CodeBlock id="raw-key" label=texts.new_title text=new_key.raw line=true />
            {secret.then(|| view! { <Note tone=Tone::Warning text=texts.new_secret /> })}
        </div>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static KeysTexts, app: String, key: KeyRecord) -> impl IntoView {
    let used = match key.last_used_at {
        Some(at) => view! { <Timestamp at style=TimeStyle::Ago /> }.into_any(),
        None => texts.never.into_any(),
    };
    view! {
        <tr>
            <td class="content">
                <b dir="auto">{key.name.clone()}</b>
            </td>
            <td>
                <code class=format!("scope {}", key.scope.as_str())>{key.scope.as_str()}</code>
            </td>
            <TimeCell label=texts.created at=key.created_at />
            <td class="time" data-label=texts.last_used>
                {used}
            </td>
            <td class="actions-cell">
                <ConfirmDialog label=texts.delete about=key.name>
                    <p>{texts.delete_text}</p>
                    <PostForm
                        action=DeleteKey::url()
                        hidden=vec![("app", app), ("key", key.id.to_string())]
                        button=texts.delete_now
                        button_class="button danger"
                    />
                </ConfirmDialog>
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn ScopeChoice(texts: &'static KeysTexts, chosen: String) -> impl IntoView {
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
