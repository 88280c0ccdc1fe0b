//! How an app stands: what is to be done first, four figures, the last 30 days, and how to begin. What of it can change
//! by itself does so while somebody looks.

use hato_domain::wire::Stats;
use hato_service::AppOverview;
use hato_service::ports::AppRecord;
use leptos::prelude::*;

use super::chart::DailyChart;
use super::checklist::StartChecklist;
use super::embed::EmbedSection;
use super::frame::{AppFrame, Section, path_of};
use super::managed;
use super::new_key::NewKey;
use super::this_browser::TryItOut;
use crate::i18n::{self, grouped};
use crate::islands::Live;
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// Asks for the page on behalf of one that is open: the checklist stays to its last tick, and what is shown once waits for
/// somebody who sees it.
const REFRESH: &str = "refresh";

/// The page of the app that the path names.
#[component]
pub fn OverviewPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        let overview = visit.service().overview(&access).await?;
        let is_refresh = visit.query(REFRESH).is_some();
        let new_key = (!is_refresh).then(|| NewKey::take(&visit)).flatten();
        Ok(view! { <Sections visit app overview new_key is_refresh /> }.into_any())
    })
}

#[component]
fn Sections(
    visit: Visit,
    app: AppRecord,
    overview: AppOverview,
    new_key: Option<NewKey>,
    is_refresh: bool,
) -> impl IntoView {
    let texts = &visit.texts().app;
    let path = path_of(&app);
    let stats = overview.stats.clone();
    let (has_sent, had_key) = (overview.has_sent, overview.had_key);
    let context = visit.context();
    let (base_url, sdk) = (context.base_url.clone(), context.sdk.clone());
    let standing = view! {
        <Figures texts=&texts.overview stats=stats.clone() />
        <DailyChart texts=&texts.overview.chart days=stats.daily />
    }
    .into_any();
    let beginning = view! {
        <TryItOut visit app=app.clone() />
        <EmbedSection texts=&texts.embed app=app.id.to_string() base_url sdk had_key new_key />
    }
    .into_any();
    view! {
        <AppFrame app=app.clone() section=Section::Overview>
            <Lively />
            <Live
                path=format!("{path}?{REFRESH}=1")
                running="#figures".to_owned()
                texts=texts.frame.trouble()
            />
            <StartChecklist texts=&texts.overview.checklist path overview stays=is_refresh />
            {if has_sent { [standing, beginning] } else { [beginning, standing] }}
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Figures(texts: &'static i18n::Overview, stats: Stats) -> impl IntoView {
    let total = |count: fn(&hato_domain::wire::DailyStats) -> i64| {
        stats.daily.iter().map(count).sum::<i64>()
    };
    let (sent, failed) = (total(|day| day.sent), total(|day| day.failed));
    let tenths = failed.saturating_mul(1_000) / (sent + failed).max(1);
    let month = stats.monthly_limit.map_or_else(
        || texts.month_unlimited.to_owned(),
        |limit| (texts.month_limit)(limit),
    );
    let figure = |name: &'static str, number: i64, aside: String| {
        view! {
            <div class="card figure">
                <dt>{name}</dt>
                <dd>
                    <b>{grouped(number)}</b>
                    <span>{aside}</span>
                </dd>
            </div>
        }
    };
    view! {
        <section id="figures" data-live aria-label=texts.figures>
            <dl class="figures">
                {figure(
                    texts.subscribers,
                    stats.active_subscribers,
                    (texts.deactivated)(stats.deactivated_subscribers),
                )} {figure(texts.month, stats.monthly_sent, month)}
                {figure(texts.sent, sent, (texts.ever)(stats.total_sent))}
                {figure(texts.failed, failed, (texts.failed_share)(tenths))}
            </dl>
        </section>
    }
    .into_any()
}
