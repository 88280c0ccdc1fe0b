//! An endpoint of the API in the reference: what it does and takes and answers, and beside that how it is called.

use hato_domain::ErrorCode;
use leptos::prelude::*;
use serde_json::Value;

use super::contents::method;
use super::description;
use super::document::{ApiOperation, Example, items, members, schema_name, text};
use super::literal::{Notation, literal};
use super::sample::{RequestSample, SampleLanguage};
use super::schema::{Shown, anchor, fields, kind};
use crate::components::StaticCodeBlock;
use crate::i18n::{ReferenceTexts, message};
use crate::request_context::RequestContext;

/// The endpoint under an anchor of its id.
pub fn endpoint_view(
    ctx: &RequestContext,
    document: &Value,
    endpoint: &ApiOperation,
    shown: &mut Shown,
) -> AnyView {
    let texts = &ctx.texts().reference;
    let summary = endpoint.summary(ctx.lang()).to_owned();
    let (id, path) = (endpoint.id.to_owned(), endpoint.path.to_owned());
    let operation = endpoint.operation;
    let (successes, errors) = responses(texts, &operation["responses"]);
    view! {
        <section class="endpoint" id=id.clone()>
            <div class="prose">
                <h2>
                    <a href=format!("#{id}")>{summary}</a>
                </h2>
                <p class="request-line" translate="no">
                    {method(endpoint)}
                    " "
                    <code>{path}</code>
                </p>
                {about(&operation["description"])}
                {parameters(texts, operation)}
                {request(texts, document, endpoint, shown)}
                <h3>{texts.responses}</h3>
                {successes}
                {errors}
            </div>
            <div class="examples">{samples(ctx, document, endpoint)} {response_example(ctx, document, endpoint)}</div>
        </section>
    }
    .into_any()
}

/// What people should know of an operation, and the credential that it takes, which the document has as one text.
fn about(text_of_operation: &Value) -> impl IntoView + use<> {
    let text = text(text_of_operation);
    let at = text.find("Credential: ").unwrap_or(text.len());
    let (about, credential) = text.split_at(at);
    let about = (!about.is_empty()).then(|| {
        let about = Value::from(about.trim());
        view! { <p>{description(&about)}</p> }
    });
    let credential = Value::from(credential);
    (
        about,
        view! { <p class="hint">{description(&credential)}</p> },
    )
}

fn parameters(texts: &'static ReferenceTexts, operation: &Value) -> Option<impl IntoView + use<>> {
    let rows: Vec<_> = items(&operation["parameters"])
        .map(|it| parameter(texts, it))
        .collect();
    (!rows.is_empty()).then(|| {
        view! {
            <h3>{texts.parameters}</h3>
            <dl class="members">{rows}</dl>
        }
    })
}

fn parameter(texts: &'static ReferenceTexts, parameter: &Value) -> impl IntoView + use<> {
    let name = text(&parameter["name"]).to_owned();
    let place = match text(&parameter["in"]) {
        "path" => texts.in_path,
        "header" => texts.in_header,
        _ => texts.in_query,
    };
    let required = (parameter["required"] == true).then(|| view! { <em>{texts.required}</em> });
    view! {
        <div>
            <dt>
                <code translate="no">{name}</code>
                " "
                <small>{place} " · " {kind(texts, &parameter["schema"])}</small>
                " "
                {required}
            </dt>
            <dd>{description(&parameter["description"])}</dd>
        </div>
    }
}

/// The members of the body; a link where the page has shown them already.
fn request(
    texts: &'static ReferenceTexts,
    document: &Value,
    endpoint: &ApiOperation,
    shown: &mut Shown,
) -> Option<impl IntoView + use<>> {
    let schema = &endpoint.body()["schema"];
    let name = schema_name(schema)?;
    let body = if shown.is_new(name) {
        let fields = fields(texts, &document["components"]["schemas"][name]);
        view! { <div id=anchor(name)>{fields}</div> }.into_any()
    } else {
        view! { <p>{kind(texts, schema)}</p> }.into_any()
    };
    Some(view! {
        <h3>{texts.request}</h3>
        {body}
    })
}

