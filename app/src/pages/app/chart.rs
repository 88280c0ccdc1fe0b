//! What was sent on each day of a period: bars of what was sent, and hatched on top of them what failed. Each leads to what its day's
//! history has.

use hato_domain::LocalDay;
use hato_service::OverviewDay;
use leptos::prelude::*;

use super::daily_numbers::{DailyNumbers, DayNumbers};
use super::history::day_path;
use crate::components::{TimeStyle, Timestamp};
use crate::i18n::{ChartTexts, group_thousands};

/// The measures of a bar's drawing.
const BAR_WIDTH: i64 = 14;
const HEIGHT: i64 = 140;

/// How many times as large as any other a day is that would flatten them.
const OUTLIER: i64 = 4;

/// The periods that one can choose, in days.
pub const PERIODS: [i64; 3] = [7, 30, 90];

/// The chart with the same numbers as a table.
#[component]
pub fn DailyChart(
    texts: &'static ChartTexts,
    /// The path of the app's overview.
    path: String,
    days: Vec<OverviewDay>,
    /// Whether nobody has told what days the visitor has.
    is_utc: bool,
) -> impl IntoView {
    let total = |count: fn(&OverviewDay) -> i64| days.iter().map(count).sum::<i64>();
    let (sent, failed) = (total(|day| day.sent), total(|day| day.failed));
    let period = i64::try_from(days.len()).unwrap_or_default();
    let periods = PERIODS.map(|days| {
        let current = (days == period).then_some("true");
        view! {
            <a class="button quiet small" href=format!("{path}?days={days}#chart") aria-current=current>
                {(texts.period)(days)}
            </a>
        }
    });
    let plot = if sent + failed == 0 {
        view! { <p class="empty">{texts.empty}</p> }.into_any()
    } else {
        let summary = (texts.summary)(period, sent, failed);
        view! { <Plot texts path days summary is_utc /> }.into_any()
    };
    view! {
        <section class="card chart" id="chart" data-live aria-labelledby="chart-title">
            <h2 id="chart-title">{(texts.title)(period)}</h2>
            <nav class="periods" aria-label=texts.periods>
                {periods}
            </nav>
            {plot}
        </section>
    }
    .into_any()
}

#[component]
fn Plot(
    texts: &'static ChartTexts,
    path: String,
    days: Vec<OverviewDay>,
    summary: String,
    is_utc: bool,
) -> impl IntoView {
    let axis_max = axis_max(&days);
    let cut = days.iter().find(|day| total(day) > axis_max);
    let cut = cut.map(|day| (texts.cut)(&day.day.date(), total(day)));
    let bars: Vec<_> = days
        .iter()
        .map(|day| view! { <Bar texts path=path.clone() day=day.clone() axis_max /> })
        .collect();
    let date = |number: usize| days.get(number).map(|day| day.day.date());
    let dates = [0, days.len() / 2, days.len().saturating_sub(1)]
        .map(|number| view! { <span>{date(number)}</span> });
    let begins = is_utc.then(|| view! { <DayBegins texts days=days.clone() /> });
    view! {
        <p class="hint">{summary} " " {begins}</p>
        {cut.map(|text| view! { <p class="hint cut">{text}</p> })}
        <p class="legend" aria-hidden="true">
            <span class="sent">{texts.sent}</span>
            <span class="failed">{texts.failed}</span>
        </p>
        <div class="plot">
            <p class="axis-max" aria-hidden="true">
                {group_thousands(axis_max)}
            </p>
            <Hatch />
            <ol class="bars" aria-label=texts.by_day>
                {bars}
            </ol>
            <p class="dates" aria-hidden="true">
                {dates}
            </p>
        </div>
        <Numbers texts path days />
    }
    .into_any()
}

/// The pattern of what failed, for all bars.
#[component]
fn Hatch() -> impl IntoView {
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
                    <rect class="hatch-ground" width="6" height="6" />
                    <path class="hatch-lines" d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
                </pattern>
            </defs>
        </svg>
    }
    .into_any()
}

