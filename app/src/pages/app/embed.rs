//! What the owner puts on the site, and calls from the server (CONTRACT 10).

use hato_domain::Scope;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::NewKey;
use crate::calls::CreateKey;
use crate::components::CodeBlock;
use crate::i18n::{App, Embed};
use crate::sdk::Sdk;

/// Stands for a key where none can be shown.
const PLACEHOLDER: &str = "pk_…";

/// The id of the form that makes the snippets' key.
const EMBED_KEY: &str = "embed-key";

/// The snippets, filled in with the key that was just made when it belongs there.
#[component]
pub fn EmbedSection(
    texts: &'static App,
    base_url: String,
    sdk: Sdk,
    has_key: bool,
    new_key: Option<NewKey>,
) -> impl IntoView {
    let texts = &texts.embed;
    let public = new_key
        .as_ref()
        .filter(|key| key.scope == Scope::SubscribeOnly);
    let secret = new_key
        .as_ref()
        .filter(|key| key.scope > Scope::SubscribeOnly);
    let raw =
        |key: Option<&NewKey>| key.map_or_else(|| PLACEHOLDER.to_owned(), |key| key.raw.clone());
    let filled = public.is_some();
    let lead = if filled { texts.filled } else { texts.lead };
    let make = (!filled).then(|| view! { <MakeKey texts has_key /> });
    view! {
        <section class="card" id="embed">
            <h2>{texts.title}</h2>
            <p class="hint">{lead}</p>
            {make}
            <SiteParts texts base_url=base_url.clone() sdk key=raw(public) />
            <h3>{texts.server}</h3>
            <CodeBlock
                id="embed-server"
                label=texts.server
                text=call(texts, &base_url, &raw(secret))
            />
        </section>
    }
    .into_any()
}

/// What goes on the site: the page's part, the worker, and the bell for those who like it.
#[component]
fn SiteParts(texts: &'static Embed, base_url: String, sdk: Sdk, key: String) -> impl IntoView {
    let folder = format!("{base_url}/sdk/{}", sdk.version);
    let script = loaded(&folder, "hato.js", &sdk.page_integrity);
    let bell_script = loaded(&folder, "bell.js", &sdk.bell_integrity);
    view! {
        <h3>{texts.page}</h3>
        <CodeBlock id="embed-page" label=texts.page text=page(texts, &base_url, &key, &script) />
        <h3>{texts.worker}</h3>
        <CodeBlock id="embed-worker" label=texts.worker text=worker(&base_url) line=true />
        <h3>{texts.bell}</h3>
        <CodeBlock id="embed-bell" label=texts.bell text=bell(&bell_script) />
        <p class="hint">{texts.policy}</p>
        <p class="hint">{texts.pinned} " " <code>{format!("/sdk/{}/", sdk.version)}</code></p>
    }
    .into_any()
}

/// The button that makes the snippets' key; its form stands among the keys ([`EmbedKeyForm`]).
#[component]
fn MakeKey(texts: &'static Embed, has_key: bool) -> impl IntoView {
    let class = if has_key { "button quiet" } else { "button" };
    view! {
        <p>
            <button type="submit" form=EMBED_KEY class=class>
                {texts.make_key}
            </button>
        </p>
    }
    .into_any()
}

/// What the button of the snippets submits.
#[component]
pub fn EmbedKeyForm(texts: &'static Embed, app: String) -> impl IntoView {
    view! {
        <form id=EMBED_KEY method="post" action=CreateKey::url() hidden>
            <input type="hidden" name="app" value=app />
            <input type="hidden" name="name" value=texts.key_name />
            <input type="hidden" name="scope" value=Scope::SubscribeOnly.as_str() />
        </form>
    }
    .into_any()
}

/// A script that the browser runs only if it is byte for byte what was released.
fn loaded(folder: &str, name: &str, integrity: &str) -> String {
    format!(
        r#"<script src="{folder}/{name}"
  integrity="{integrity}"
  crossorigin="anonymous"></script>"#
    )
}

fn page(texts: &Embed, base_url: &str, key: &str, script: &str) -> String {
    let button = texts.button;
    format!(
        r#"<button id="hato-subscribe">{button}</button>
{script}
<script>
  hato.init({{ baseUrl: "{base_url}", appKey: "{key}" }});
  document.getElementById("hato-subscribe")
    .addEventListener("click", () => hato.subscribe());
</script>"#
    )
}

/// Below the page's script, which it works with.
fn bell(script: &str) -> String {
    format!("{script}\n<hato-bell></hato-bell>")
}

fn worker(base_url: &str) -> String {
    format!(r#"importScripts("{base_url}/sdk/sw.js");"#)
}

fn call(texts: &Embed, base_url: &str, key: &str) -> String {
    let body = texts.sample;
    format!(
        r#"curl {base_url}/api/v1/notify \
  -H "Authorization: Bearer {key}" \
  -d '{{"title": "Hato", "body": "{body}", "url": "https://example.com/"}}'"#
    )
}
