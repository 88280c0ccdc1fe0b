//! A labelled field of a form.

use hato_domain::ErrorCode;
use html_escape::encode_text;
use leptos::prelude::*;

use crate::request_context::RequestContext;
use crate::wrong_text::WrongText;

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

    const fn is_password(self) -> bool {
        matches!(self, Self::Password | Self::NewPassword)
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

/// What is wrong with a field, and what would be: the texts that stand below it.
#[derive(Clone, Default)]
struct FieldTexts {
    /// Said where nothing is typed that must not be empty.
    empty: Option<&'static str>,
    /// Said of a text that is not of the field's kind.
    wrong: Option<String>,
    /// Why the form was refused, as far as it is about the field.
    refusal: Option<FieldRefusal>,
}

/// Where it is said what was wrong with a field.
#[derive(Clone)]
enum FieldRefusal {
    BelowField(String),
    InFormNote,
}

impl FieldRefusal {
    fn below_field(&self) -> Option<String> {
        match self {
            Self::BelowField(text) => Some(text.clone()),
            Self::InFormNote => None,
        }
    }
}

impl FieldTexts {
    fn new(
        (form, row, name): (&str, Option<&str>, &str),
        kind: FieldKind,
        value: &str,
        required: bool,
    ) -> Self {
        let ctx = RequestContext::current();
        let texts = &ctx.texts().site;
        let empty = required.then_some(texts.field_empty);
        let wrong = match kind {
            FieldKind::Text | FieldKind::Multiline | FieldKind::Password => None,
            FieldKind::Email => Some(texts.field_email.to_owned()),
            FieldKind::Url => Some(texts.field_url.to_owned()),
            FieldKind::Number(smallest, largest) => Some((texts.field_number)(smallest, largest)),
            FieldKind::NewPassword => Some(texts.field_password.to_owned()),
        };
        let is_empty = !kind.is_password() && value.trim().is_empty();
        let below_field = |text: &str| FieldRefusal::BelowField(text.to_owned());
        let code = match row {
            None => ctx.form_refusal(form),
            Some(row) => ctx.row_refusal(form, row),
        };
        let refusal = match (code, kind) {
            (Some(ErrorCode::MissingFields), _) if is_empty => empty.map(below_field),
            (Some(ErrorCode::InvalidEmail), FieldKind::Email)
            | (Some(ErrorCode::InvalidUrl), FieldKind::Url)
            | (Some(ErrorCode::InvalidInput), FieldKind::NewPassword) => {
                wrong.as_deref().map(below_field)
            }
            (Some(ErrorCode::EmailInUse), FieldKind::Email)
            | (Some(ErrorCode::InvalidCredentials), FieldKind::Email | FieldKind::Password) => {
                Some(FieldRefusal::InFormNote)
            }
            _ => None,
        };
        let marked = ctx.wrong_field(form, name).map(|field| {
            let unfilled = empty.filter(|_| is_empty);
            let text = field.text.or(unfilled).or(wrong.as_deref());
            text.map_or(FieldRefusal::InFormNote, below_field)
        });
        Self {
            empty,
            refusal: refusal.or(marked),
            wrong,
        }
    }
}

/// A field with its label, and a hint that is read with it. Its id is made of `form`, `row` and `name`. What is wrong with it is said below
/// it, here for a form that was refused, and before it is sent by `app/scripts/forms.js`.
#[component]
pub fn Field(
    /// Unique on the page, but for `row`.
    form: &'static str,
    /// The id of what the form is about, where each row of the page has one.
    #[prop(optional, into)]
    row: Option<String>,
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
    let id = match &row {
        None => format!("{form}-{name}"),
        Some(row) => format!("{form}-{row}-{name}"),
    };
    let (hint_id, wrong_id) = (format!("{id}-hint"), format!("{id}-wrong"));
    let place = (form, row.as_deref(), name);
    let texts = FieldTexts::new(place, kind, &value, !optional);
    let said = texts.refusal.as_ref().and_then(FieldRefusal::below_field);
    let described = [hint.map(|_| &*hint_id), said.as_ref().map(|_| &*wrong_id)];
    let described = described
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let attributes = ControlAttributes {
        id: id.clone(),
        name,
        kind,
        value,
        required: !optional,
        max,
        described: Some(described).filter(|ids| !ids.is_empty()),
        texts,
    };
    let hint = hint.map(|hint| {
        view! {
            <p class="hint" id=hint_id>
                {hint}
            </p>
        }
    });
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <Control attributes />
            {hint}
            <WrongText id=wrong_id text=said />
        </div>
    }
    .into_any()
}

/// What the element has that something is typed into.
struct ControlAttributes {
    id: String,
    name: &'static str,
    kind: FieldKind,
    value: String,
    required: bool,
    max: Option<u16>,
    /// The ids of what is read with it.
    described: Option<String>,
    texts: FieldTexts,
}

#[component]
fn Control(attributes: ControlAttributes) -> impl IntoView {
    let it = attributes;
    let invalid = it.texts.refusal.is_some().then_some("true");
    if it.kind == FieldKind::Multiline {
        return view! {
            <textarea
                id=it.id
                name=it.name
                rows="3"
                dir="auto"
                required=it.required
                aria-describedby=it.described
                aria-invalid=invalid
                data-empty=it.texts.empty
            >
                {textarea_content(&it.value)}
            </textarea>
        }
        .into_any();
    }
    let kind = it.kind;
    let range = kind.range();
    let shows = kind
        .is_password()
        .then(|| view! { <ShowPassword field=it.id.clone() /> });
    view! {
        <input
            id=it.id
            name=it.name
            type=kind.input_type()
            dir=(kind == FieldKind::Text).then_some("auto")
            autocomplete=kind.autocomplete()
            value=it.value
            required=it.required
            maxlength=it.max
            min=range.map(|(smallest, _)| smallest)
            max=range.map(|(_, largest)| largest)
            minlength=(kind == FieldKind::NewPassword).then_some("8")
            pattern=(kind == FieldKind::Url).then_some("https://.*")
            aria-describedby=it.described
            aria-invalid=invalid
            data-empty=it.texts.empty
            data-wrong=it.texts.wrong
        />
        {shows}
    }
    .into_any()
}

/// The button that shows what is typed as a password, which takes scripts (`app/scripts/passwords.js`).
#[component]
fn ShowPassword(field: String) -> impl IntoView {
    let texts = &RequestContext::current().texts().site;
    view! {
        <button
            type="button"
            class="show-password"
            aria-controls=field
            aria-label=texts.show_password
            aria-pressed="false"
            hidden
        >
            {texts.show}
        </button>
    }
    .into_any()
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
