//! The landing page.

use leptos::prelude::*;

use super::loaded;
use crate::components::{Frame, Pigeon};
use crate::i18n::Landing;
use crate::visit::Visit;

/// What Hato is, and the way in.
#[component]
pub fn LandingPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let signed_in = visit.visitor().await.is_some();
        let texts = &visit.texts().landing;
        Ok(view! {
            <Frame title=visit.texts().site.tagline>
                <Hero texts signed_in />
                <section class="steps">
                    <h2>{texts.steps_title}</h2>
                    <ol>
                        {texts
                            .steps
                            .iter()
                            .map(|step| {
                                view! {
                                    <li>
                                        <h3>{step.title}</h3>
                                        <p>{step.text}</p>
                                    </li>
                                }
                            })
                            .collect_view()}
                    </ol>
                </section>
                <section class="points">
                    <h2>{texts.points_title}</h2>
                    <ul>
                        {texts
                            .points
                            .iter()
                            .map(|point| {
                                view! {
                                    <li>
                                        <h3>{point.title}</h3>
                                        <p>{point.text}</p>
                                    </li>
                                }
                            })
                            .collect_view()}
                    </ul>
                </section>
            </Frame>
        }
        .into_any())
    })
}

#[component]
fn Hero(texts: &'static Landing, signed_in: bool) -> impl IntoView {
    let (path, start) = if signed_in {
        ("/apps", texts.open)
    } else {
        ("/register", texts.start)
    };
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
                        })
                        .into_iter()
                        .collect_view()}
                </h1>
                <p class="lead">{texts.lead}</p>
                <p class="ways">
                    <a class="button" href=path>
                        {start}
                    </a>
                    <a class="button quiet" href="/pricing">
                        {texts.pricing}
                    </a>
                </p>
            </div>
            <Flight texts />
        </section>
    }
    .into_any()
}

/// The picture: a pigeon on its way, and what it brings.
#[component]
fn Flight(texts: &'static Landing) -> impl IntoView {
    view! {
        <div class="flight" role="img" aria-label=texts.picture>
            <svg class="route" viewBox="0 0 400 300" aria-hidden="true" focusable="false">
                <circle cx="22" cy="268" r="5" />
                <path d="M22 268C50 160 130 210 158 140S230 60 270 74" />
            </svg>
            <Pigeon />
            <svg class="letter-carried" viewBox="0 0 40 28" aria-hidden="true" focusable="false">
                <rect x="1" y="1" width="38" height="26" rx="2" />
                <path d="m2 3 18 13L38 3" />
            </svg>
            <div class="sample" aria-hidden="true">
                <span class="sample-icon">
                    <Pigeon />
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
