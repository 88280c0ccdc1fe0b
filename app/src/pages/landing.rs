//! The page at `/`, for visitors who do not know Hato yet: what it is, and the way in.

use leptos::prelude::*;

use super::load_page;
use crate::components::{Frame, Logo};
use crate::i18n::{LandingPoint, LandingTexts};
use crate::request_context::RequestContext;
use crate::theme::Theme;

/// What Hato is, and the way in.
#[component]
pub fn LandingPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let logged_in = ctx.logged_in_owner().await.is_some();
        let texts = &ctx.texts().landing;
        Ok(view! {
            <Frame title=ctx.texts().site.tagline>
                <Hero texts logged_in />
                <Promises ctx=ctx.clone() />
                <section class="steps">
                    <h2>{texts.steps_title}</h2>
                    <ol>{texts.steps.each_ref().map(list_item)}</ol>
                </section>
                <EmbedCode ctx=ctx.clone() />
                <section class="points">
                    <h2>{texts.points_title}</h2>
                    <ul>{texts.points.each_ref().map(list_item)}</ul>
                </section>
            </Frame>
        }
        .into_any())
    })
}

fn list_item(point: &'static LandingPoint) -> impl IntoView {
    view! {
        <li>
            <h3>{point.title}</h3>
            <p>{point.text}</p>
        </li>
    }
}

#[component]
fn Hero(texts: &'static LandingTexts, logged_in: bool) -> impl IntoView {
    let (path, start) = if logged_in {
        ("/apps", texts.open)
    } else {
        ("/register", texts.start)
    };
    let pricing = RequestContext::current().pricing_url();
    view! {
        <section class="hero">
            <div>
                <h1>
                    {texts
                        .title
                        .map(|line| {
                            view! {
                                <span>{line}</span>
                                " "
                            }
                        })}
                </h1>
                <p class="lead">{texts.lead}</p>
                <p class="actions">
                    <a class="button" href=path>
                        {start}
                    </a>
                    <a class="button quiet" href=pricing>
                        {texts.pricing}
                    </a>
                </p>
            </div>
            <HeroPicture texts />
        </section>
    }
    .into_any()
}

/// The picture: a pigeon in flight, and the notification that it brings.
#[component]
fn HeroPicture(texts: &'static LandingTexts) -> impl IntoView {
    view! {
        <div class="hero-picture" role="img" aria-label=texts.picture>
            <svg class="route" viewBox="0 0 400 300" aria-hidden="true" focusable="false">
                <circle cx="22" cy="268" r="5" />
                <path d="M22 268C50 160 130 210 158 140S230 60 270 74" />
            </svg>
            <Logo />
            <svg class="hero-envelope" viewBox="0 0 40 28" aria-hidden="true" focusable="false">
                <rect x="1" y="1" width="38" height="26" rx="2" />
                <path d="m2 3 18 13L38 3" />
            </svg>
            <div class="sample" aria-hidden="true">
                <span class="sample-icon">
                    <Logo />
                </span>
                <div>
                    <b>{texts.sample.title}</b>
                    <span>{texts.sample.text}</span>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// What is promised, and the dashboard that `make screenshots` takes a picture of.
#[component]
fn Promises(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().landing;
    let path = |theme: &str| format!("/dashboard-{}-{theme}.webp", ctx.lang().as_str());
    let (first, dark) = match ctx.theme() {
        Theme::System => ("light", Some(path("dark"))),
        chosen => (chosen.as_str(), None),
    };
    let dark =
        dark.map(|path| view! { <source srcset=path media="(prefers-color-scheme: dark)" /> });
    view! {
        <section class="points promises">
            <h2>{texts.promises_title}</h2>
            <ul>{texts.promises.each_ref().map(list_item)}</ul>
            <picture>
                {dark}
                <img src=path(first) alt=texts.dashboard width="1280" height="800" loading="lazy" />
            </picture>
        </section>
    }
    .into_any()
}

/// What a page of a site needs.
#[component]
fn EmbedCode(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().landing;
    let base_url = &ctx.app_context().base_url;
    let button = texts.button;
    let code = format!(
        r##"<script src="{base_url}/sdk/hato.js"></script>
<button id="subscribe">{button}</button>
<script>
  hato.init({{ baseUrl: "{base_url}", appKey: "pk_…" }});
  document.querySelector("#subscribe").onclick = () => hato.subscribe();
</script>"##
    );
    view! {
        <section class="points six-lines">
            <h2>{texts.code_title}</h2>
            <div class="code" translate="no">
                <pre tabindex="0" role="region" aria-label=texts.code_title>
                    <code>{code}</code>
                </pre>
            </div>
            <p>
                {texts.code_text} " " <a href="/docs/embed">{texts.guide}</a>
            </p>
        </section>
    }
    .into_any()
}
