//! Plain data as programs write it.

use serde_json::Value;

use super::document::Example;

/// Data that is no longer than this is on one line.
const LINE: usize = 46;

/// How a language writes plain data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Json,
    JavaScript,
    Python,
}

/// The data `depth` steps into a program.
pub fn literal(data: Example, notation: Notation, depth: usize) -> String {
    let on_one_line = notation.line(data);
    if on_one_line.chars().count() <= LINE {
        return on_one_line;
    }
    let step = " ".repeat(if notation == Notation::Python { 4 } else { 2 });
    let (inner, outer) = (step.repeat(depth + 1), step.repeat(depth));
    let ([open, close], parts): (_, Vec<_>) = match data.value {
        Value::Array(_) => {
            let item = |item| literal(item, notation, depth + 1);
            (['[', ']'], data.items().map(item).collect())
        }
        Value::Object(_) => {
            let member = |(name, member): (&str, Example)| {
                let member = literal(member, notation, depth + 1);
                format!("{}: {member}", notation.name(name))
            };
            (['{', '}'], data.members().into_iter().map(member).collect())
        }
        _ => return on_one_line,
    };
    let last = if notation == Notation::Json { "" } else { "," };
    let parts = parts.join(&format!(",\n{inner}"));
    format!("{open}\n{inner}{parts}{last}\n{outer}{close}")
}

impl Notation {
    /// Writes the data on one line, as the notation's language has it.
    pub fn line(self, data: Example) -> String {
        match (data.value, self) {
            (Value::Null, Self::Python) => "None".to_owned(),
            (Value::Bool(true), Self::Python) => "True".to_owned(),
            (Value::Bool(false), Self::Python) => "False".to_owned(),
            (Value::Array(_), _) => {
                let items: Vec<_> = data.items().map(|item| self.line(item)).collect();
                format!("[{}]", items.join(", "))
            }
            (Value::Object(members), _) if members.is_empty() => "{}".to_owned(),
            (Value::Object(_), _) => {
                let member = |(name, member): (&str, Example)| {
                    format!("{}: {}", self.name(name), self.line(member))
                };
                let members: Vec<_> = data.members().into_iter().map(member).collect();
                match self {
                    Self::JavaScript => format!("{{ {} }}", members.join(", ")),
                    Self::Json | Self::Python => format!("{{{}}}", members.join(", ")),
                }
            }
            // Both languages read the texts of JSON, escapes and all.
            (scalar, _) => scalar.to_string(),
        }
    }

    fn name(self, name: &str) -> String {
        let is_word = |it: char| it.is_ascii_alphabetic() || it == '_';
        if self == Self::JavaScript && name.chars().all(is_word) {
            return name.to_owned();
        }
        Value::from(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::document::Example;
    use super::{Notation, literal};

    fn written(value: &Value, notation: Notation, depth: usize) -> String {
        let content = json!({"example": value, "schema": {"$ref": "#/components/schemas/Shop"}});
        let text = json!({"type": "string"});
        let schema = json!({"required": ["name"], "properties": {"address": text, "name": text}});
        let document = json!({"components": {"schemas": {"Shop": schema}}});
        literal(Example::new(&document, &content), notation, depth)
    }

    #[test]
    fn what_fits_is_on_one_line_with_what_has_to_be_there_first() {
        let value = json!({"address": null, "name": "My shop", "z-9": 1});
        for (notation, text) in [
            (
                Notation::Json,
                r#"{"name": "My shop", "address": null, "z-9": 1}"#,
            ),
            (
                Notation::JavaScript,
                r#"{ name: "My shop", address: null, "z-9": 1 }"#,
            ),
            (
                Notation::Python,
                r#"{"name": "My shop", "address": None, "z-9": 1}"#,
            ),
        ] {
            assert_eq!(written(&value, notation, 3), text);
        }
    }

    #[test]
    fn what_is_longer_has_a_line_for_each_part() {
        let value =
            json!({"items": [{"endpoint": "https://push.example.com/abc", "x-y": true}, []]});
        let written = |notation, depth| written(&value, notation, depth);
        let javascript = "{\n    items: [\n      {\n        endpoint: \"https://push.example.com/abc\",\n        \
             \"x-y\": true,\n      },\n      [],\n    ],\n  }";
        assert_eq!(written(Notation::JavaScript, 1), javascript);
        let json = "{\n  \"items\": [\n    {\n      \"endpoint\": \"https://push.example.com/abc\",\n      \
             \"x-y\": true\n    },\n    []\n  ]\n}";
        assert_eq!(written(Notation::Json, 0), json);
        let python = "{\n    \"items\": [\n        {\n            \"endpoint\": \"https://push.example.com/abc\",\n            \
             \"x-y\": True,\n        },\n        [],\n    ],\n}";
        assert_eq!(written(Notation::Python, 0), python);
    }
}
