//! Trying an app out in the owner's own browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_service::ports::AppRecord;
use leptos::prelude::*;

use crate::components::Logo;
use crate::i18n::{self, message};
use crate::islands::{PushTexts, REFUSALS, SendToMe, ThisBrowser};
use crate::language::Lang;
use crate::request_context::RequestContext;

/// Subscribing this browser, and a test for it.
#[component]
pub fn TryItOut(
    ctx: RequestContext,
    app: AppRecord,
    /// Whether the app has never sent: a dove flies over the page when its first notification is shown.
    is_first: bool,
) -> impl IntoView {
    let texts = &ctx.texts().app.this_browser;
    let dove = is_first.then(|| {
        view! {
            <div class="dove" aria-hidden="true">
                <Logo />
            </div>
        }
    });
    view! {
        <section class="card try" id="this-browser">
            <h2>{texts.title}</h2>
            <p class="hint">{texts.text}</p>
            <ThisBrowser
                app=app.id.to_string()
                public_key=URL_SAFE_NO_PAD.encode(&app.vapid_public_key)
                texts=push_texts(texts, ctx.lang())
            />
            {dove}
            <noscript>
                <p>{texts.needs_scripts}</p>
            </noscript>
        </section>
    }
    .into_any()
}

/// The button that sends what is being written to this browser first.
#[component]
pub fn SendToMeFirst(ctx: RequestContext, app: AppRecord) -> impl IntoView {
    let texts = &ctx.texts().app.this_browser;
    view! {
        <SendToMe
            app=app.id.to_string()
            public_key=URL_SAFE_NO_PAD.encode(&app.vapid_public_key)
            label=texts.to_me_first.to_owned()
            texts=push_texts(texts, ctx.lang())
        />
    }
    .into_any()
}

fn push_texts(texts: &i18n::ThisBrowserTexts, lang: Lang) -> PushTexts {
    PushTexts {
        subscribe: texts.subscribe.to_owned(),
        test: texts.test.to_owned(),
        unsubscribe: texts.unsubscribe.to_owned(),
        checking: texts.checking.to_owned(),
        unsubscribed: texts.unsubscribed.to_owned(),
        subscribed: texts.subscribed.to_owned(),
        insecure: texts.insecure.to_owned(),
        unsupported: texts.unsupported.to_owned(),
        denied: texts.denied.to_owned(),
        dismissed: texts.dismissed.to_owned(),
        working: texts.working.to_owned(),
        sent: texts.sent.to_owned(),
        arrived: texts.arrived.to_owned(),
        unreachable: texts.unreachable.to_owned(),
        failed: texts.failed.to_owned(),
        refusals: REFUSALS.map(|code| message(lang, code).to_owned()).into(),
    }
}
