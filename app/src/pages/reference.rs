//! The reference of the API, made of the OpenAPI document that programs read too.

mod endpoint;
mod schema;

use leptos::prelude::*;
use serde_json::Value;

use super::load_page;
use crate::components::Frame;
use crate::i18n::described;
use crate::language::Lang;
use crate::request_context::RequestContext;
use endpoint::{EndpointView, ReferenceEndpoint};
use schema::SchemaView;

/// Every endpoint under the headings of the document.
#[component]
pub fn ReferencePage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        let texts = &ctx.texts().reference;
        let document = &ctx.app_context().api;
        let endpoints = ReferenceEndpoint::from_document(document);
        let contents = contents(&endpoints, ctx.lang());
        let sections = groups(document, endpoints).collect_view();
        let schemas = members(&document["components"]["schemas"])
            .map(|(name, schema)| {
                view! { <SchemaView name=name.clone() schema=schema.clone() /> }
            })
            .collect_view();
        Ok(view! {
            <Frame title=texts.title>
                <section class="reference">
                    <h1>{texts.title}</h1>
                    <p class="lead">{texts.lead}</p>
                    <p>
                        <a href="/api/v1/openapi.json">{texts.document}</a>
                    </p>
                    <nav aria-label=texts.contents>{contents}</nav>
                    {sections}
                    <h2>{texts.schemas}</h2>
                    {schemas}
                </section>
            </Frame>
        }
        .into_any())
    })
}

/// The endpoints under the headings of the document, in its order.
fn groups(document: &Value, endpoints: Vec<ReferenceEndpoint>) -> impl Iterator<Item = AnyView> {
    let headings = document["tags"].as_array().into_iter().flatten();
    headings.map(move |heading| {
        let name = text(&heading["name"]);
        let own = endpoints
            .iter()
            .filter(|endpoint| endpoint.heading() == name);
        let own = own
            .cloned()
            .map(|endpoint| view! { <EndpointView endpoint /> })
            .collect_view();
        view! {
            <h2>{description(&heading["name"])}</h2>
            <p>{description(&heading["description"])}</p>
            {own}
        }
        .into_any()
    })
}

fn contents(endpoints: &[ReferenceEndpoint], lang: Lang) -> impl IntoView + use<> {
    let line = |endpoint: &ReferenceEndpoint| {
        let (method, path) = (endpoint.method.clone(), endpoint.path.clone());
        view! {
            <li>
                <a href=format!("#{}", endpoint.id)>
                    <code translate="no">{method} " " {path}</code>
                </a>
                " "
                {endpoint.summary(lang)}
            </li>
        }
    };
    let lines = endpoints.iter().map(line).collect_view();
    view! { <ul>{lines}</ul> }
}

/// The members of an object in the document's order; none of anything else.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A text of the document in the page's language, as far as it has been translated.
fn description(value: &Value) -> AnyView {
    let page = RequestContext::current().lang();
    let (lang, text) = described(page, &text(value));
    if lang == page {
        return text.into_any();
    }
    view! { <span lang=lang.as_str()>{text}</span> }.into_any()
}

/// A text of the document, empty when there is none.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
