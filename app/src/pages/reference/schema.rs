//! Schemas, as far as the API uses them.

use std::collections::HashSet;

use leptos::prelude::*;
use serde_json::Value;

use super::description;
use super::document::{items, parts, properties, schema_name, text};
use crate::i18n::{ReferenceTexts, group_thousands};

/// The names of the schemas that a page has shown.
#[derive(Default)]
pub struct Shown(HashSet<String>);

impl Shown {
    /// Whether it has not been shown; from then on it has.
    pub fn is_new(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }
}

/// A schema of the components, under an anchor of its name.
pub fn schema_view(texts: &'static ReferenceTexts, name: &str, schema: &Value) -> AnyView {
    let fields = fields(texts, schema);
    let value = fields.is_none();
    let value = value.then(|| view! { <p><small>{kind(texts, schema)}</small></p> });
    view! {
        <section class="schema" id=anchor(name)>
            <h3>
                <code translate="no">{name.to_owned()}</code>
            </h3>
            <p>{description(&schema["description"])}</p>
            {value}
            {fields}
        </section>
    }
    .into_any()
}

/// The members of an object, and below each the members of an object that has no name; nothing for what is no object.
pub fn fields(texts: &'static ReferenceTexts, schema: &Value) -> Option<AnyView> {
    let mut rows = Vec::new();
    for part in parts(schema) {
        if schema_name(part).is_some() {
            rows.push(view! { <div><dt>{kind(texts, part)}</dt></div> }.into_any());
        }
        for (name, member) in properties(part) {
            let is_required = items(&part["required"]).any(|it| it == name);
            rows.push(field(texts, name, member, is_required));
        }
    }
    (!rows.is_empty()).then(|| view! { <dl class="members">{rows}</dl> }.into_any())
}

fn field(texts: &'static ReferenceTexts, name: &str, schema: &Value, is_required: bool) -> AnyView {
    let required = is_required.then(|| view! { <em>{texts.required}</em> });
    let inner = unnamed_object(schema).and_then(|object| fields(texts, object));
    view! {
        <div>
            <dt>
                <code translate="no">{name.to_owned()}</code>
                " "
                <small>{kind(texts, schema)}</small>
                " "
                {required}
            </dt>
            <dd>{description(&schema["description"])} {inner}</dd>
        </div>
    }
    .into_any()
}

/// The object that stands in this schema, alone, among others or as what an array has.
fn unnamed_object(schema: &Value) -> Option<&Value> {
    if schema["properties"].is_object() || schema["allOf"].is_array() {
        return Some(schema);
    }
    let mut within = items(&schema["anyOf"]).chain(items(&schema["oneOf"]));
    let within = within.find_map(unnamed_object);
    within.or_else(|| schema.get("items").and_then(unnamed_object))
}

/// What a schema allows, in a few words; a schema of the components as a link.
pub fn kind(texts: &'static ReferenceTexts, schema: &Value) -> AnyView {
    if let Some(name) = schema_name(schema) {
        let link = format!("#{}", anchor(name));
        return view! { <a href=link>{name.to_owned()}</a> }.into_any();
    }
    if schema["type"] == "array" {
        let [before, after] = texts.array;
        let size = range(&schema["minItems"], &schema["maxItems"]);
        let size = size.map(|size| format!(", {}", (texts.items)(&size)));
        let after = format!("{after}{}", size.unwrap_or_default());
        // Leptos writes a space for an empty text.
        let [before, after] = [before.to_owned(), after].map(|it| (!it.is_empty()).then_some(it));
        return view! { {before} {kind(texts, &schema["items"])} {after} }.into_any();
    }
    let alternatives: Vec<_> = items(&schema["anyOf"])
        .chain(items(&schema["oneOf"]))
        .collect();
    if alternatives.is_empty() {
        return words(texts, schema);
    }
    // The empty string counts as absent, like `null`.
    let is_empty = |it: &&Value| it["enum"] == Value::from(vec![""]);
    let may_be_absent = alternatives.iter().any(is_empty);
    let is_said = |it: &&Value| !(is_empty(it) || may_be_absent && it["type"] == "null");
    let kinds = alternatives.into_iter().filter(is_said).enumerate();
    let kinds = kinds.map(|(number, it)| {
        let or = (number > 0).then_some(" | ");
        view! { {or} {kind(texts, it)} }
    });
    kinds.collect_view().into_any()
}

/// What a schema without others in it allows.
fn words(texts: &'static ReferenceTexts, schema: &Value) -> AnyView {
    let mut words = Vec::new();
    let values: Vec<_> = items(&schema["enum"]).map(Value::to_string).collect();
    if values.is_empty() {
        let kinds: Vec<_> = match &schema["type"] {
            Value::Array(types) => types.iter().map(text).collect(),
            Value::Null if schema.get("allOf").is_some() => vec!["object"],
            other => vec![text(other)],
        };
        words.push(kinds.join(" | "));
    } else {
        words.push(values.join(" | "));
    }
    words.extend(range(&schema["minimum"], &schema["maximum"]));
    let (least, most) = (&schema["minLength"], &schema["maxLength"]);
    if *least == 1 && most.is_null() {
        words.push(texts.not_empty.to_owned());
    } else if let Some(count) = range(least, most) {
        words.push((texts.characters)(&count));
    }
    if let Some(default) = schema.get("default") {
        words.push(format!("{} {default}", texts.default));
    }
    let words = words.join(", ");
    let pattern = schema["pattern"].as_str().map(str::to_owned);
    let pattern = pattern.map(|pattern| view! { " " <code translate="no">{pattern}</code> });
    view! { {words} {pattern} }.into_any()
}

/// Bounds in signs; none without any.
fn range(least: &Value, most: &Value) -> Option<String> {
    let [least, most] = [least, most].map(|bound| bound.as_i64().map(group_thousands));
    match (least, most) {
        (None, None) => None,
        (Some(least), None) => Some(format!("≥ {least}")),
        (None, Some(most)) => Some(format!("≤ {most}")),
        (Some(least), Some(most)) => Some(format!("{least}–{most}")),
    }
}

/// The anchor of the schema of this name.
pub fn anchor(name: &str) -> String {
    format!("schema-{name}")
}
