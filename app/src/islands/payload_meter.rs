//! How much of the room for a notification the send form uses, while it is being written.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlFormElement};

use crate::grouped::grouped;

/// The members of the payload that are always there, and those that are left out when empty (CONTRACT 7).
const MEMBERS: [(&str, bool); 5] = [
    ("title", true),
    ("body", true),
    ("icon", false),
    ("badge", false),
    ("url", false),
];

/// Shows the size of the payload that the form around it would send.
#[island]
pub fn PayloadMeter(
    /// The most bytes of a payload.
    limit: usize,
    /// Labels the size.
    label: String,
    /// The unit.
    unit: String,
    /// The form's fields.
    children: Children,
) -> impl IntoView {
    let size = RwSignal::new(None);
    let fields = NodeRef::<leptos::html::Div>::new();
    let measure = move || size.set(fields.get_untracked().and_then(|div| size_of(&div)));
    Effect::new(move |_| measure());
    let used = move || size.get().unwrap_or_default();
    view! {
        <div class="fields" node_ref=fields on:input=move |_| measure()>
            {children()}
        </div>
        <p class="size" class:over=move || limit < used() hidden=move || size.get().is_none()>
            <span>{label}</span>
            <meter min="0" max=limit high=limit * 9 / 10 value=used aria-hidden="true"></meter>
            <output>{move || format!("{} / {} {unit}", shown(used()), shown(limit))}</output>
        </p>
    }
}

fn shown(bytes: usize) -> String {
    grouped(i64::try_from(bytes).unwrap_or(i64::MAX))
}

fn size_of(fields: &web_sys::HtmlDivElement) -> Option<usize> {
    let form = fields.closest("form").ok()??;
    let data = FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok()?;
    let field = |name: &str| data.get(name).as_string().unwrap_or_default();
    Some(payload_bytes(field))
}

/// Bytes of the payload's JSON, from the text of each field.
fn payload_bytes(field: impl Fn(&str) -> String) -> usize {
    let members: Vec<usize> = MEMBERS
        .iter()
        .map(|(name, always)| (name, always, field(name)))
        .filter(|(_, always, text)| **always || !text.is_empty())
        .map(|(name, _, text)| r#""":"""#.len() + name.len() + escaped_bytes(&text))
        .collect();
    let braces_and_commas = 1 + members.len();
    members.iter().sum::<usize>() + braces_and_commas
}

/// Bytes of a text within a JSON string (RFC 8259 §7), in the shortest form.
fn escaped_bytes(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            _ => c.len_utf8(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::payload_bytes;
    use hato_domain::notification::Links;
    use hato_domain::{HttpsUrl, Notification};

    const URL: &str = "https://example.com/?a=\"b\"";

    #[test]
    fn the_size_is_that_of_the_payload() {
        for (title, body, url) in [
            ("", "", None),
            ("題", "本文\n\"引用\"\\\t\u{1}\u{7f}🕊", None),
            ("t", "b", Some(URL)),
        ] {
            let links = Links {
                url: url.map(|url| HttpsUrl::parse(url).expect("a link")),
                ..Links::default()
            };
            let sent = Notification::new(title.into(), body.into(), links).expect("small");
            let field = |name: &str| match name {
                "title" => title.to_owned(),
                "body" => body.to_owned(),
                "url" => url.unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            assert_eq!(payload_bytes(field), sent.payload().len(), "{title} {body}");
        }
    }
}
