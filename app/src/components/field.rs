//! A labelled field of a form.

use html_escape::encode_text;
use leptos::prelude::*;

/// What is typed into a field, which decides how browsers check it and fill it in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Multiline,
    Email,
    /// A URL that starts with `https://`.
    Url,
    /// A whole number from the first to the second.
    Number(u32, u32),
    /// The password that the account has.
    Password,
    /// A password to be chosen.
    NewPassword,
}

impl FieldKind {
    const fn input_type(self) -> &'static str {
        match self {
            Self::Text | Self::Multiline => "text",
            Self::Email => "email",
            Self::Url => "url",
            Self::Number(..) => "number",
            Self::Password | Self::NewPassword => "password",
        }
    }

    /// The smallest and the largest number.
    const fn range(self) -> Option<(u32, u32)> {
        match self {
            Self::Number(smallest, largest) => Some((smallest, largest)),
            _ => None,
        }
    }

    const fn autocomplete(self) -> &'static str {
        match self {
            Self::Text | Self::Multiline | Self::Url | Self::Number(..) => "off",
            Self::Email => "username",
            Self::Password => "current-password",
            Self::NewPassword => "new-password",
        }
    }
}

/// A field with its label, and a hint that is read with it. Its id is made of `form` and `name`.
#[component]
pub fn Field(
    /// Unique on the page.
    form: &'static str,
    name: &'static str,
    kind: FieldKind,
    label: &'static str,
    #[prop(optional)] hint: Option<&'static str>,
    #[prop(optional)] value: String,
    #[prop(optional)] optional: bool,
    /// The longest text, in characters.
    #[prop(optional)]
    max: Option<u16>,
) -> impl IntoView {
    let id = format!("{form}-{name}");
    let hint_id = format!("{id}-hint");
    let described = hint.map(|_| hint_id.clone());
    let control = if kind == FieldKind::Multiline {
        view! {
            <textarea
                id=id.clone()
                name=name
                rows="3"
                required=!optional
                aria-describedby=described
            >
                {textarea_content(&value)}
            </textarea>
        }
        .into_any()
    } else {
        let id = id.clone();
        view! { <Input id name kind value required=!optional max described /> }.into_any()
    };
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {control}
            {hint
                .map(|hint| {
                    view! {
                        <p class="hint" id=hint_id>
                            {hint}
                        </p>
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn Input(
    id: String,
    name: &'static str,
    kind: FieldKind,
    value: String,
    required: bool,
    max: Option<u16>,
    described: Option<String>,
) -> impl IntoView {
    view! {
        <input
            id=id
            name=name
            type=kind.input_type()
            autocomplete=kind.autocomplete()
            value=value
            required=required
            maxlength=max
            min=kind.range().map(|(smallest, _)| smallest)
            max=kind.range().map(|(_, largest)| largest)
            minlength=(kind == FieldKind::NewPassword).then_some("8")
            pattern=(kind == FieldKind::Url).then_some("https://.*")
            aria-describedby=described
        />
    }
}

/// A text as the content of a `textarea`, whose first line break does not count (WHATWG HTML §13.1.2.5). It is escaped here,
/// for Leptos writes the children of this element as they are.
pub fn textarea_content(text: &str) -> String {
    let first = if text.starts_with(['\r', '\n']) {
        "\n"
    } else {
        ""
    };
    format!("{first}{}", encode_text(text))
}
