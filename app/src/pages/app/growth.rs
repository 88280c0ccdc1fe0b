//! How an app's audience grew or shrank: how many subscribed at the end of each day, drawn as a line and told as a table.

use hato_service::OverviewDay;
use leptos::prelude::*;

use super::daily_numbers::{DailyNumbers, DayNumbers};
use crate::i18n::{GrowthTexts, group_thousands};

/// The measures of the drawing: a day's width, and the height.
const DAY_WIDTH: i64 = 10;
const HEIGHT: i64 = 100;

/// The line with the same numbers as a table.
#[component]
pub fn Growth(texts: &'static GrowthTexts, days: Vec<OverviewDay>) -> impl IntoView {
    let total = |count: fn(&OverviewDay) -> i64| days.iter().map(count).sum::<i64>();
    let (gained, lost) = (total(|day| day.gained), total(|day| day.lost));
    let period = i64::try_from(days.len()).unwrap_or_default();
    let has_changed = gained + lost > 0;
    let summary = if has_changed {
        (texts.summary)(period, gained, lost)
    } else {
        texts.none.to_owned()
    };
    let drawn = has_changed.then(|| {
        view! {
            <Line texts days=days.clone() />
            <Numbers texts days />
        }
    });
    view! {
        <section class="card growth" id="growth" data-live aria-labelledby="growth-title">
            <h2 id="growth-title">{texts.title}</h2>
            <p class="hint">{summary}</p>
            {drawn}
        </section>
    }
    .into_any()
}

#[component]
fn Line(texts: &'static GrowthTexts, days: Vec<OverviewDay>) -> impl IntoView {
    let sizes = || days.iter().map(|day| day.active);
    let (least, most) = (sizes().min(), sizes().max());
    let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
    let line = steps(&days, least, most);
    let width = i64::try_from(days.len()).unwrap_or_default() * DAY_WIDTH;
    let ends = [days.first(), days.last()];
    let dates = ends.map(|day| day.map(|day| view! { <span>{day.day.date()}</span> }));
    view! {
        <div class="plot">
            <p class="axis-max" aria-hidden="true">
                {group_thousands(most)}
            </p>
            <svg
                class="line"
                viewBox=format!("0 0 {width} {HEIGHT}")
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                <polygon points=format!("0,{HEIGHT} {line} {width},{HEIGHT}") />
                <polyline points=line.clone() />
                {columns(texts, &days)}
            </svg>
            <p class="axis-min" aria-hidden="true">
                {group_thousands(least)}
            </p>
            <p class="dates" aria-hidden="true">
                {dates}
            </p>
        </div>
    }
    .into_any()
}

/// The points of the line: a step for each day, between the smallest and the largest size.
fn steps(days: &[OverviewDay], least: i64, most: i64) -> String {
    let y = |size: i64| HEIGHT - (size - least).saturating_mul(HEIGHT) / (most - least).max(1);
    let steps = days.iter().zip(0_i64..).map(|(day, number)| {
        let (from, to) = (number * DAY_WIDTH, (number + 1) * DAY_WIDTH);
        let y = y(day.active);
        format!("{from},{y} {to},{y}")
    });
    steps.collect::<Vec<_>>().join(" ")
}

/// What a day is, for those who point at it.
fn columns(texts: &GrowthTexts, days: &[OverviewDay]) -> Vec<AnyView> {
    let column = |(day, number): (&OverviewDay, i64)| {
        let label = (texts.day)(&day.day.date(), [day.active, day.gained, day.lost]);
        view! {
            <rect x={number * DAY_WIDTH} width=DAY_WIDTH height=HEIGHT>
                <title>{label}</title>
            </rect>
        }
        .into_any()
    };
    days.iter().zip(0_i64..).map(column).collect()
}

/// The days on which somebody came or went.
#[component]
fn Numbers(texts: &'static GrowthTexts, days: Vec<OverviewDay>) -> impl IntoView {
    let day = |day: OverviewDay| DayNumbers {
        date: day.day.date(),
        path: None,
        numbers: vec![day.gained, day.lost, day.active],
    };
    let has_changed = |day: &OverviewDay| day.gained + day.lost > 0;
    let days = days.into_iter().filter(has_changed).map(day);
    view! {
        <DailyNumbers
            summary=texts.numbers
            date=texts.date
            headings=vec![texts.gained, texts.lost, texts.active]
            days=days.collect()
        />
    }
    .into_any()
}
