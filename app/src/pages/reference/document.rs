//! The OpenAPI document as the reference shows it: groups of endpoints, and the schemas that they refer to.

use std::collections::HashSet;

use serde_json::Value;

use crate::i18n::described;
use crate::language::Lang;

/// Where the overview of the reference is; below it is a page for each group.
pub const PATH: &str = "/docs/api";

/// The endpoints under a heading of the document, which have a page of their own.
pub struct EndpointGroup<'d> {
    heading: &'d Value,
    /// In the order in which they are to be read.
    pub endpoints: Vec<ApiOperation<'d>>,
}

/// An operation of the document, and where it stands there.
pub struct ApiOperation<'d> {
    /// The HTTP method in lower case, such as `post`.
    pub method: &'d str,
    /// The path as the document gives it, such as `/api/v1/notify`.
    pub path: &'d str,
    /// The `operationId`, which is the anchor on the page.
    pub id: &'d str,
    /// All that the document says of it.
    pub operation: &'d Value,
}

impl<'d> EndpointGroup<'d> {
    /// All of them, in the document's order.
    pub fn all(document: &'d Value) -> Vec<Self> {
        let group = |heading: &'d Value| {
            let endpoints = ApiOperation::all(document);
            let own = endpoints.filter(|it| it.operation["tags"][0] == heading["name"]);
            let mut endpoints: Vec<_> = own.collect();
            let order: Vec<_> = items(&heading["x-operation-ids"]).map(text).collect();
            endpoints.sort_by_key(|endpoint| order.iter().position(|id| *id == endpoint.id));
            Self { heading, endpoints }
        };
        items(&document["tags"]).map(group).collect()
    }

    /// What it is called, in a language.
    pub fn name(&self, lang: Lang) -> String {
        let (_, name) = described(lang, text(&self.heading["name"]));
        let mut letters = name.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    }

    /// What its endpoints are for.
    pub fn about(&self) -> &'d Value {
        &self.heading["description"]
    }

    /// Where its page is.
    pub fn path(&self) -> String {
        let name = text(&self.heading["name"]).to_lowercase().replace(' ', "-");
        format!("{PATH}/{name}")
    }

    /// The schemas of the components that its endpoints refer to, directly or by another schema, by their names.
    pub fn schemas(&self, document: &'d Value) -> Vec<(&'d str, &'d Value)> {
        let mut found = ReferencedSchemas::default();
        for endpoint in &self.endpoints {
            found.visit(document, endpoint.operation);
        }
        found.schemas
    }
}

impl<'d> ApiOperation<'d> {
    fn all(document: &'d Value) -> impl Iterator<Item = Self> {
        let of_path = |(path, item): (&'d String, &'d Value)| {
            members(item).map(|(method, operation)| Self {
                method,
                path,
                id: text(&operation["operationId"]),
                operation,
            })
        };
        members(&document["paths"]).flat_map(of_path)
    }

    /// What it does, in a language.
    pub fn summary(&self, lang: Lang) -> &'d str {
        text(match lang {
            Lang::Ja => &self.operation["x-summary-ja"],
            Lang::En => &self.operation["summary"],
        })
    }

    /// Its JSON body, as the document describes it; null without one.
    pub fn body(&self) -> &'d Value {
        &self.operation["requestBody"]["content"]["application/json"]
    }
}

/// Schemas in the order in which they were referred to.
#[derive(Default)]
struct ReferencedSchemas<'d> {
    schemas: Vec<(&'d str, &'d Value)>,
    names: HashSet<&'d str>,
}

impl<'d> ReferencedSchemas<'d> {
    fn visit(&mut self, document: &'d Value, value: &'d Value) {
        if let Some(name) = schema_name(value)
            && self.names.insert(name)
        {
            let schema = &document["components"]["schemas"][name];
            self.schemas.push((name, schema));
            self.visit(document, schema);
        }
        for (_, member) in members(value) {
            self.visit(document, member);
        }
        for item in items(value) {
            self.visit(document, item);
        }
    }
}

/// The name of the schema that this refers to.
pub fn schema_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// The properties of a schema that refers to no other: first those that have to be there, in their order, and then the rest.
pub fn properties(schema: &Value) -> Vec<(&String, &Value)> {
    let required: Vec<_> = items(&schema["required"]).map(text).collect();
    let mut properties: Vec<_> = members(&schema["properties"]).collect();
    properties.sort_by_key(|(name, _)| {
        let place = required.iter().position(|it| it == name);
        place.unwrap_or(usize::MAX)
    });
    properties
}

/// What an object is made of.
pub fn parts(schema: &Value) -> Vec<&Value> {
    match schema["allOf"].as_array() {
        Some(parts) => parts.iter().collect(),
        None => vec![schema],
    }
}

/// Data of an example, with the schema that says in which order its members are read.
#[derive(Clone, Copy)]
pub struct Example<'d> {
    document: &'d Value,
    schema: &'d Value,
    pub value: &'d Value,
}

impl<'d> Example<'d> {
    /// The example of a body, which stands beside its schema.
    pub fn new(document: &'d Value, content: &'d Value) -> Self {
        Self {
            document,
            schema: &content["schema"],
            value: &content["example"],
        }
    }

    /// The members of an object as its schema has them.
    pub fn members(self) -> Vec<(&'d str, Self)> {
        let mut found: Vec<(&str, Self)> = Vec::new();
        for (name, schema) in self.properties(self.schema) {
            let known = found.iter().any(|(it, _)| *it == name);
            if let Some(value) = self.value.get(name).filter(|_| !known) {
                found.push((
                    name,
                    Self {
                        schema,
                        value,
                        ..self
                    },
                ));
            }
        }
        let known: HashSet<_> = found.iter().map(|(name, _)| *name).collect();
        let rest = members(self.value).filter(|(name, _)| !known.contains(name.as_str()));
        let rest = rest.map(|(name, value)| {
            let schema = &Value::Null;
            (
                name.as_str(),
                Self {
                    schema,
                    value,
                    ..self
                },
            )
        });
        let rest: Vec<_> = rest.collect();
        found.extend(rest);
        found
    }

    /// The items of an array.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let alternatives = items(&self.schema["anyOf"]).chain([self.schema]);
        let mut arrays = alternatives.filter_map(|it| it.get("items"));
        let schema = arrays.next().unwrap_or(&Value::Null);
        items(self.value).map(move |value| Self {
            schema,
            value,
            ..self
        })
    }

    /// The properties of a schema, of those that it refers to, and of its alternatives.
    fn properties(self, schema: &'d Value) -> Vec<(&'d str, &'d Value)> {
        let schema = match schema_name(schema) {
            Some(name) => &self.document["components"]["schemas"][name],
            None => schema,
        };
        let own = properties(schema).into_iter();
        let own = own.map(|(name, schema)| (name.as_str(), schema));
        let within = ["allOf", "anyOf", "oneOf"].into_iter();
        let within = within.flat_map(|kind| items(&schema[kind]));
        own.chain(within.flat_map(|schema| self.properties(schema)))
            .collect()
    }
}

/// The members of an object in the document's order; none of anything else.
pub fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The items of an array; none of anything else.
pub fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text of the document, empty when there is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
