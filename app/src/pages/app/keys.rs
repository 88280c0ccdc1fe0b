//! The app's API keys.

use hato_domain::Scope;
use hato_service::ports::KeyRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::NewKey;
use super::embed::EmbedKeyForm;
use crate::calls::{CreateKey, Typed};
use crate::components::{CodeBlock, Field, Kind, Note, RefusalNote, Tone};
use crate::i18n::{App, Keys};

/// The new key if there is one, the list, and the form that makes another.
#[component]
pub fn KeysSection(
    texts: &'static App,
    app: String,
    keys: Vec<KeyRecord>,
    typed: Typed,
    new_key: Option<NewKey>,
) -> impl IntoView {
    let (texts, embed) = (&texts.keys, &texts.embed);
    let none = keys
        .is_empty()
        .then(|| view! { <p class="empty">{texts.empty}</p> });
    let keys = keys.into_iter().map(|key| view! { <KeyItem texts key /> });
    view! {
        <section class="card" id="keys">
            <h2>{texts.title}</h2>
            <p class="hint">{texts.lead}</p>
            {new_key.map(|new_key| view! { <NewKeyNote texts new_key /> })}
            {none}
            <ul class="keys">{keys.collect_view()}</ul>
            <RefusalNote form="keys" />
            <form method="post" action=CreateKey::url()>
                <input type="hidden" name="app" value=app.clone() />
                <Field
                    form="keys"
                    name="name"
                    kind=Kind::Line
                    label=texts.name
                    value=typed.of("key_name")
                    max=100
                />
                <ScopeChoice texts chosen=typed.of("key_scope") />
                <button type="submit" class="button quiet">
                    {texts.create}
                </button>
            </form>
            <EmbedKeyForm texts=embed app />
        </section>
    }
    .into_any()
}

#[component]
fn NewKeyNote(texts: &'static Keys, new_key: NewKey) -> impl IntoView {
    let secret = new_key.scope > Scope::SubscribeOnly;
    view! {
        <div class="letter" id="new-key" role="status">
            <h3>{texts.new_title}</h3>
            <p>{texts.new_warning}</p>
            <CodeBlock id="raw-key" label=texts.new_title text=new_key.raw line=true />
            {secret
                .then(|| {
                    view! {
                        <Note tone=Tone::Mind>
                            <p>{texts.new_secret}</p>
                        </Note>
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn KeyItem(texts: &'static Keys, key: KeyRecord) -> impl IntoView {
    let used = key.last_used_at.map_or_else(
        || texts.never.to_owned(),
        |at| format!("{} UTC", at.to_minute()),
    );
    view! {
        <li>
            <b>{key.name}</b>
            <code class=format!("scope {}", key.scope.as_str())>{key.scope.as_str()}</code>
            <span class="hint">{texts.last_used} " " {used}</span>
        </li>
    }
    .into_any()
}

#[component]
fn ScopeChoice(texts: &'static Keys, chosen: String) -> impl IntoView {
    let chosen = Scope::parse(&chosen).unwrap_or(Scope::SubscribeOnly);
    let choice = |scope: Scope| {
        view! {
            <label class="choice">
                <input type="radio" name="scope" value=scope.as_str() checked={scope == chosen} />
                <span>
                    <code>{scope.as_str()}</code>
                    " "
                    <small>{texts.purpose(scope)}</small>
                </span>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend>{texts.scope}</legend>
            {Scope::ALL.map(choice)}
        </fieldset>
    }
    .into_any()
}
