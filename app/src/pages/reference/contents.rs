//! What stays beside the pages of the reference: all endpoints, and in which language the examples are.

use leptos::prelude::*;

use super::document::{ApiOperation, EndpointGroup, PATH};
use super::sample::SampleLanguage;
use crate::request_context::RequestContext;

/// The language of the examples, and the groups with their endpoints; that of the page is unfolded.
pub fn contents(ctx: &RequestContext, groups: &[EndpointGroup]) -> impl IntoView + use<> {
    let texts = &ctx.texts().reference;
    let languages = SampleLanguage::ALL.map(|language| {
        let id = format!("in-{}", language.id());
        view! {
            <input
                type="radio"
                name="sample-language"
                id=id.clone()
                value=language.id()
                checked={language == SampleLanguage::ALL[0]}
            />
            <label for=id translate="no">
                {language.name()}
            </label>
        }
    });
    let groups: Vec<_> = groups.iter().map(|group| group_links(ctx, group)).collect();
    let current = (ctx.path() == PATH).then_some("page");
    view! {
        <div class="reference-side">
            <fieldset class="sample-languages">
                <legend>{texts.samples}</legend>
                {languages}
            </fieldset>
            <details class="reference-contents">
                <summary>{texts.contents}</summary>
                <nav aria-label=texts.contents>
                    <a href=PATH aria-current=current>
                        {texts.overview}
                    </a>
                    {groups}
                </nav>
            </details>
        </div>
    }
    .into_any()
}

fn group_links(ctx: &RequestContext, group: &EndpointGroup) -> AnyView {
    let path = group.path();
    let endpoints = group.endpoints.iter().map(|endpoint| {
        view! {
            <li>
                <a href=format!("{path}#{}", endpoint.id)>
                    {method(endpoint)} " " {endpoint.summary(ctx.lang()).to_owned()}
                </a>
            </li>
        }
    });
    let endpoints = endpoints.collect_view();
    view! {
        <details open={path == ctx.path()}>
            <summary>{group.name(ctx.lang())}</summary>
            <ul>{endpoints}</ul>
        </details>
    }
    .into_any()
}

/// The endpoint's method, in the colour that it has everywhere.
pub fn method(endpoint: &ApiOperation) -> impl IntoView + use<> {
    view! {
        <b class=format!("method {}", endpoint.method) translate="no">
            {endpoint.method.to_uppercase()}
        </b>
    }
}
