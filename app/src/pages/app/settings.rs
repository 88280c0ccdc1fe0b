//! An app's name, what identifies it, and its end.

mod messages;
mod pictures;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_service::PictureError;
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use self::messages::MessagesForm;
use self::pictures::Pictures;
use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{
    CodeBlock, ConfirmDialog, Field, FieldKind, FormErrorNote, PostForm, SuccessNote,
};
use crate::i18n::SettingsTexts;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::{DeleteApp, RenameApp, SubmittedFields};
use crate::upload::Upload;

/// The settings of the app that the path names; a picture that was uploaded from them comes with the request.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let upload = use_context::<Upload>();
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let refused = match keep_picture(&ctx, &access, upload.as_ref()).await {
            Some(Ok(())) => {
                ctx.redirect(&format!(
                    "{}/settings?done=picture#pictures",
                    app_path(&app)
                ));
                return Ok(().into_any());
            }
            Some(Err(PictureError::Service(error))) if error.is_logged_out() => return Err(error),
            Some(Err(error)) => Some(error),
            None => None,
        };
        let pictures = ctx.service().pictures(&access).await?;
        let texts = &ctx.texts().app.settings;
        let submitted = SubmittedFields::take(&ctx);
        Ok(view! {
            <AppFrame app=app.clone() section=Section::Settings>
                <IslandAssets />
                <RenameForm ctx=ctx.clone() app=app.clone() submitted=submitted.clone() />
                <MessagesForm ctx=ctx.clone() app=app.clone() submitted=submitted />
                <Pictures ctx=ctx.clone() app=app.clone() pictures refused />
                <Facts texts app=app.clone() />
                <DeleteSection ctx app />
            </AppFrame>
        }
        .into_any())
    })
}

/// Keeps the picture that was uploaded, if one was. Why it is not kept is the answer's status, and goes to the log.
pub(super) async fn keep_picture(
    ctx: &RequestContext,
    access: &MayManage,
    upload: Option<&Upload>,
) -> Option<Result<(), PictureError>> {
    let kept = upload?.take_picture(ctx, access).await?;
    if let Err(error) = &kept {
        ctx.refuse(error.code());
        if let PictureError::Service(error) = error
            && let Some(cause) = error.cause()
        {
            tracing::error!(error = cause, "a picture was not kept");
        }
    }
    Some(kept)
}

#[component]
fn RenameForm(ctx: RequestContext, app: AppRecord, submitted: SubmittedFields) -> impl IntoView {
    let texts = &ctx.texts().app.settings;
    let name = Some(submitted.get("name")).filter(|name| !name.is_empty());
    let id = app.id.to_string();
    view! {
        <section class="card narrow" id="rename">
            <h2>{texts.name_title}</h2>
            <SuccessNote what="rename" text=texts.renamed />
            <FormErrorNote form="rename" />
            <PostForm action=RenameApp::url() hidden=vec![("app", id)] button=texts.rename>
                <Field
                    form="rename"
                    name="name"
                    kind=FieldKind::Text
                    label=texts.name
                    hint=texts.name_hint
                    value={name.unwrap_or(app.name)}
                    max=100
                />
            </PostForm>
        </section>
    }
    .into_any()
}

#[component]
fn Facts(texts: &'static SettingsTexts, app: AppRecord) -> impl IntoView {
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
fn DeleteSection(ctx: RequestContext, app: AppRecord) -> impl IntoView {
    let texts = &ctx.texts().app.settings;
    let label = (texts.type_name)(&app.name);
    let refused = ctx.query("form").as_deref() == Some("delete");
    let empty = ctx.texts().site.field_empty;
    view! {
        <section class="card narrow danger-zone" id="delete">
            <h2>{texts.delete_title}</h2>
            <p>{texts.delete_text}</p>
            <FormErrorNote form="delete" />
            <ConfirmDialog label=texts.delete_open open=refused>
                <PostForm
                    action=DeleteApp::url()
                    hidden=vec![("app", app.id.to_string())]
                    button=texts.delete
                    button_class="button danger"
                >
                    <div class="field">
                        <label for="delete-name">{label}</label>
                        <input
                            id="delete-name"
                            name="name"
                            dir="auto"
                            required
                            autocomplete="off"
                            data-empty=empty
                        />
                    </div>
                </PostForm>
            </ConfirmDialog>
        </section>
    }
    .into_any()
}
