//! The app's VAPID public key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use leptos::prelude::*;

use crate::components::CodeBlock;
use crate::i18n::App;

/// The key in base64url, as browsers take it (CONTRACT 4).
#[component]
pub fn PublicKey(texts: &'static App, key: Vec<u8>) -> impl IntoView {
    view! {
        <section class="card" id="public-key">
            <h2>{texts.public_key}</h2>
            <p class="hint">{texts.public_key_text}</p>
            <CodeBlock
                id="vapid-public-key"
                label=texts.public_key
                text=URL_SAFE_NO_PAD.encode(key)
                line=true
            />
        </section>
    }
    .into_any()
}
