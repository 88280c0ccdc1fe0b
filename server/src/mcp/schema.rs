//! JSON Schemas of the wire types, each complete in itself.

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The schema of a type, with what it refers to.
pub fn for_type<T: ToSchema>() -> JsonObject {
    let mut parts = Vec::new();
    T::schemas(&mut parts);
    let mut schema = value(&T::schema());
    // The protocol wants it said even where a composition says it.
    schema["type"] = "object".into();
    let parts: JsonObject = parts
        .iter()
        .map(|(name, part)| (name.clone(), value(part)))
        .collect();
    if !parts.is_empty() {
        schema["$defs"] = parts.into();
    }
    object(schema)
}

/// The schema of `{items: […]}`, which is how a list travels as structured content.
pub fn for_list<T: ToSchema>() -> JsonObject {
    let mut item = for_type::<T>();
    let definitions = item.remove("$defs");
    let mut schema = json!({
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}},
        "required": ["items"],
    });
    if let Some(definitions) = definitions {
        schema["$defs"] = definitions;
    }
    object(schema)
}

/// The schema of no arguments.
pub fn empty() -> JsonObject {
    object(json!({"type": "object", "properties": {}}))
}

/// Below `$defs` instead of a document's components.
fn value(schema: &impl serde::Serialize) -> Value {
    let mut value = serde_json::to_value(schema).expect("a schema is plain data");
    refer_to_definitions(&mut value);
    value
}

fn refer_to_definitions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref") {
                *target = target.replace("#/components/schemas/", "#/$defs/");
            }
            members.values_mut().for_each(refer_to_definitions);
        }
        Value::Array(items) => items.iter_mut().for_each(refer_to_definitions),
        _ => {}
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}
