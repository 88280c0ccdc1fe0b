//! The reference of the API, made of the OpenAPI document that programs read too: an overview, and a page for each group of
//! endpoints.

mod contents;
mod document;
mod endpoint;
mod literal;
mod overview;
mod sample;
mod schema;

use hato_domain::ErrorCode;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::Stylesheet;
use serde_json::Value;

use super::load_page;
use crate::components::Frame;
use crate::i18n::{ReferenceTexts, described};
use crate::request_context::RequestContext;
use contents::contents;
use document::{EndpointGroup, text};
use endpoint::endpoint_view;
use overview::overview;
use schema::{Shown, schema_view};

/// What holds for all endpoints, and where each of them is.
#[component]
pub fn ReferencePage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        let document = &ctx.app_context().api;
        let groups = EndpointGroup::all(document);
        let contents = contents(&ctx, &groups);
        let overview = overview(&ctx, document, &groups);
        Ok(view! {
            <ReferenceAssets />
            <Frame title=ctx.texts().reference.title>
                <div class="reference">{contents} {overview}</div>
            </Frame>
        }
        .into_any())
    })
}

/// The group of endpoints that the path names, and the schemas that they refer to.
#[component]
pub fn ReferenceGroupPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        let document = &ctx.app_context().api;
        let groups = EndpointGroup::all(document);
        let group = groups.iter().find(|group| group.path() == ctx.path());
        let group = group.ok_or(ErrorCode::NotFound)?;
        let texts = &ctx.texts().reference;
        let name = group.name(ctx.lang());
        let title = format!("{name} · {}", texts.title);
        let contents = contents(&ctx, &groups);
        let page = view! {
            <div class="reference-page">
                <h1>{name}</h1>
                <p class="lead">{description(group.about())}</p>
                {endpoints(&ctx, texts, document, group)}
            </div>
        };
        Ok(view! {
            <ReferenceAssets />
            <Frame title>
                <div class="reference">{contents} {page}</div>
            </Frame>
        }
        .into_any())
    })
}

/// What the pages of the reference load beside what every page does.
#[component]
fn ReferenceAssets() -> impl IntoView {
    let ctx = RequestContext::current();
    let file = |ending| ctx.app_context().package_file(ending);
    view! {
        <Stylesheet href=file("-reference.css") />
        <script src=file("-reference.js") nonce=use_nonce() defer=true></script>
    }
}

/// The endpoints of a group, and below them the schemas that no endpoint shows as its body.
fn endpoints(
    ctx: &RequestContext,
    texts: &'static ReferenceTexts,
    document: &Value,
    group: &EndpointGroup,
) -> impl IntoView + use<> {
    let mut shown = Shown::default();
    let endpoints: Vec<_> = group
        .endpoints
        .iter()
        .map(|endpoint| endpoint_view(ctx, document, endpoint, &mut shown))
        .collect();
    let schemas = group.schemas(document).into_iter();
    let schemas: Vec<_> = schemas
        .filter(|(name, _)| shown.is_new(name))
        .map(|(name, schema)| schema_view(texts, name, schema))
        .collect();
    let heading = (!schemas.is_empty()).then(|| view! { <h2 class="schemas">{texts.schemas}</h2> });
    (endpoints, heading, schemas)
}

/// A text of the document in the page's language, as far as it has been translated.
fn description(value: &Value) -> AnyView {
    let page = RequestContext::current().lang();
    let (lang, text) = described(page, text(value));
    if lang == page {
        return prose(&text);
    }
    view! { <span lang=lang.as_str()>{prose(&text)}</span> }.into_any()
}

/// A text in which code stands between grave accents.
fn prose(text: &str) -> AnyView {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let part = part.to_owned();
        if number % 2 == 0 {
            part.into_any()
        } else {
            view! { <code translate="no">{part}</code> }.into_any()
        }
    });
    parts.collect_view().into_any()
}