/// When a day of the chart begins on the visitor's clock, where days are those of UTC.
#[component]
fn DayBegins(texts: &'static ChartTexts, days: Vec<OverviewDay>) -> impl IntoView {
    let begins = days.last().map(|today| today.day.starts_at);
    let [before, after] = texts.day_begins;
    begins.map(|at| view! { {before} <Timestamp at style=TimeStyle::Clock /> {after} })
}

/// A day, whose numbers are seen while one points at it or has the focus on it.
#[component]
fn Bar(texts: &'static ChartTexts, path: String, day: OverviewDay, axis_max: i64) -> impl IntoView {
    let all = total(&day);
    let scale = axis_max.max(if all > axis_max { all } else { 0 });
    let height = |count: i64| {
        let exact = count.saturating_mul(HEIGHT) / scale.max(1);
        // What there is must be seen.
        exact.max(i64::from(count > 0) * 2)
    };
    let (sent, failed) = (height(day.sent), height(day.failed));
    let broken =
        (all > axis_max).then(|| view! { <path class="break" d="M-1 26l16-7M-1 33l16-7" /> });
    view! {
        <li>
            <a href=history_path(&path, day.day)>
                <svg
                    viewBox=format!("0 0 {BAR_WIDTH} {HEIGHT}")
                    preserveAspectRatio="none"
                    aria-hidden="true"
                >
                    <rect class="sent" y={HEIGHT - sent} width=BAR_WIDTH height=sent />
                    <rect
                        class="failed"
                        fill="url(#hatch)"
                        y={(HEIGHT - sent - failed).max(0)}
                        width=BAR_WIDTH
                        height=failed
                    />
                    {broken}
                </svg>
                <span class="tip">{(texts.day)(&day.day.date(), day.sent, day.failed)}</span>
            </a>
        </li>
    }
    .into_any()
}

/// The days of whose sends it is known what became of somebody.
#[component]
fn Numbers(texts: &'static ChartTexts, path: String, days: Vec<OverviewDay>) -> impl IntoView {
    let day = |day: OverviewDay| DayNumbers {
        path: Some(history_path(&path, day.day)),
        date: day.day.date(),
        numbers: vec![day.sent, day.failed],
    };
    let days = days.into_iter().filter(|day| total(day) > 0).map(day);
    view! {
        <DailyNumbers
            summary=texts.numbers
            date=texts.date
            headings=vec![texts.sent, texts.failed]
            days=days.collect()
        />
    }
    .into_any()
}

/// The history of a day of the app whose overview is at `path`.
fn history_path(path: &str, day: LocalDay) -> String {
    day_path(&format!("{path}/history"), day)
}

/// Recipients of whom a day's sends know what became of them.
fn total(day: &OverviewDay) -> i64 {
    day.sent + day.failed
}

/// Where the axis ends: above the largest day, or above the second one where the largest would flatten all others.
fn axis_max(days: &[OverviewDay]) -> i64 {
    let mut totals: Vec<i64> = days.iter().map(total).collect();
    totals.sort_unstable_by(|left, right| right.cmp(left));
    match totals[..] {
        [largest, second, ..] if second > 0 && largest / OUTLIER >= second => round_up(second),
        [largest, ..] => round_up(largest),
        [] => round_up(0),
    }
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
    use hato_domain::TimeZoneOffsets;
    use hato_service::OverviewDay;

    use super::{axis_max, round_up};

    fn days(totals: &[i64]) -> Vec<OverviewDay> {
        let day = |sent: &i64| OverviewDay {
            day: TimeZoneOffsets::UTC.day(0),
            sent: *sent,
            failed: 0,
            displayed: 0,
            clicked: 0,
            gained: 0,
            lost: 0,
            active: 0,
        };
        totals.iter().map(day).collect()
    }

    #[test]
    fn one_large_day_does_not_flatten_the_others() {
        for (totals, max) in [
            (&[][..], 1),
            (&[7], 10),
            (&[0, 1_000, 0], 1_000),
            (&[30, 1_000, 40], 50),
            (&[300, 1_000, 40], 1_000),
            (&[1_000, 1_000, 1], 1_000),
        ] {
            assert_eq!(axis_max(&days(totals)), max, "{totals:?}");
        }
    }

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
