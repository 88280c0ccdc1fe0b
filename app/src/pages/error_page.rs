//! The pages for what does not exist and for what went wrong.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::load_page;
use crate::components::{Frame, Logo};
use crate::form_page::posted_form_page;
use crate::i18n::message;
use crate::request_context::RequestContext;

/// The page for paths that are none.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! { <ErrorPage code=ErrorCode::NotFound /> }
}

/// The page that explains a code.
#[component]
pub fn ErrorPage(code: ErrorCode) -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        Ok(error_view(&ctx, code))
    })
}

/// The explanation of a code, with its status.
pub fn error_view(ctx: &RequestContext, code: ErrorCode) -> AnyView {
    ctx.refuse(code);
    let texts = &ctx.texts().site;
    let (title, text) = match code {
        ErrorCode::NotFound => (texts.not_found_title, texts.not_found_text),
        _ => (texts.failed_title, message(ctx.lang(), code)),
    };
    let (way_on, label) = match posted_form_page(ctx) {
        Some(form) => (form, texts.back_to_form),
        None => ("/".to_owned(), texts.home),
    };
    view! {
        <Frame title=title>
            <section class="error-page">
                <Logo />
                <h1>{title}</h1>
                <p data-refusal>{text}</p>
                <p class="hint">{texts.code} " " <code>{code.as_str()}</code></p>
                <p>
                    <a class="button" href=way_on>
                        {label}
                    </a>
                </p>
            </section>
        </Frame>
    }
    .into_any()
}
