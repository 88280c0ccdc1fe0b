//! An app's overview: what is to be done first, four figures, the last days, and a browser to try them with. What of it can change
//! by itself does so while somebody looks.

use futures_util::future::try_join;
use hato_domain::{TimeZoneOffsets, UnixMillis};
use hato_service::ports::AppRecord;
use hato_service::{AppOverview, OverviewDay};
use leptos::prelude::*;

use super::chart::{DailyChart, PERIODS};
use super::checklist::StartChecklist;
use super::device_shares::DeviceShares;
use super::frame::{AppFrame, Section, app_path};
use super::growth::Growth;
use super::load_app;
use super::this_browser::TryItOut;
use crate::components::{TimeStyle, Timestamp};
use crate::i18n::{self, group_thousands};
use crate::islands::LiveRefresh;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;

/// Asks for the page on behalf of one that is open: the checklist stays to its last tick.
const REFRESH: &str = "refresh";

/// The days of which the figures tell where none are asked for.
const DEFAULT_DAYS: i64 = 30;

/// The page of the app that the path names.
#[component]
pub fn OverviewPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let days = asked_days(&ctx);
        let zone = ctx.time_zone().unwrap_or(TimeZoneOffsets::UTC);
        let is_refresh = ctx.query(REFRESH).is_some();
        let active = app.active_subscriptions;
        // They change slowly: a page that stays open keeps them as they were.
        let devices = async {
            if is_refresh || active == 0 {
                return Ok(None);
            }
            let sampled = ctx.service().sampled_devices(&access, active).await?;
            Ok(Some(sampled))
        };
        let overview = ctx.service().overview(&access, days, zone);
        let (overview, devices) = try_join(overview, devices).await?;
        let texts = &ctx.texts().app.overview.devices;
        let devices =
            devices.map(|sampled| view! { <DeviceShares texts sampled active /> }.into_any());
        Ok(view! { <OverviewSections ctx app overview devices is_refresh /> }.into_any())
    })
}

/// How many days the query asks for, if one may choose so many.
fn asked_days(ctx: &RequestContext) -> i64 {
    let asked = ctx.query("days").and_then(|text| text.parse().ok());
    let asked = asked.filter(|days| PERIODS.contains(days));
    asked.unwrap_or(DEFAULT_DAYS)
}

#[component]
fn OverviewSections(
    ctx: RequestContext,
    app: AppRecord,
    overview: AppOverview,
    /// What its subscribers are, where anybody wants to know and there are any.
    devices: Option<AnyView>,
    is_refresh: bool,
) -> impl IntoView {
    let texts = &ctx.texts().app;
    let path = app_path(&app);
    let days = overview.days.clone();
    let period = days.len();
    let (has_sent, had_subscriber) = (overview.has_sent, overview.had_subscriber);
    let growth =
        had_subscriber.then(|| view! { <Growth texts=&texts.overview.growth days=days.clone() /> });
    let is_utc = ctx.time_zone().is_none();
    let coming = overview.next_due_at.zip(Some(overview.scheduled));
    let figures = view! {
        <Coming texts=&texts.overview path=path.clone() coming />
        <Figures texts=&texts.overview overview=overview.clone() />
        <DailyChart texts=&texts.overview.chart path=path.clone() days is_utc />
        {growth}
        {devices}
    }
    .into_any();
    let first_steps = view! { <TryItOut ctx app=app.clone() is_first=!has_sent /> }.into_any();
    view! {
        <AppFrame app=app.clone() section=Section::Overview>
            <IslandAssets />
            <LiveRefresh
                path=format!("{path}?days={period}&{REFRESH}=1")
                running="#figures".to_owned()
                texts=texts.frame.live_errors()
            />
            <StartChecklist texts=&texts.overview.checklist path overview stays=is_refresh />
            {if has_sent { [figures, first_steps] } else { [first_steps, figures] }}
        </AppFrame>
    }
    .into_any()
}

/// The sends that wait for their time: when the first is due, and how many there are.
#[component]
fn Coming(
    texts: &'static i18n::OverviewTexts,
    path: String,
    coming: Option<(UnixMillis, i64)>,
) -> impl IntoView {
    let link = coming.map(|(due_at, count)| {
        let [before, after] = (texts.coming)(count);
        let all = format!("{path}/history?status=scheduled");
        view! {
            <p class="note" role="note">
                {before} <Timestamp at=due_at style=TimeStyle::Zoned /> {after} " "
                <a href=all>{texts.coming_list}</a>
            </p>
        }
    });
    view! {
        <div id="coming" data-live>
            {link}
        </div>
    }
    .into_any()
}

/// What recipients did: names, numbers within the period, and ever. An app that has never counted has nothing to show.
fn engagement_figures(
    texts: &i18n::OverviewTexts,
    overview: &AppOverview,
) -> Vec<(String, i64, i64)> {
    if overview.total_displayed + overview.total_clicked == 0 {
        return Vec::new();
    }
    let count = overview.days.len();
    let displayed = total(&overview.days, |day| day.displayed);
    let clicked = total(&overview.days, |day| day.clicked);
    vec![
        (
            (texts.displayed)(count),
            displayed,
            overview.total_displayed,
        ),
        ((texts.clicked)(count), clicked, overview.total_clicked),
    ]
}

fn total(days: &[OverviewDay], count: fn(&OverviewDay) -> i64) -> i64 {
    days.iter().map(count).sum()
}

#[component]
fn Figures(texts: &'static i18n::OverviewTexts, overview: AppOverview) -> impl IntoView {
    let sent = total(&overview.days, |day| day.sent);
    let failed = total(&overview.days, |day| day.failed);
    let tenths = failed.saturating_mul(1_000) / (sent + failed).max(1);
    let month = overview.monthly_limit.map_or_else(
        || texts.month_unlimited.to_owned(),
        |limit| (texts.month_limit)(limit),
    );
    let days = overview.days.len();
    let figure = |name: String, number: i64, aside: String| {
        view! {
            <div class="card figure">
                <dt>{name}</dt>
                <dd>
                    <b>{group_thousands(number)}</b>
                    <span>{aside}</span>
                </dd>
            </div>
        }
    };
    view! {
        <section id="figures" data-live aria-label=texts.figures>
            <dl class="figures">
                {figure(
                    texts.subscribers.to_owned(),
                    overview.active_subscribers,
                    (texts.deactivated)(overview.deactivated_subscribers),
                )} {figure(texts.month.to_owned(), overview.monthly_sent, month)}
                {figure((texts.sent)(days), sent, (texts.ever)(overview.total_sent))}
                {figure((texts.failed)(days), failed, (texts.failed_share)(tenths))}
                {engagement_figures(texts, &overview)
                    .into_iter()
                    .map(|(name, number, ever)| figure(name, number, (texts.ever)(ever)))
                    .collect_view()}
            </dl>
        </section>
    }
    .into_any()
}