/// What it promises, and what it may be refused with, which is folded away.
fn responses(texts: &'static ReferenceTexts, all: &Value) -> (Vec<AnyView>, Option<AnyView>) {
    let (mut successes, mut errors, mut codes) = (Vec::new(), Vec::new(), 0);
    for (status, response) in members(all) {
        if status.starts_with(['4', '5']) {
            let examples = &response["content"]["application/json"]["examples"];
            codes += members(examples).count();
            errors.push(error_entry(status, examples));
        } else {
            successes.push(success_entry(texts, status, response));
        }
    }
    let errors = (codes > 0).then(|| {
        view! {
            <details class="refusals">
                <summary>{texts.errors} " " <small>{codes}</small></summary>
                <dl class="members codes">{errors}</dl>
            </details>
        }
        .into_any()
    });
    (successes, errors)
}

fn success_entry(texts: &'static ReferenceTexts, status: &str, response: &Value) -> AnyView {
    let schema = members(&response["content"]).next();
    let schema = schema.map(|(_, content)| kind(texts, &content["schema"]));
    view! {
        <p>
            <b class="status done">{status.to_owned()}</b>
            " "
            {description(&response["description"])}
            " "
            <small>{schema}</small>
        </p>
    }
    .into_any()
}

/// The codes of a status with their sentences.
fn error_entry(status: &str, examples: &Value) -> AnyView {
    let lang = RequestContext::current().lang();
    let entries = members(examples).map(|(code, _)| {
        let sentence = ErrorCode::parse(code).map(|code| message(lang, code));
        view! {
            <div>
                <dt>
                    <code translate="no">{code.clone()}</code>
                    " "
                    <small>{status.to_owned()}</small>
                </dt>
                <dd>{sentence}</dd>
            </div>
        }
    });
    entries.collect_view().into_any()
}

/// The programs, of which the style sheet shows the one in the chosen language. The tabs are further labels of the radio buttons in
/// the contents, for pointers: assistive technology has the buttons themselves.
fn samples(ctx: &RequestContext, document: &Value, endpoint: &ApiOperation) -> AnyView {
    let texts = &ctx.texts().reference;
    let sample = RequestSample::new(document, endpoint);
    let summary = endpoint.summary(ctx.lang());
    let tabs = SampleLanguage::ALL.map(|language| {
        view! { <label for=format!("in-{}", language.id())>{language.name()}</label> }
    });
    let programs = SampleLanguage::ALL.map(|language| {
        view! {
            <StaticCodeBlock
                ctx=ctx.clone()
                id=format!("{}-{}", endpoint.id, language.id())
                label=(texts.sample)(summary, language.name())
                text=sample.program(language)
                class=language.id()
            />
        }
    });
    view! {
        <p class="sample-tabs" aria-hidden="true" translate="no">
            {tabs}
        </p>
        {programs}
    }
    .into_any()
}

/// The first example of a success.
fn response_example(
    ctx: &RequestContext,
    document: &Value,
    endpoint: &ApiOperation,
) -> Option<AnyView> {
    let responses = members(&endpoint.operation["responses"]);
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    let (status, text) = successes.find_map(|(status, response)| {
        let (kind, content) = members(&response["content"]).next()?;
        let example = Example::new(document, content);
        let text = match kind.as_str() {
            "text/event-stream" => {
                let (_, example) = members(&content["examples"]).next()?;
                text(&example["value"]).trim_end().to_owned()
            }
            "application/x-ndjson" => Notation::Json.line(example),
            _ => literal(example, Notation::Json, 0),
        };
        Some((status.clone(), text))
    })?;
    let label = (ctx.texts().reference.response)(endpoint.summary(ctx.lang()));
    Some(
        view! {
            <div class="code response" translate="no">
                <p>
                    <b>{status}</b>
                </p>
                <pre tabindex="0" role="region" aria-label=label>
                    <code>{text}</code>
                </pre>
            </div>
        }
        .into_any(),
    )
}
