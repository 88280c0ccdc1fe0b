//! The app's VAPID keys.

use hato_service::ports::{AppRecord, VapidKeyUse};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section};
use super::load_app;
use crate::components::{
    CodeBlock, Column, ConfirmDialog, Field, FieldKind, FormErrorNote, List, NumberCell, PostForm,
    SuccessNote, TimeCell,
};
use crate::flash::{self, NEW_KEY};
use crate::i18n::{VapidKeysTexts, group_thousands};
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::{
    AddVapidKey, DeleteVapidKey, ExportVapidKey, ImportVapidKey, MakeVapidKeyPrimary,
};

/// A private key that was just exported: as base64url, and as PEM.
type ExportedKey = (String, String);

/// The exported key if there is one, the list, and the forms that add another.
#[component]
pub fn VapidKeysPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let keys = ctx.service().vapid_key_uses(&access).await?;
        let exported: Option<ExportedKey> = flash::take(&ctx, NEW_KEY);
        Ok(view! { <VapidKeysView ctx app keys exported /> }.into_any())
    })
}

#[component]
fn VapidKeysView(
    ctx: RequestContext,
    app: AppRecord,
    keys: Vec<VapidKeyUse>,
    exported: Option<ExportedKey>,
) -> impl IntoView {
    let texts = &ctx.texts().app.vapid_keys;
    let id = app.id.to_string();
    let row = |used| view! { <Row texts app=id.clone() used /> }.into_any();
    let rows = keys.into_iter().map(row).collect();
    let columns = vec![
        Column::Text(texts.public_key),
        Column::Text(texts.state),
        Column::Number(texts.subscribers),
        Column::Text(texts.created),
        Column::Actions(texts.actions),
    ];
    let island_assets = exported.is_some().then(|| view! { <IslandAssets /> });
    view! {
        <AppFrame app section=Section::Keys title=texts.title>
            {island_assets}
            <p class="lead">{texts.lead}</p>
            <SuccessNote what="add" text=texts.added />
            <SuccessNote what="primary" text=texts.made_primary />
            <SuccessNote what="delete" text=texts.deleted />
            <FormErrorNote form="change" />
            {exported.map(|exported| view! { <ExportedNote texts exported /> })}
            <List class="list vapid-keys" label=texts.list columns rows>
                ""
            </List>
            <AddForms texts app=id />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn AddForms(texts: &'static VapidKeysTexts, app: String) -> impl IntoView {
    let hidden = || vec![("app", app.clone())];
    view! {
        <section class="card narrow" id="make">
            <h2>{texts.make_title}</h2>
            <p>{texts.make_text}</p>
            <FormErrorNote form="make" />
            <PostForm action=AddVapidKey::url() hidden=hidden() button=texts.make />
        </section>
        <section class="card narrow" id="import">
            <h2>{texts.import_title}</h2>
            <p>{texts.import_text}</p>
            <FormErrorNote form="import" />
            <PostForm action=ImportVapidKey::url() hidden=hidden() button=texts.import>
                <Field
                    form="import"
                    name="private_key"
                    kind=FieldKind::Multiline
                    label=texts.private_key
                    hint=texts.private_key_hint
                />
            </PostForm>
        </section>
    }
    .into_any()
}

#[component]
fn ExportedNote(texts: &'static VapidKeysTexts, exported: ExportedKey) -> impl IntoView {
    let (private_key, pem) = exported;
    view! {
        <div class="callout" id="exported" role="status">
            <h2>{texts.exported_title}</h2>
            <p>{texts.exported_warning}</p>
            <CodeBlock id="private-key" label=texts.exported_title text=private_key line=true />
            <h3>{texts.pem}</h3>
            <CodeBlock id="private-key-pem" label=texts.pem text=pem />
        </div>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static VapidKeysTexts, app: String, used: VapidKeyUse) -> impl IntoView {
    let key = &used.key;
    let state = if key.is_primary {
        view! { <span class="status done">{texts.primary}</span> }.into_any()
    } else {
        texts.other.into_any()
    };
    let (public_key, subscribers) = (
        key.public_text(),
        group_thousands(used.active_subscriptions),
    );
    let created_at = key.created_at;
    view! {
        <tr>
            <td class="content">
                <code>{public_key}</code>
            </td>
            <td>{state}</td>
            <NumberCell label=texts.subscribers value=subscribers />
            <TimeCell label=texts.created at=created_at />
            <td class="actions-cell">
                <Actions texts app used />
            </td>
        </tr>
    }
    .into_any()
}

/// What can be done to a key: a primary one and one that somebody has cannot be deleted.
#[component]
fn Actions(texts: &'static VapidKeysTexts, app: String, used: VapidKeyUse) -> impl IntoView {
    let key = &used.key;
    let about = key.public_text();
    let hidden = vec![("app", app), ("key", key.id().to_string())];
    let make_primary = (!key.is_primary).then(|| {
        view! {
            <PostForm
                action=MakeVapidKeyPrimary::url()
                hidden=hidden.clone()
                button=texts.make_primary
                button_class="button quiet small"
            />
        }
    });
    let is_unused = !key.is_primary && used.active_subscriptions == 0;
    let delete = is_unused.then(|| {
        view! { <Delete texts about=about.clone() hidden=hidden.clone() /> }
    });
    view! {
        {make_primary}
        <Export texts row=key.id().to_string() about hidden />
        {delete}
    }
    .into_any()
}

#[component]
fn Delete(
    texts: &'static VapidKeysTexts,
    about: String,
    hidden: Vec<(&'static str, String)>,
) -> impl IntoView {
    view! {
        <ConfirmDialog label=texts.delete about>
            <p>{texts.delete_text}</p>
            <PostForm
                action=DeleteVapidKey::url()
                hidden=hidden
                button=texts.delete_now
                button_class="button danger"
            />
        </ConfirmDialog>
    }
}

/// Asks for the password first.
#[component]
fn Export(
    texts: &'static VapidKeysTexts,
    /// The id of the key.
    row: String,
    about: String,
    hidden: Vec<(&'static str, String)>,
) -> impl IntoView {
    let refused = RequestContext::current().row_refusal("change", &row);
    view! {
        <ConfirmDialog label=texts.export about open=refused.is_some()>
            <p>{texts.export_text}</p>
            <PostForm action=ExportVapidKey::url() hidden=hidden button=texts.export_now>
                <Field
                    form="change"
                    row
                    name="confirmation"
                    kind=FieldKind::Password
                    label=texts.confirmation
                />
            </PostForm>
        </ConfirmDialog>
    }
}
