//! What surrounds every page of an app: its name and its own navigation.

use hato_service::ports::AppRecord;
use leptos::prelude::*;

use crate::components::Frame;
use crate::i18n;
use crate::request_context::RequestContext;

/// The parts of an app, in the order of its navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Overview,
    Compose,
    History,
    Subscribers,
    Audience,
    Embed,
    Keys,
    DeadLetters,
    Webhook,
    Settings,
}

impl Section {
    /// Every section of an app, in the order of the navigation.
    pub const ALL: [Self; 10] = [
        Self::Overview,
        Self::Compose,
        Self::History,
        Self::Subscribers,
        Self::Audience,
        Self::Embed,
        Self::Keys,
        Self::DeadLetters,
        Self::Webhook,
        Self::Settings,
    ];

    /// The path below the app's.
    pub const fn below(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Compose => "/send",
            Self::History => "/history",
            Self::Subscribers => "/subscribers",
            Self::Audience => "/audience",
            Self::Embed => "/embed",
            Self::Keys => "/keys",
            Self::DeadLetters => "/dead-letters",
            Self::Webhook => "/webhook",
            Self::Settings => "/settings",
        }
    }

    /// The name in the navigation, which is the headline too.
    pub const fn name(self, texts: &i18n::AppTexts) -> &'static str {
        let texts = &texts.frame;
        match self {
            Self::Overview => texts.overview,
            Self::Compose => texts.compose,
            Self::History => texts.history,
            Self::Subscribers => texts.subscribers,
            Self::Audience => texts.audience,
            Self::Embed => texts.embed,
            Self::Keys => texts.keys,
            Self::DeadLetters => texts.dead_letters,
            Self::Webhook => texts.webhook,
            Self::Settings => texts.settings,
        }
    }
}

/// The path of an app's overview, below which its other pages are.
pub fn app_path(app: &AppRecord) -> String {
    format!("/apps/{}", app.id)
}

/// A page of an app, in one of its sections.
#[component]
pub fn AppFrame(
    app: AppRecord,
    section: Section,
    /// What the page is called, unless it is the section's own.
    #[prop(optional, into)]
    title: Option<String>,
    children: Children,
) -> impl IntoView {
    let ctx = RequestContext::current();
    let texts = &ctx.texts().app;
    let path = app_path(&app);
    let title = title.unwrap_or_else(|| section.name(texts).to_owned());
    let headline = if section == Section::Overview {
        app.name.clone()
    } else {
        title.clone()
    };
    let links = Section::ALL.map(|it| {
        let (href, current) = (
            format!("{path}{}", it.below()),
            (it == section).then_some("page"),
        );
        view! {
            <li>
                <a href=href aria-current=current>
                    {it.name(texts)}
                </a>
            </li>
        }
    });
    view! {
        <Frame title=format!("{title} · {}", app.name)>
            <div class="app">
                <div class="app-nav">
                    <p class="breadcrumb">
                        <a href="/apps">{texts.frame.all_apps}</a>
                        " / "
                        <a href=path.clone() class="app-name" dir="auto">
                            {app.name.clone()}
                        </a>
                    </p>
                    <AppSwitcher ctx=ctx.clone() section />
                    <nav aria-label=texts.frame.sections>
                        <ul class="sections">{links}</ul>
                    </nav>
                </div>
                <div class="app-page">
                    <h1 dir="auto">{headline}</h1>
                    {children()}
                </div>
            </div>
        </Frame>
    }
    .into_any()
}

/// Leads to the same section of the owner's other apps, if there are any.
#[component]
fn AppSwitcher(ctx: RequestContext, section: Section) -> impl IntoView {
    let apps = ctx.other_apps();
    if apps.is_empty() {
        return ().into_any();
    }
    let links = apps.iter().map(|app| {
        view! {
            <li>
                <a href=format!("{}{}", app_path(app), section.below()) dir="auto">
                    {app.name.clone()}
                </a>
            </li>
        }
    });
    let links = links.collect_view();
    view! {
        <details class="menu">
            <summary>{ctx.texts().app.frame.other_apps}</summary>
            <ul>{links}</ul>
        </details>
    }
    .into_any()
}
