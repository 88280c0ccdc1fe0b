//! A notification while it is being written: how it will look, and how much of the room for it is used.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use serde::{Deserialize, Serialize};
use web_sys::{FormData, HtmlDivElement, HtmlFormElement};

use super::{PreviewTabs, PreviewTexts};
use crate::thousands::group_thousands;

/// The members of the payload that are always there, and those that are left out when empty (CONTRACT 7).
const MEMBERS: [(&str, bool); 5] = [
    ("title", true),
    ("body", true),
    ("icon", false),
    ("badge", false),
    ("url", false),
];

/// The form as it stands, and the size of its payload in bytes.
#[derive(Clone, Copy)]
struct DraftSignals {
    size: RwSignal<Option<usize>>,
    title: RwSignal<String>,
    body: RwSignal<String>,
    /// Read when its field is left: each letter would be another image to load.
    icon: RwSignal<String>,
    /// The same.
    badge: RwSignal<String>,
    /// What is wrong with the icon.
    icon_problem: RwSignal<Option<IconProblem>>,
}

/// Why no icon is shown, though one is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IconProblem {
    /// Its address does not start with `https://`.
    Insecure,
    /// There is no image at its address.
    Broken,
}

/// The sentence for each [`IconProblem`].
#[derive(Clone, Serialize, Deserialize)]
pub struct IconTexts {
    /// Shown for [`IconProblem::Insecure`].
    pub insecure: String,
    /// Shown for [`IconProblem::Broken`].
    pub broken: String,
}

/// What stands in the preview until something is written.
#[derive(Clone, Serialize, Deserialize)]
pub struct Samples {
    /// The title of an example.
    pub title: String,
    /// The text of an example.
    pub body: String,
    /// Whom browsers name as the sender.
    pub site: String,
}

/// Shows how the notification of the form around it would look, and its size.
#[island]
pub fn Composer(
    /// The most bytes of a payload.
    limit: usize,
    /// The text beside the payload's size.
    label: String,
    /// The unit of the size, in words.
    unit: String,
    /// What is said around the previews.
    preview: PreviewTexts,
    /// Fill the preview while nothing is written.
    samples: Samples,
    /// What is said of an icon that cannot be shown.
    icon_texts: IconTexts,
    /// Title, body, icon and badge as they stand in the form.
    written: [String; 4],
    /// The fields of the form, which the preview and the size follow as somebody types.
    children: Children,
) -> impl IntoView {
    let draft = DraftSignals::new(written);
    // Without scripts an example would stay, whatever is written.
    let is_awake = RwSignal::new(false);
    let fields = NodeRef::<leptos::html::Div>::new();
    let read = move |part: fn(DraftSignals, &HtmlDivElement)| {
        if let Some(fields) = fields.get_untracked() {
            part(draft, &fields);
        }
    };
    Effect::new(move |_| {
        is_awake.set(true);
        read(DraftSignals::read);
        read(DraftSignals::read_images);
    });
    let Samples { title, body, site } = samples;
    let is_blank = move || draft.title.get().is_empty() && draft.body.get().is_empty();
    let title = Signal::derive(move || {
        if is_blank() {
            title.clone()
        } else {
            draft.title.get()
        }
    });
    let body = Signal::derive(move || {
        if is_blank() {
            body.clone()
        } else {
            draft.body.get()
        }
    });
    let icon_problem = move || match draft.icon_problem.get() {
        None => String::new(),
        Some(IconProblem::Insecure) => icon_texts.insecure.clone(),
        Some(IconProblem::Broken) => icon_texts.broken.clone(),
    };
    let is_broken = Callback::new(move |()| draft.icon_problem.set(Some(IconProblem::Broken)));
    let used = move || draft.size.get().unwrap_or_default();
    view! {
        <div
            class="fields"
            node_ref=fields
            on:input=move |_| read(DraftSignals::read)
            on:change=move |_| read(DraftSignals::read_images)
        >
            {children()}
        </div>
        <p class="size" class:over=move || limit < used() hidden=move || draft.size.get().is_none()>
            <span>{label}</span>
            <meter min="0" max=limit high={limit * 9 / 10} value=used aria-hidden="true"></meter>
            <output>
                {move || format!("{} / {} {unit}", format_bytes(used()), format_bytes(limit))}
            </output>
        </p>
        <div class="preview" class:asleep=move || is_blank() && !is_awake.get()>
            <PreviewTabs
                texts=preview
                title
                body
                icon=draft.icon
                badge=draft.badge
                site
                on_broken_icon=is_broken
            />
            <p class="icon-problem" role="status">
                {icon_problem}
            </p>
        </div>
    }
}

impl DraftSignals {
    fn new([title, body, icon, badge]: [String; 4]) -> Self {
        Self {
            size: RwSignal::new(None),
            title: RwSignal::new(title),
            body: RwSignal::new(body),
            icon: RwSignal::new(displayable(&icon)),
            badge: RwSignal::new(displayable(&badge)),
            icon_problem: RwSignal::new(None),
        }
    }

    fn read(self, fields: &HtmlDivElement) {
        let Some(form) = form_around(fields) else {
            return;
        };
        self.size
            .set(Some(payload_bytes(|name| chosen_or_typed(&form, name))));
        self.title.set(field(&form, "title"));
        self.body.set(field(&form, "body"));
    }

    fn read_images(self, fields: &HtmlDivElement) {
        let form = form_around(fields);
        let url = |name| form.as_ref().map(|form| chosen_or_typed(form, name));
        self.badge
            .set(displayable(&url("badge").unwrap_or_default()));
        let icon = url("icon").unwrap_or_default();
        let shown = displayable(&icon);
        if !shown.is_empty() && shown == self.icon.get_untracked() {
            // The same image: what is known of it still holds.
            return;
        }
        let is_insecure = shown.is_empty() && !icon.trim().is_empty();
        self.icon_problem
            .set(is_insecure.then_some(IconProblem::Insecure));
        self.icon.set(shown);
    }
}

/// The address of an icon or a badge, if it can be shown.
fn displayable(url: &str) -> String {
    if url.starts_with("https://") {
        url.to_owned()
    } else {
        String::new()
    }
}

fn form_around(fields: &HtmlDivElement) -> Option<FormData> {
    let form = fields.closest("form").ok()??;
    FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok()
}

fn field(form: &FormData, name: &str) -> String {
    form.get(name).as_string().unwrap_or_default()
}

/// The text of a field, or in its place the address of the uploaded picture that was chosen.
fn chosen_or_typed(form: &FormData, name: &str) -> String {
    match field(form, &format!("{name}_choice")) {
        choice if choice.is_empty() => field(form, name),
        choice => choice,
    }
}

/// The host of an `https://` URL; nothing for anything else.
pub fn host(url: &str) -> String {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest[..end].to_owned()
}

fn format_bytes(bytes: usize) -> String {
    group_thousands(i64::try_from(bytes).unwrap_or(i64::MAX))
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
    use super::{host, payload_bytes};
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

    #[test]
    fn the_site_is_the_links_host() {
        for (url, site) in [
            ("https://example.com/a?b", "example.com"),
            ("https://example.com", "example.com"),
            ("http://example.com/", ""),
            ("", ""),
        ] {
            assert_eq!(host(url), site, "{url}");
        }
    }
}
