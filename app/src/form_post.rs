//! A form's POST to a server function, or a script's: what Leptos leaves open. A function that cannot be called is refused like
//! everything else, and a browser is led to pages of ours alone.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::{IntoResponse as _, Redirect, Response};
use hato_domain::ErrorCode;
use hato_domain::wire::MAX_BODY_BYTES;
use http::header::REFERER;
use http::request::Parts;
use http::{HeaderValue, StatusCode, Uri};
use leptos::server_fn::error::{FromServerFnError as _, SERVER_FN_ERROR_HEADER};
use url::form_urlencoded;

use crate::AppContext;
use crate::form_page::{form_page, page_of};
use crate::refusal::{RefusalCell, RefusalCode};
use crate::rendering::error_page;
use crate::request_context::{RequestContext, wants_json};
use crate::server_fns::ServerFunctionError;

/// Calls the server function at the request's path. Without one it is `NOT_FOUND`, and a form that cannot be read `INVALID_INPUT`.
pub async fn handle(context: AppContext, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    lead_back_to_our_pages(&context, &mut parts);
    let refusal: Option<RefusalCell> = parts.extensions.get().cloned();
    let asked = Request::from_parts(parts.clone(), Body::empty());
    let form = match read_form(body).await {
        Ok(form) => Request::from_parts(parts, form.into()),
        Err(code) => return refuse(&context, asked, code).await,
    };
    let provide_request = {
        let context = context.clone();
        move || RequestContext::provide(context.clone())
    };
    let response = leptos_axum::handle_server_fns_with_context(provide_request, form)
        .await
        .into_response();
    match called(refusal, response).await {
        Ok(response) => response,
        Err(code) => refuse(&context, asked, code).await,
    }
}

/// Where the form is that posts there: a browser asks for the address of a refusal when it is loaded again.
pub async fn show_page(uri: Uri) -> Redirect {
    Redirect::to(page_of(uri.path()))
}

/// Leptos leads a browser for which a function named no page to whatever the Referer says.
fn lead_back_to_our_pages(context: &AppContext, parts: &mut Parts) {
    let page = HeaderValue::try_from(form_page(context, parts));
    let page = page.unwrap_or_else(|_| HeaderValue::from_static(page_of(parts.uri.path())));
    parts.headers.insert(REFERER, page);
}

async fn read_form(body: Body) -> Result<String, ErrorCode> {
    let read = to_bytes(body, MAX_BODY_BYTES).await;
    flat_form(&read.map_err(|_| ErrorCode::InvalidInput)?)
}

/// The form, written anew with names of one level at most. Leptos decodes it with `serde_qs`, whose functions call each other once for each
/// bracket of a name: its bound on that grows with the number of names before.
pub fn flat_form(form: &[u8]) -> Result<String, ErrorCode> {
    let form = str::from_utf8(form).map_err(|_| ErrorCode::InvalidInput)?;
    let mut written = form_urlencoded::Serializer::new(String::with_capacity(form.len()));
    for (name, value) in form_urlencoded::parse(form.as_bytes()) {
        if !is_flat(&name) {
            return Err(ErrorCode::InvalidInput);
        }
        written.append_pair(&name, &value);
    }
    Ok(written.finish())
}

/// Whether the name is a member's (`name`), or that of an item in one (`member[item]`, `member[]`).
fn is_flat(name: &str) -> bool {
    match name.matches('[').count() {
        0 => true,
        1 => name.ends_with(']'),
        _ => false,
    }
}

/// The response of the function that was called, which has said why it refused, or why none was called.
async fn called(refusal: Option<RefusalCell>, response: Response) -> Result<Response, ErrorCode> {
    if refusal.and_then(|cell| cell.code()).is_some() {
        return Ok(response);
    }
    if response.headers().contains_key(SERVER_FN_ERROR_HEADER) {
        let error = to_bytes(response.into_body(), MAX_BODY_BYTES).await;
        let error = error.map_err(|_| ErrorCode::InternalError)?;
        return Err(ServerFunctionError::de(error).0);
    }
    if response.status().is_client_error() {
        return Err(ErrorCode::NotFound);
    }
    Ok(response)
}

/// The error as a script reads it, or its page.
async fn refuse(context: &AppContext, asked: Request, code: ErrorCode) -> Response {
    if !wants_json(asked.headers()) {
        return error_page(context, asked, code).await;
    }
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, axum::Json(ServerFunctionError(code))).into_response();
    response.extensions_mut().insert(RefusalCode(code));
    response
}
