//! Schemas, as far as the API uses them.

use leptos::prelude::*;
use serde_json::Value;

use super::{description, members, text};
use crate::request_context::RequestContext;

/// A schema of the components, under an anchor of its name.
#[component]
pub fn SchemaView(name: String, schema: Value) -> impl IntoView {
    let texts = &RequestContext::current().texts().reference;
    let parts: Vec<&Value> = match schema["allOf"].as_array() {
        Some(parts) => parts.iter().collect(),
        None => vec![&schema],
    };
    let rows = parts.into_iter().flat_map(|part| {
        let required = part["required"].as_array();
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let inherited = part["$ref"].is_string().then(|| kind(part));
        let inherited = inherited.map(|kind| view! { <div><dt>{kind}</dt></div> }.into_any());
        let own = members(&part["properties"]).map(move |(name, member)| {
            let must = is_required(name).then_some(texts.required);
            view! {
                <div>
                    <dt>
                        <code translate="no">{name.clone()}</code>
                        " "
                        <small>{must}</small>
                    </dt>
                    <dd>{description(&member["description"])} " " {kind(member)}</dd>
                </div>
            }
            .into_any()
        });
        inherited.into_iter().chain(own).collect::<Vec<_>>()
    });
    let rows = rows.collect_view();
    let id = anchor(&name);
    view! {
        <details class="card">
            <summary>
                <h3>
                    <code translate="no">{name}</code>
                </h3>
            </summary>
            <div id=id class="endpoint-body">
                <p>{description(&schema["description"])}</p>
                <dl>{rows}</dl>
            </div>
        </details>
    }
    .into_any()
}

/// What a schema allows, in a few words; a schema of the components as a link.
pub fn kind(schema: &Value) -> AnyView {
    if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
        let (link, name) = (format!("#{}", anchor(name)), name.to_owned());
        return view! { <a href=link>{name}</a> }.into_any();
    }
    if schema["type"] == "array" {
        return view! { "[" {kind(&schema["items"])} "]" }.into_any();
    }
    let alternatives = [&schema["anyOf"], &schema["oneOf"]];
    if let Some(alternatives) = alternatives
        .iter()
        .find_map(|alternatives| alternatives.as_array())
    {
        let kinds = alternatives
            .iter()
            .filter(|alternative| alternative["type"] != "null")
            .map(kind);
        let kinds: Vec<_> = kinds.collect();
        return view! { <span>{kinds}</span> }.into_any();
    }
    view! { <small>{words(schema)} " "</small> }.into_any()
}

fn words(schema: &Value) -> String {
    let mut words = match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect::<Vec<_>>(),
        other => vec![text(other)],
    };
    if let Some(values) = schema["enum"].as_array() {
        words = values.iter().map(Value::to_string).collect();
    }
    let bounds = [
        ("minimum", "≥"),
        ("maximum", "≤"),
        ("minLength", "≥"),
        ("maxLength", "≤"),
        ("pattern", ""),
    ];
    for (name, sign) in bounds {
        match &schema[name] {
            Value::Null => {}
            Value::String(pattern) => words.push(pattern.clone()),
            bound => words.push(format!("{sign} {bound}")),
        }
    }
    words.join(" ")
}

fn anchor(name: &str) -> String {
    format!("schema-{name}")
}
