//! What the owner puts on the site, and calls from the server (CONTRACT 10).

use hato_domain::{Scope, TimeZoneOffsets};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section};
use super::load_app;
use super::revealed_key::RevealedKey;
use crate::components::{CodeBlock, FormErrorNote, PostForm};
use crate::i18n::EmbedTexts;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::sdk::Sdk;
use crate::server_fns::CreateEmbedKey;

/// Stands for a key where none can be shown.
const PLACEHOLDER: &str = "pk_…";

/// Where the reference says how a site's server makes `userToken`.
const USERS_GUIDE: &str = "/docs/api/users#getIdentity";

/// What pages do for whoever is logged in, and at log-out.
const USERS: &str = "hato.identify(userId, userToken);
await hato.forget();";

/// The page of the snippets of the app that the path names.
#[component]
pub fn EmbedPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let overview = ctx.service().overview(&access, 1, TimeZoneOffsets::UTC);
        let had_key = overview.await?.had_key;
        let new_key = RevealedKey::take(&ctx);
        let context = ctx.app_context();
        let (base_url, sdk) = (context.base_url.clone(), context.sdk.clone());
        let texts = &ctx.texts().app.embed;
        let id = app.id.to_string();
        let view = view! {
            <AppFrame app section=Section::Embed>
                <IslandAssets />
                <EmbedSection texts app=id base_url sdk had_key new_key />
            </AppFrame>
        };
        Ok(view.into_any())
    })
}

/// The snippets, filled in with the key that was just made when it belongs there.
#[component]
fn EmbedSection(
    texts: &'static EmbedTexts,
    app: String,
    base_url: String,
    sdk: Sdk,
    had_key: bool,
    new_key: Option<RevealedKey>,
) -> impl IntoView {
    let public = new_key
        .as_ref()
        .filter(|key| key.scope == Scope::SubscribeOnly);
    let key = public.map_or_else(|| PLACEHOLDER.to_owned(), |key| key.raw.clone());
    let filled = public.is_some();
    let lead = if filled { texts.filled } else { texts.lead };
    let make = (!filled).then(|| view! { <MakeKey texts app had_key /> });
    view! {
        <section class="card" id="embed">
            <h2>{texts.title}</h2>
            <p class="hint">{lead}</p>
            <FormErrorNote form="embed" />
            {make}
            <SiteParts texts base_url=base_url.clone() sdk key />
            <h3>{texts.server}</h3>
            <CodeBlock
                id="embed-server"
                label=texts.server
                text=call(texts, &base_url)
            />
        </section>
    }
    .into_any()
}

/// What goes on the site: the page's part, the worker, and the bell for those who like it.
#[component]
fn SiteParts(texts: &'static EmbedTexts, base_url: String, sdk: Sdk, key: String) -> impl IntoView {
    let folder = format!("{base_url}/sdk/{}", sdk.version);
    let script_tag = |name, integrity: &str| {
        let build = build_query(sdk.is_released, integrity);
        script_tag(&format!("{folder}/{name}{build}"), integrity)
    };
    let script = script_tag("hato.js", &sdk.page_integrity);
    let bell_script = script_tag("bell.js", &sdk.bell_integrity);
    let preferences_script = script_tag("preferences.js", &sdk.preferences_integrity);
    let pinned = if sdk.is_released {
        texts.pinned
    } else {
        texts.unreleased
    };
    view! {
        <h3>{texts.page}</h3>
        <CodeBlock id="embed-page" label=texts.page text=page(texts, &base_url, &key, &script) />
        <h3>{texts.worker}</h3>
        <CodeBlock id="embed-worker" label=texts.worker text=worker(&base_url) line=true />
        <h3>{texts.bell}</h3>
        <CodeBlock id="embed-bell" label=texts.bell text=bell(&bell_script) />
        <h3>{texts.preferences}</h3>
        <p class="hint">{texts.preferences_text}</p>
        <CodeBlock
            id="embed-preferences"
            label=texts.preferences
            text=preferences(texts, &preferences_script)
        />
        <h3>{texts.users}</h3>
        <p class="hint">{texts.users_text} " " <a href=USERS_GUIDE>{texts.users_guide}</a></p>
        <CodeBlock id="embed-users" label=texts.users text=USERS.to_owned() />
        <p class="hint">{texts.policy}</p>
        <p class="hint">{pinned} " " <code>{format!("/sdk/{}/", sdk.version)}</code></p>
    }
    .into_any()
}

/// The button that makes the snippets' key.
#[component]
fn MakeKey(texts: &'static EmbedTexts, app: String, had_key: bool) -> impl IntoView {
    let class = if had_key { "button quiet" } else { "button" };
    view! {
        <PostForm
            action=CreateEmbedKey::url()
            hidden=vec![("app", app), ("name", texts.key_name.to_owned())]
            button=texts.make_key
            button_class=class
        />
    }
    .into_any()
}

/// What tells a build's file from another's under the same path: browsers keep the files of a version without asking, and those
/// of a version that is not released differ from build to build.
fn build_query(is_released: bool, integrity: &str) -> String {
    let digest = integrity.strip_prefix("sha384-").unwrap_or(integrity);
    let plain: String = digest
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    if is_released {
        String::new()
    } else {
        format!("?{plain}")
    }
}

/// A script that the browser runs only if its bytes have this integrity value.
fn script_tag(address: &str, integrity: &str) -> String {
    format!(
        r#"<script src="{address}"
  integrity="{integrity}"
  crossorigin="anonymous"></script>"#
    )
}

fn page(texts: &EmbedTexts, base_url: &str, key: &str, script: &str) -> String {
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

/// The tags are examples of the site's own.
fn preferences(texts: &EmbedTexts, script: &str) -> String {
    let [legend, first, second] = texts.preferences_sample;
    format!(
        r#"{script}
<hato-preferences label="{legend}">
  <option value="bread">{first}</option>
  <option value="sweets">{second}</option>
</hato-preferences>"#
    )
}

fn worker(base_url: &str) -> String {
    format!(r#"importScripts("{base_url}/sdk/sw.js");"#)
}

fn call(texts: &EmbedTexts, base_url: &str) -> String {
    let body = texts.sample;
    format!(
        r#"curl {base_url}/api/v1/notify \
  -H "Authorization: Bearer {PLACEHOLDER}" \
  -d '{{"title": "Hato", "body": "{body}", "url": "https://example.com/"}}'"#
    )
}
