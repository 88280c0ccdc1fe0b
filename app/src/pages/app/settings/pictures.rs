//! The pictures of an app: uploading them, and which one is its icon.

use hato_service::PictureError;
use hato_service::ports::{AppRecord, PictureRecord};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::components::{
    ErrorNote, FileField, FormErrorNote, Note, PICTURE_FILES, PostForm, SuccessNote, Tone,
};
use crate::i18n::PicturesTexts;
use crate::pages::app::frame::app_path;
use crate::request_context::RequestContext;
use crate::server_fns::{DeletePicture, MakeIcon};

/// The pictures, and the form that uploads another one.
#[component]
pub(super) fn Pictures(
    ctx: RequestContext,
    app: AppRecord,
    pictures: Vec<PictureRecord>,
    /// Why what was uploaded is not kept.
    refused: Option<PictureError>,
) -> impl IntoView {
    let texts = &ctx.texts().app.pictures;
    let base = ctx.app_context().base_url.clone();
    let insecure = !base.starts_with("https://");
    let count = pictures.len();
    let path = format!("{}/settings", app_path(&app));
    let numbered = pictures.into_iter().enumerate();
    let items = numbered.map(|(before, picture)| {
        let (base, app) = (base.clone(), app.id.to_string());
        let label = (texts.numbered)(count - before);
        view! { <Picture texts base app picture label /> }
    });
    let items = items.collect_view();
    view! {
        <section class="card narrow" id="pictures">
            <h2>{texts.title}</h2>
            <p class="hint">{texts.lead}</p>
            {insecure.then(|| view! { <Note tone=Tone::Warning text=texts.insecure /> })}
            <SuccessNote what="picture" text=texts.uploaded />
            <SuccessNote what="icon" text=texts.made_icon />
            <SuccessNote what="picture-deleted" text=texts.deleted />
            <FormErrorNote form="pictures" />
            {refused.map(|error| view! { <RefusalNote texts error /> })}
            <UploadForm texts path />
            {if count == 0 {
                view! { <p class="hint">{texts.none}</p> }.into_any()
            } else {
                view! { <ul class="pictures">{items}</ul> }.into_any()
            }}
        </section>
    }
    .into_any()
}

#[component]
fn RefusalNote(texts: &'static PicturesTexts, error: PictureError) -> impl IntoView {
    match texts.refusal(&error) {
        Some(text) => view! { <Note tone=Tone::Error text /> }.into_any(),
        None => view! { <ErrorNote code=error.code() /> }.into_any(),
    }
}

#[component]
fn UploadForm(texts: &'static PicturesTexts, path: String) -> impl IntoView {
    view! {
        <form method="post" enctype="multipart/form-data" action=format!("{path}#pictures")>
            <FileField
                id="pictures-picture"
                name="picture"
                accept=PICTURE_FILES
                label=texts.file
                hint=texts.file_hint
            />
            <button type="submit" class="button">
                {texts.upload}
            </button>
        </form>
    }
    .into_any()
}

/// A picture with its address and what can be done with it.
#[component]
fn Picture(
    texts: &'static PicturesTexts,
    base: String,
    app: String,
    picture: PictureRecord,
    /// What it is called.
    label: String,
) -> impl IntoView {
    let path = format!("/media/{}", picture.name);
    let hidden = vec![("app", app), ("picture", picture.name)];
    let icon = if picture.is_icon {
        view! { <b>{texts.is_icon}</b> }.into_any()
    } else {
        view! {
            <PostForm
                action=MakeIcon::url()
                hidden=hidden.clone()
                button=texts.make_icon
                button_class="button quiet"
            />
        }
        .into_any()
    };
    view! {
        <li>
            <img src=path.clone() alt=label width="48" height="48" loading="lazy" />
            <code translate="no">{format!("{base}{path}")}</code>
            <div class="picture-actions">
                {icon}
                <PostForm
                    action=DeletePicture::url()
                    hidden
                    button=texts.delete
                    button_class="button quiet"
                />
            </div>
        </li>
    }
    .into_any()
}
