//! The first page of the reference: what holds for all endpoints, and where each of them is. Endpoints, errors and schemas have
//! anchors here as on a page that has everything.

use std::collections::HashSet;

use hato_domain::ErrorCode;
use leptos::prelude::*;
use serde_json::Value;

use super::contents::method;
use super::document::{EndpointGroup, text};
use super::sample::{KEY, SESSION, variable};
use super::{description, prose};
use crate::components::StaticCodeBlock;
use crate::i18n::{ReferenceTexts, message};
use crate::request_context::RequestContext;

/// Everything but the contents.
pub fn overview(ctx: &RequestContext, document: &Value, groups: &[EndpointGroup]) -> AnyView {
    let texts = &ctx.texts().reference;
    let endpoints: Vec<_> = groups.iter().map(|group| group_entry(ctx, group)).collect();
    view! {
        <div class="reference-page">
            <h1>{texts.title}</h1>
            <p class="lead">{texts.lead}</p>
            {basics(ctx, texts, document)}
            <h2>{texts.endpoints}</h2>
            {endpoints}
            <h2 id="errors">{texts.errors}</h2>
            <p>{prose(texts.about_errors)}</p>
            {errors(ctx)}
            <h2>{texts.schemas}</h2>
            {schemas(document, groups)}
        </div>
    }
    .into_any()
}

fn basics(ctx: &RequestContext, texts: &'static ReferenceTexts, document: &Value) -> AnyView {
    let base_url = text(&document["servers"][0]["url"]).to_owned();
    let ids = ["appId", "send_id", "keyId", "vapidKeyId"].map(variable);
    let ids = ids.map(|name| view! { <code translate="no">{name}</code> " " });
    view! {
        <h2>{texts.basics}</h2>
        <p>{prose(texts.about_basics)}</p>
        <StaticCodeBlock ctx=ctx.clone() id="base-url" label=texts.base_url.to_owned() text=base_url class="line" />
        <p>
            <a href="/api/v1/openapi.json">{texts.document}</a>
            " "
            {texts.about_document}
        </p>
        <h2>{texts.credentials}</h2>
        <dl class="members">
            <div>
                <dt>{texts.api_key}</dt>
                <dd>{prose(texts.about_api_key)}</dd>
            </div>
            <div>
                <dt>{texts.session}</dt>
                <dd>{prose(texts.about_session)}</dd>
            </div>
        </dl>
        <h2 id="running">{texts.running}</h2>
        <p>{prose(texts.about_running)}</p>
        <dl class="members">
            <div>
                <dt>
                    <code translate="no">{KEY}</code>
                </dt>
                <dd>{texts.key_variable}</dd>
            </div>
            <div>
                <dt>
                    <code translate="no">{SESSION}</code>
                </dt>
                <dd>{texts.session_variable}</dd>
            </div>
            <div>
                <dt>{ids}</dt>
                <dd>{texts.other_variables}</dd>
            </div>
        </dl>
    }
    .into_any()
}

fn group_entry(ctx: &RequestContext, group: &EndpointGroup) -> AnyView {
    let path = group.path();
    let endpoints = group.endpoints.iter().map(|endpoint| {
        let id = endpoint.id.to_owned();
        view! {
            <li id=id.clone()>
                {method(endpoint)}
                " "
                <a href=format!("{path}#{id}")>{endpoint.summary(ctx.lang()).to_owned()}</a>
                " "
                <code translate="no">{endpoint.path.to_owned()}</code>
            </li>
        }
    });
    let endpoints = endpoints.collect_view();
    view! {
        <section class="group">
            <h3>
                <a href=path>{group.name(ctx.lang())}</a>
            </h3>
            <p>{description(group.about())}</p>
            <ul>{endpoints}</ul>
        </section>
    }
    .into_any()
}

/// Every code with its status and what it says.
fn errors(ctx: &RequestContext) -> impl IntoView + use<> {
    let lang = ctx.lang();
    let error = |code: ErrorCode| {
        view! {
            <div id=code.as_str()>
                <dt>
                    <code translate="no">{code.as_str()}</code>
                    " "
                    <small>{code.status()}</small>
                </dt>
                <dd>{message(lang, code)}</dd>
            </div>
        }
    };
    let errors = ErrorCode::ALL.into_iter().map(error).collect_view();
    view! { <dl class="members codes">{errors}</dl> }
}

/// The schemas, each on the first page that has it.
fn schemas(document: &Value, groups: &[EndpointGroup]) -> impl IntoView + use<> {
    let mut known = HashSet::new();
    let mut links = Vec::new();
    for group in groups {
        let path = group.path();
        for (name, _) in group.schemas(document) {
            if known.insert(name) {
                let (id, name) = (super::schema::anchor(name), name.to_owned());
                links.push(view! {
                    <li id=id.clone()>
                        <a href=format!("{path}#{id}")>
                            <code translate="no">{name}</code>
                        </a>
                    </li>
                });
            }
        }
    }
    view! { <ul class="schema-links">{links}</ul> }
}
