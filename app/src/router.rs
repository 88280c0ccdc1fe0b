//! The dashboard as a router, which `server/src/dashboard.rs` mounts: pages (listed in `shell.rs`), server functions, and the
//! page for what does not exist.

use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use axum::{RequestExt, Router};
use hato_domain::ErrorCode;
use hato_domain::wire::MAX_BODY_BYTES;
use hato_service::MAX_PICTURE_BYTES;
use http::Request;
use http::request::Parts;
use leptos::config::LeptosOptions;
use leptos::prelude::{IntoView, provide_context};
use leptos_axum::{
    AxumRouteListing, LeptosRoutes, generate_route_list_with_exclusions_and_ssg_and_context,
};

use crate::language::Lang;
use crate::refusal;
use crate::rendering::{document, options, provide_request};
use crate::request_context::RequestContext;
use crate::server_fns::NotificationDraft;
use crate::theme::Theme;
use crate::upload::{MAX_FORM_BYTES, MAX_LIST_BYTES, UnreadDraft, Upload, brings_picture};
use crate::{AppContext, downloads, form_post, headers, progress_events};

/// Every page, the server functions under `/_app`, and the 404 page for any other path.
pub fn router(context: AppContext) -> Router {
    let options = options(&context);
    let document = document(&options);
    let events = progress_events::routes(context.clone());
    let files = downloads::routes(context.clone());
    let provide_request = provide_request(context.clone());
    let listing = routes(&document, &provide_request);
    let pages =
        leptos_axum::render_app_async_with_context(provide_request.clone(), document.clone());
    Router::new()
        .leptos_routes_with_handler(listing, pages.clone())
        .route("/apps/{app}/send", {
            let (provide_request, document) = (provide_request.clone(), document.clone());
            post(async |request| compose_page(provide_request, document, request).await)
        })
        .route("/apps/{app}/subscribers/import", {
            let (provide_request, document) = (provide_request.clone(), document.clone());
            upload_page(provide_request, document, MAX_LIST_BYTES, context.clone())
        })
        .route(
            "/apps/{app}/settings",
            upload_page(
                provide_request,
                document,
                MAX_PICTURE_BYTES,
                context.clone(),
            ),
        )
        .route(
            "/_app/{*call}",
            post(async |request| form_post::handle(context, request).await)
                .get(form_post::show_page),
        )
        .fallback(pages)
        .layer(map_response(headers::add_defaults))
        .layer(from_fn(refusal::mark))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(options)
        .merge(events)
        .merge(files)
}

/// The paths that the dashboard's own router declares.
fn routes<IV: IntoView + 'static>(
    document: &(impl Fn() -> IV + Clone + Send + 'static),
    provide_request: &(impl Fn() + Clone + Send + 'static),
) -> Vec<AxumRouteListing> {
    let document = document.clone();
    generate_route_list_with_exclusions_and_ssg_and_context(document, None, provide_request.clone())
        .0
}

/// The compose page as it answers what was posted from it. A form without a picture that cannot be read is an empty one.
async fn compose_page<IV: IntoView + 'static>(
    provide_request: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> IV + Clone + Send + Sync + 'static,
    request: Request<Body>,
) -> Response {
    let (asked, posted) = split(request);
    let read = read_draft(posted).await;
    let unread = read.as_ref().err().copied().map(UnreadDraft);
    let (draft, upload) = read.unwrap_or_default();
    let lang = Lang::parse(&draft.page_lang);
    let theme = Theme::parse(&draft.page_theme);
    let draft = if lang.is_some() || theme.is_some() {
        draft.shown_again()
    } else {
        draft
    };
    let provide_request = move || {
        provide_request();
        if let Some(lang) = lang {
            RequestContext::choose_language(lang);
        }
        if let Some(theme) = theme {
            RequestContext::choose_theme(theme);
        }
        provide_context(draft.clone());
        if let Some(unread) = unread {
            provide_context(unread);
        }
        if let Some(upload) = upload.clone() {
            provide_context(upload);
        }
    };
    leptos_axum::render_app_async_with_context(provide_request, document)(asked).await
}

/// The draft that was posted, and the picture that came with it.
async fn read_draft(
    posted: Request<Body>,
) -> Result<(NotificationDraft, Option<Upload>), ErrorCode> {
    let (parts, body) = posted.into_parts();
    let brings_picture = brings_picture(&parts);
    let posted = Request::from_parts(parts, body);
    if brings_picture {
        let (draft, upload) = Upload::with_draft(posted).await?;
        return Ok((draft, Some(upload)));
    }
    let form = posted.extract::<axum::Form<NotificationDraft>, _>().await;
    let draft = form.map(|axum::Form(draft)| draft).unwrap_or_default();
    Ok((draft, None))
}

/// What is asked for, without the body, and the whole of it.
fn split(request: Request<Body>) -> (Request<Body>, Request<Body>) {
    let (parts, body) = request.into_parts();
    let asked = Request::from_parts(parts.clone(), Body::empty());
    (asked, Request::from_parts(parts, body))
}

/// A page that answers what was uploaded from it, a file of at most so many bytes, unless a file answers it.
fn upload_page<IV: IntoView + 'static>(
    provide_request: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> IV + Clone + Send + Sync + 'static,
    max_bytes: usize,
    context: AppContext,
) -> MethodRouter<LeptosOptions> {
    let answer = async move |request| {
        let (asked, posted) = split(request);
        let upload = Upload::read(posted, max_bytes).await;
        let (asked, _) = asked.into_parts();
        match downloads::refused_lines(&context, &asked, &upload).await {
            Some(file) => file,
            None => answer_upload(provide_request, document, asked, upload).await,
        }
    };
    post(answer).layer(DefaultBodyLimit::max(max_bytes + MAX_FORM_BYTES))
}

async fn answer_upload<IV: IntoView + 'static>(
    provide_request: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> IV + Clone + Send + Sync + 'static,
    asked: Parts,
    upload: Upload,
) -> Response {
    let asked = Request::from_parts(asked, Body::empty());
    let provide_request = move || {
        provide_request();
        provide_context(upload.clone());
    };
    leptos_axum::render_app_async_with_context(provide_request, document)(asked).await
}
