//! What was sent on each of the last 30 days: bars of what was sent, and hatched on top of them what failed.

use hato_domain::UnixMillis;
use hato_domain::wire::DailyStats;
use leptos::prelude::*;

use crate::components::{Column, Table, TimeStyle, Timestamp};
use crate::i18n::{ChartTexts, group_thousands};

/// The drawing's measures: each day has so much room, of which the bar takes a part.
const DAY_WIDTH: usize = 20;
const BAR_WIDTH: usize = 14;
const HEIGHT: i64 = 140;

/// The chart with the same numbers as a table.
#[component]
pub fn DailyChart(texts: &'static ChartTexts, days: Vec<DailyStats>) -> impl IntoView {
    let total = |count: fn(&DailyStats) -> i64| days.iter().map(count).sum::<i64>();
    let (sent, failed) = (total(|day| day.sent), total(|day| day.failed));
    let plot = if sent + failed == 0 {
        view! { <p class="empty">{texts.empty}</p> }.into_any()
    } else {
        view! { <Plot texts days summary=(texts.summary)(sent, failed) /> }.into_any()
    };
    view! {
        <section class="card chart" id="chart" data-live aria-labelledby="chart-title">
            <h2 id="chart-title">{texts.title}</h2>
            {plot}
        </section>
    }
    .into_any()
}

#[component]
fn Plot(texts: &'static ChartTexts, days: Vec<DailyStats>, summary: String) -> impl IntoView {
    let axis_max = days.iter().map(|day| day.sent + day.failed).max();
    let axis_max = round_up(axis_max.unwrap_or_default());
    let bars: Vec<_> = days
        .iter()
        .enumerate()
        .map(|(number, day)| view! { <Bar texts number day=day.clone() axis_max /> })
        .collect();
    let date = |number: usize| days.get(number).map(|day| day.date.clone());
    let view_box = format!("0 0 {} {HEIGHT}", DAY_WIDTH * days.len());
    view! {
        <p class="hint">{summary.clone()} " " <DayBegins texts days=days.clone() /></p>
        <p class="legend" aria-hidden="true">
            <span class="sent">{texts.sent}</span>
            <span class="failed">{texts.failed}</span>
        </p>
        <div class="plot">
            <p class="axis-max" aria-hidden="true">
                {group_thousands(axis_max)}
            </p>
            <svg viewBox=view_box preserveAspectRatio="none" role="img" aria-label=summary>
                <defs>
                    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
                        <rect class="hatch-ground" width="6" height="6" />
                        <path class="hatch-lines" d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
                    </pattern>
                </defs>
                {bars}
            </svg>
            <p class="dates" aria-hidden="true">
                {[0, days.len() / 2, days.len().saturating_sub(1)]
                    .map(|number| view! { <span>{date(number)}</span> })}
            </p>
        </div>
        <Numbers texts days />
    }
    .into_any()
}

/// When a day of the chart begins on the visitor's clock: days are those of UTC.
#[component]
fn DayBegins(texts: &'static ChartTexts, days: Vec<DailyStats>) -> impl IntoView {
    let today = days.last();
    let begins =
        today.and_then(|day| UnixMillis::from_date_and_time(&format!("{}T00:00", day.date)));
    let [before, after] = texts.day_begins;
    begins.map(|at| view! { {before} <Timestamp at style=TimeStyle::Clock /> {after} })
}

#[component]
fn Bar(texts: &'static ChartTexts, number: usize, day: DailyStats, axis_max: i64) -> impl IntoView {
    let height = |count: i64| {
        let exact = count.saturating_mul(HEIGHT) / axis_max.max(1);
        // What there is must be seen.
        exact.max(i64::from(count > 0) * 2)
    };
    let (sent, failed) = (height(day.sent), height(day.failed));
    let x = DAY_WIDTH * number + (DAY_WIDTH - BAR_WIDTH) / 2;
    view! {
        <g>
            <title>{(texts.day)(&day.date, day.sent, day.failed)}</title>
            <rect class="ground" x={DAY_WIDTH * number} y="0" width=DAY_WIDTH height=HEIGHT />
            <rect class="sent" x=x y={HEIGHT - sent} width=BAR_WIDTH height=sent />
            <rect
                class="failed"
                fill="url(#hatch)"
                x=x
                y={(HEIGHT - sent - failed).max(0)}
                width=BAR_WIDTH
                height=failed
            />
        </g>
    }
    .into_any()
}

/// The days on which something was sent, newest first.
#[component]
fn Numbers(texts: &'static ChartTexts, days: Vec<DailyStats>) -> impl IntoView {
    let rows = days
        .into_iter()
        .rev()
        .filter(|day| day.sends > 0)
        .map(|day| {
            view! {
                <tr>
                    <th scope="row">{day.date}</th>
                    <td class="number">{group_thousands(day.sent)}</td>
                    <td class="number">{group_thousands(day.failed)}</td>
                </tr>
            }
        });
    let columns = vec![
        Column::Text(texts.date),
        Column::Number(texts.sent),
        Column::Number(texts.failed),
    ];
    view! {
        <details class="numbers">
            <summary>{texts.numbers}</summary>
            <Table columns>{rows.collect_view()}</Table>
        </details>
    }
    .into_any()
}

/// The next number of one, two or five and zeros.
fn round_up(number: i64) -> i64 {
    let mut power: i64 = 1;
    loop {
        for step in [1, 2, 5] {
            let round = power.saturating_mul(step);
            if round >= number {
                return round;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn the_axis_ends_at_a_round_number() {
        for (number, round) in [
            (0, 1),
            (1, 1),
            (3, 5),
            (5, 5),
            (6, 10),
            (1_001, 2_000),
            (i64::MAX, i64::MAX),
        ] {
            assert_eq!(round_up(number), round, "{number}");
        }
    }
}
