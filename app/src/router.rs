//! The dashboard as a router: pages, server functions, and the page for what does not exist.

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use axum::{Form, RequestExt, Router};
use hato_domain::ErrorCode;
use hato_domain::wire::MAX_BODY_BYTES;
use http::Request;
use leptos::config::LeptosOptions;
use leptos::prelude::{AnyView, IntoAny, IntoView, provide_context};
use leptos_axum::{
    AxumRouteListing, LeptosRoutes, generate_route_list_with_exclusions_and_ssg_and_context,
};

use crate::calls::Draft;
use crate::shell::{Refused, shell};
use crate::visit::Visit;
use crate::{AppContext, headers, progress_events};

/// Every page, the server functions under `/_app`, and the 404 page for any other path.
pub fn router(context: AppContext) -> Router {
    let options = options(&context);
    let document = document(&options);
    let events = progress_events::routes(context.clone());
    let begin = begin(context);
    let listing = routes(&document, &begin);
    let pages = leptos_axum::render_app_async_with_context(begin.clone(), document.clone());
    let calls = begin.clone();
    Router::new()
        .leptos_routes_with_handler(listing, pages.clone())
        .route(
            "/apps/{app}/send",
            post(async |request| composed(begin, document, request).await),
        )
        .route(
            "/_app/{*call}",
            post(async |request| answer(calls, request).await).get(form_page),
        )
        .fallback(pages)
        .layer(map_response(headers::complete))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(options)
        .merge(events)
}

/// Where the form is that posts there: a browser asks for the address of a refusal when it is loaded again.
async fn form_page(Path(call): Path<String>) -> Redirect {
    match call.as_str() {
        "login" => Redirect::to("/login"),
        "register" => Redirect::to("/register"),
        "change_password" | "delete_account" => Redirect::to("/account"),
        _ => Redirect::to("/apps"),
    }
}

/// The page that explains `code`, with its status, for refusals that happen before a page is reached.
pub async fn error_page(context: &AppContext, request: Request<Body>, code: ErrorCode) -> Response {
    let document = document(&options(context));
    let begin = begin(context.clone());
    let refused = move || {
        begin();
        provide_context(Refused(code));
    };
    let page = leptos_axum::render_app_async_with_context(refused, document);
    headers::complete(page(request).await).await
}

/// The paths that the dashboard's own router declares.
fn routes<IV: IntoView + 'static>(
    document: &(impl Fn() -> IV + Clone + Send + 'static),
    begin: &(impl Fn() + Clone + Send + 'static),
) -> Vec<AxumRouteListing> {
    let document = document.clone();
    generate_route_list_with_exclusions_and_ssg_and_context(document, None, begin.clone()).0
}

/// The compose page as it answers what was posted from it. A form that cannot be read is an empty one.
async fn composed<IV: IntoView + 'static>(
    begin: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> IV + Clone + Send + Sync + 'static,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let asked = Request::from_parts(parts.clone(), Body::empty());
    let form = Request::from_parts(parts, body).extract::<Form<Draft>, _>();
    let draft = form.await.map(|Form(draft)| draft).unwrap_or_default();
    let begin = move || {
        begin();
        provide_context(draft.clone());
    };
    leptos_axum::render_app_async_with_context(begin, document)(asked).await
}

/// Answers a form's POST, or a script's.
async fn answer(begin: impl Fn() + Clone + Send + 'static, request: Request<Body>) -> Response {
    let bounded = request.with_limited_body();
    leptos_axum::handle_server_fns_with_context(begin, bounded)
        .await
        .into_response()
}

/// What is done at the start of every request.
fn begin(context: AppContext) -> impl Fn() + Clone + Send + Sync + 'static {
    move || Visit::begin(context.clone())
}

fn document(options: &LeptosOptions) -> impl Fn() -> AnyView + Clone + Send + Sync + 'static {
    let options = options.clone();
    move || shell(&options).into_any()
}

/// Leptos names the script, the wasm and the style after the output's name; nothing is read from the disk.
fn options(context: &AppContext) -> LeptosOptions {
    LeptosOptions::builder()
        .output_name(context.output_name.as_str())
        .site_pkg_dir("pkg")
        .build()
}
