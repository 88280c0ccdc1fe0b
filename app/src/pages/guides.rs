//! The guides of `docs/`, which `app/build` renders when the dashboard is compiled: the list of them, and a page each.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::load_page;
use crate::components::{Frame, StaticCodeBlock};
use crate::i18n::GuidesTexts;
use crate::language::Lang;
use crate::request_context::RequestContext;

/// A guide, in English.
pub struct Guide {
    /// What it is called in its address.
    name: &'static str,
    title: &'static str,
    parts: &'static [Part],
}

/// A piece of a guide, as `app/build/guide.rs` cuts it.
enum Part {
    Html(&'static str),
    Code {
        id: &'static str,
        text: &'static str,
    },
}

static GUIDES: &[Guide] = &include!(concat!(env!("OUT_DIR"), "/guides.rs"));

impl Guide {
    fn path(&self) -> String {
        format!("/docs/{}", self.name)
    }

    /// The titles and paths of all guides.
    pub fn all() -> impl Iterator<Item = (&'static str, String)> {
        GUIDES.iter().map(|guide| (guide.title, guide.path()))
    }

    /// The whole guide. Lists are open across its parts, so it is put together as text.
    fn html(&self, ctx: &RequestContext) -> String {
        let parts = self.parts.iter().enumerate();
        let html = parts.map(|(number, part)| match part {
            Part::Html(html) => (*html).to_owned(),
            Part::Code { id, text } => {
                let label = (ctx.texts().guides.code)(number);
                view! { <StaticCodeBlock ctx=ctx.clone() id=*id label text=*text /> }.to_html()
            }
        });
        html.collect()
    }
}

/// Every guide, and the reference of the API.
#[component]
pub fn GuidesPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        let texts = &ctx.texts().guides;
        let entries = GUIDES.iter().map(|guide| {
            view! {
                <li class="card">
                    <a href=guide.path() lang="en">
                        {guide.title}
                    </a>
                    <p>{texts.about(guide.name)}</p>
                </li>
            }
        });
        Ok(view! {
            <Frame title=texts.title>
                <section class="guide-list">
                    <h1>{texts.title}</h1>
                    <p class="lead">{texts.lead}</p>
                    <ul>
                        <li class="card">
                            <a href="/docs/api">{texts.reference}</a>
                            <p>{texts.about_reference}</p>
                        </li>
                        {entries.collect_view()}
                    </ul>
                </section>
            </Frame>
        }
        .into_any())
    })
}

/// The guide that the path names.
#[component]
pub fn GuidePage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        ctx.logged_in_owner().await;
        let guide = GUIDES.iter().find(|guide| guide.path() == ctx.path());
        let guide = guide.ok_or(ErrorCode::NotFound)?;
        let texts = &ctx.texts().guides;
        Ok(view! {
            <Frame title=guide.title>
                <div class="guide-page">
                    <GuideNavigation texts guide />
                    <article class="guide" lang="en">
                        <h1>{guide.title}</h1>
                        {(ctx.lang() != Lang::En)
                            .then(|| {
                                view! {
                                    <p class="hint" lang=ctx.lang().as_str()>
                                        {texts.english}
                                    </p>
                                }
                            })}
                        <div inner_html=guide.html(&ctx)></div>
                    </article>
                </div>
            </Frame>
        }
        .into_any())
    })
}

/// Leads to the other guides.
#[component]
fn GuideNavigation(texts: &'static GuidesTexts, guide: &'static Guide) -> impl IntoView {
    let links = GUIDES.iter().map(|it| {
        let current = (it.name == guide.name).then_some("page");
        view! {
            <li>
                <a href=it.path() lang="en" aria-current=current>
                    {it.title}
                </a>
            </li>
        }
    });
    view! {
        <nav aria-label=texts.title>
            <ul>
                <li>
                    <a href="/docs">{texts.title}</a>
                </li>
                {links.collect_view()}
                <li>
                    <a href="/docs/api">{texts.reference}</a>
                </li>
            </ul>
        </nav>
    }
    .into_any()
}
