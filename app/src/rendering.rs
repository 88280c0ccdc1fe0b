//! How a page becomes a response: the contexts of the request, the document, and the page for a refusal.

use axum::body::Body;
use axum::response::Response;
use hato_domain::ErrorCode;
use http::Request;
use leptos::config::LeptosOptions;
use leptos::prelude::{AnyView, IntoAny, provide_context};

use crate::context::PACKAGE_FOLDER;
use crate::refusal::RefusalCode;
use crate::request_context::RequestContext;
use crate::shell::{PageError, shell};
use crate::{AppContext, headers};

/// The page that explains `code`, with its status, for refusals that happen before a page is reached.
pub async fn error_page(context: &AppContext, request: Request<Body>, code: ErrorCode) -> Response {
    let document = document(&options(context));
    let provide_request = provide_request(context.clone());
    let provide_error = move || {
        provide_request();
        provide_context(PageError(code));
    };
    let page = leptos_axum::render_app_async_with_context(provide_error, document);
    let mut page = headers::add_defaults(page(request).await).await;
    page.extensions_mut().insert(RefusalCode(code));
    page
}

/// What is done at the start of every request.
pub fn provide_request(context: AppContext) -> impl Fn() + Clone + Send + Sync + 'static {
    move || RequestContext::provide(context.clone())
}

/// Every page of the dashboard, as the request asks for it.
pub fn document(options: &LeptosOptions) -> impl Fn() -> AnyView + Clone + Send + Sync + 'static {
    let options = options.clone();
    move || shell(&options).into_any()
}

/// Leptos names the script, the wasm and the style after the output's name; nothing is read from the disk.
pub fn options(context: &AppContext) -> LeptosOptions {
    LeptosOptions::builder()
        .output_name(context.output_name.as_str())
        .site_pkg_dir(PACKAGE_FOLDER)
        .build()
}
