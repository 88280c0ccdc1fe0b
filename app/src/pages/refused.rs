//! The pages for what does not exist and for what went wrong.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::loaded;
use crate::components::{Frame, Pigeon};
use crate::i18n::message;
use crate::visit::Visit;

/// The page for paths that are none.
#[component]
pub fn LostPage() -> impl IntoView {
    view! { <RefusedPage code=ErrorCode::NotFound /> }
}

/// The page that explains a code.
#[component]
pub fn RefusedPage(code: ErrorCode) -> impl IntoView {
    loaded(async move |visit: Visit| {
        visit.visitor().await;
        Ok(explained(&visit, code))
    })
}

/// The explanation of a code, with its status.
pub fn explained(visit: &Visit, code: ErrorCode) -> AnyView {
    visit.set_status(code.status());
    let texts = &visit.texts().site;
    let (title, text) = match code {
        ErrorCode::NotFound => (texts.lost_title, texts.lost_text),
        _ => (texts.failed_title, message(visit.lang(), code)),
    };
    view! {
        <Frame title=title>
            <section class="lost">
                <Pigeon />
                <h1>{title}</h1>
                <p>{text}</p>
                <p class="hint">{texts.code} " " <code>{code.as_str()}</code></p>
                <p>
                    <a class="button" href="/">
                        {texts.home}
                    </a>
                </p>
            </section>
        </Frame>
    }
    .into_any()
}
