//! An endpoint of the API in the reference: its parameters, its body and its answers.

use hato_domain::ErrorCode;
use leptos::prelude::*;
use serde_json::Value;

use super::schema::kind;
use super::{description, members, text};
use crate::i18n::message;
use crate::language::Lang;
use crate::request_context::RequestContext;

/// An operation of the document, and where it stands there.
#[derive(Clone)]
pub struct ReferenceEndpoint {
    /// The HTTP method in capitals, such as `POST`.
    pub method: String,
    /// The path as the document gives it, such as `/api/v1/notify`.
    pub path: String,
    /// The `operationId`, which is the anchor on the page.
    pub id: String,
    operation: Value,
}

impl ReferenceEndpoint {
    /// All of them, in the document's order.
    pub fn from_document(document: &Value) -> Vec<Self> {
        let of_path = |(path, item): (&String, &Value)| {
            let endpoint = |(method, operation): (&String, &Value)| Self {
                method: method.to_uppercase(),
                path: path.clone(),
                id: text(&operation["operationId"]),
                operation: operation.clone(),
            };
            members(item).map(endpoint).collect::<Vec<_>>()
        };
        members(&document["paths"]).flat_map(of_path).collect()
    }

    /// The heading that it stands under.
    pub fn heading(&self) -> &str {
        self.operation["tags"][0].as_str().unwrap_or_default()
    }

    /// What it does, in a language.
    pub fn summary(&self, lang: Lang) -> String {
        text(match lang {
            Lang::Ja => &self.operation["x-summary-ja"],
            Lang::En => &self.operation["summary"],
        })
    }
}

#[component]
pub fn EndpointView(endpoint: ReferenceEndpoint) -> impl IntoView {
    let ctx = RequestContext::current();
    let texts = &ctx.texts().reference;
    let summary = endpoint.summary(ctx.lang());
    let ReferenceEndpoint {
        method,
        path,
        id,
        operation,
    } = endpoint;
    let body = &operation["requestBody"]["content"]["application/json"];
    let request = (!body.is_null()).then(|| {
        let name = kind(&body["schema"]);
        view! {
            <h4>{texts.request}</h4>
            <p>{name}</p>
            {example(&body["example"])}
        }
    });
    let parameters = operation["parameters"]
        .as_array()
        .filter(|all| !all.is_empty());
    let parameters = parameters.map(|all| {
        let rows = all
            .iter()
            .map(|it| parameter(it, texts.required))
            .collect_view();
        view! {
            <h4>{texts.parameters}</h4>
            <dl>{rows}</dl>
        }
    });
    let (successes, errors) = responses(&operation["responses"]);
    view! {
        <details class="card endpoint">
            <summary>
                <h3>
                    <code translate="no">{method} " " {path}</code>
                </h3>
                <span>{summary}</span>
            </summary>
            <div id=id class="endpoint-body">
                {about(&operation["description"])}
                {parameters}
                {request}
                <h4>{texts.responses}</h4>
                {successes}
                <h4>{texts.errors}</h4>
                <dl>{errors}</dl>
            </div>
        </details>
    }
    .into_any()
}

/// What people should know of an operation, and the credential that it takes, which the document has as one text.
fn about(text_of_operation: &Value) -> impl IntoView + use<> {
    let text = text(text_of_operation);
    let at = text.find("Credential: ").unwrap_or(text.len());
    let (about, credential) = text.split_at(at);
    let line = |text: &str| {
        let text = Value::from(text.trim());
        (text != "").then(|| view! { <p class="hint">{description(&text)}</p> })
    };
    (line(about), line(credential))
}

fn parameter(parameter: &Value, required: &'static str) -> impl IntoView + use<> {
    let name = text(&parameter["name"]);
    let place = text(&parameter["in"]);
    let must = (parameter["required"] == true).then_some(required);
    view! {
        <div>
            <dt>
                <code translate="no">{name}</code>
                " "
                <small>{place} " " {must}</small>
            </dt>
            <dd>{description(&parameter["description"])} " " {kind(&parameter["schema"])}</dd>
        </div>
    }
}

/// What it promises, and what it may be refused with: by status, the codes with their sentences.
fn responses(all: &Value) -> (Vec<AnyView>, Vec<AnyView>) {
    let (mut successes, mut errors) = (Vec::new(), Vec::new());
    for (status, response) in members(all) {
        if status.starts_with(['4', '5']) {
            errors.push(error_entry(status, response).into_any());
        } else {
            successes.push(response_entry(status, response).into_any());
        }
    }
    (successes, errors)
}

fn response_entry(status: &str, response: &Value) -> impl IntoView + use<> {
    let content = &response["content"]["application/json"];
    let name = kind(&content["schema"]);
    view! {
        <p>
            <strong>{status.to_owned()}</strong>
            " "
            {description(&response["description"])}
            " "
            {name}
        </p>
        {example(&content["example"])}
    }
}

fn error_entry(status: &str, response: &Value) -> impl IntoView + use<> {
    let examples = &response["content"]["application/json"]["examples"];
    let lang = RequestContext::current().lang();
    let codes = members(examples).map(|(code, _)| {
        let sentence = ErrorCode::parse(code).map(|code| message(lang, code));
        view! {
            <dd>
                <code translate="no">{code.clone()}</code>
                " "
                {sentence}
            </dd>
        }
    });
    let codes = codes.collect_view();
    view! {
        <div>
            <dt>{status.to_owned()}</dt>
            {codes}
        </div>
    }
}

fn example(example: &Value) -> Option<impl IntoView + use<>> {
    let text = serde_json::to_string_pretty(example).ok()?;
    (!example.is_null()).then(|| {
        view! {
            <div class="code" translate="no">
                <pre tabindex="0">
                    <code>{text}</code>
                </pre>
            </div>
        }
    })
}
