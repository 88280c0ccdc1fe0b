//! What the owner puts on the site, and calls from the server (CONTRACT 10).

use hato_domain::Scope;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::NewKey;
use crate::calls::CreateKey;
use crate::components::CodeBlock;
use crate::i18n::{App, Embed};

/// Stands for a key where none can be shown.
const PLACEHOLDER: &str = "pk_…";

/// The id of the form that makes the snippets' key.
const EMBED_KEY: &str = "embed-key";

/// The snippets, filled in with the key that was just made when it belongs there.
#[component]
pub fn EmbedSection(
    texts: &'static App,
    base_url: String,
    sdk_version: String,
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
            <h3>{texts.page}</h3>
            <CodeBlock id="embed-page" label=texts.page text=page(texts, &base_url, &raw(public)) />
            <h3>{texts.worker}</h3>
            <CodeBlock id="embed-worker" label=texts.worker text=worker(&base_url) line=true />
            <p class="hint">{texts.policy}</p>
            <p class="hint">{texts.pinned} " " <code>{format!("/sdk/{sdk_version}/")}</code></p>
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

fn page(texts: &Embed, base_url: &str, key: &str) -> String {
    let button = texts.button;
    format!(
        r#"<button id="hato-subscribe">{button}</button>
<script src="{base_url}/sdk/hato.js"></script>
<script>
  hato.init({{ baseUrl: "{base_url}", appKey: "{key}" }});
  document.getElementById("hato-subscribe")
    .addEventListener("click", () => hato.subscribe());
</script>"#
    )
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
