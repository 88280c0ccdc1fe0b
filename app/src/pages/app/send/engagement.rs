//! The way of a send's audience: recipients → accepted by push services → displayed → clicked (CONTRACT 15).

use hato_domain::{Engagement, Tracking, UnixMillis};
use hato_service::ports::SendRecord;
use leptos::prelude::*;

use crate::components::{Column, Table};
use crate::i18n::{EngagementTexts, group_thousands};

/// The drawing's measures: a step's bar is at most so long and so high, and there is room below it.
const WIDTH: i64 = 600;
const BAR_HEIGHT: i64 = 44;
const STEP_HEIGHT: i64 = 56;

/// Whether a page shows what recipients did: their app counts, or has counted.
pub fn is_shown(tracking: Tracking, send: &SendRecord) -> bool {
    let counts = &send.engagement;
    let counted = counts.displayed + counts.clicked + counts.dismissed;
    counted > 0 || (tracking == Tracking::Counts && send.recipients > 0)
}

/// Whether reports may still come.
fn may_change(send: &SendRecord, now: UnixMillis) -> bool {
    let finished_at = send.finished_at;
    finished_at.is_none_or(|at| now < at.plus(Engagement::REPORTED_WITHIN))
}

/// The picture, and the same numbers as a table.
#[component]
pub fn AudienceWay(
    texts: &'static EngagementTexts,
    send: SendRecord,
    now: UnixMillis,
) -> impl IntoView {
    let counting = may_change(&send, now).then_some("");
    let steps = steps(texts, &send);
    view! {
        <section
            class="card engagement"
            id="engagement"
            data-live
            data-counting=counting
            aria-labelledby="engagement-title"
        >
            <h2 id="engagement-title">{texts.title}</h2>
            <FunnelChart steps summary=(texts.summary)(steps.map(|(.., count)| count)) />
            <Numbers texts send />
            <p class="hint">{texts.means}</p>
        </section>
    }
    .into_any()
}

/// A step of the way: its name in the style sheet, its name for people, and how many took it.
type FunnelStep = (&'static str, &'static str, i64);

fn steps(texts: &EngagementTexts, send: &SendRecord) -> [FunnelStep; 4] {
    [
        ("recipients", texts.recipients, send.recipients),
        ("sent", texts.accepted, send.counts.sent),
        ("displayed", texts.displayed, send.engagement.displayed),
        ("clicked", texts.clicked, send.engagement.clicked),
    ]
}

/// The bars stand in the middle, one below the other, each led to by what is left of the one above.
#[component]
fn FunnelChart(steps: [FunnelStep; 4], summary: String) -> impl IntoView {
    let most = steps.iter().map(|(.., count)| *count).max();
    let most = most.unwrap_or_default().max(1);
    let width = move |count: i64| {
        let exact = count.saturating_mul(WIDTH) / most;
        // What there is must be seen.
        exact.max(i64::from(count > 0) * 3)
    };
    let bar = move |(row, (class, label, count)): (i64, FunnelStep)| {
        let (width, y) = (width(count), row * STEP_HEIGHT);
        view! {
            <g class=class>
                <rect x={(WIDTH - width) / 2} y=y width=width height=BAR_HEIGHT rx="4" />
                <text x={WIDTH / 2} y={y + BAR_HEIGHT / 2} dominant-baseline="central">
                    {format!("{label} {}", group_thousands(count))}
                </text>
            </g>
        }
    };
    let bars: Vec<_> = (0..).zip(steps).map(bar).collect();
    let flows: Vec<_> = (0..)
        .zip(steps.windows(2))
        .map(|(row, pair)| flow(row, pair.iter().map(|(.., count)| width(*count)).collect()))
        .collect();
    let height = STEP_HEIGHT * 3 + BAR_HEIGHT;
    view! {
        <svg class="way" viewBox=format!("0 0 {WIDTH} {height}") role="img" aria-label=summary>
            {flows}
            {bars}
        </svg>
    }
    .into_any()
}

/// What leads from a bar to the next: between their corners.
fn flow(row: i64, widths: Vec<i64>) -> impl IntoView {
    let (top, bottom) = (row * STEP_HEIGHT + BAR_HEIGHT, (row + 1) * STEP_HEIGHT);
    let corners = |width: &i64| ((WIDTH - width) / 2, (WIDTH + width) / 2);
    let ends: Vec<_> = widths.iter().map(corners).collect();
    let points = match ends[..] {
        [(left, right), (next_left, next_right)] => {
            format!("{left},{top} {right},{top} {next_right},{bottom} {next_left},{bottom}")
        }
        _ => String::new(),
    };
    view! { <polygon class="flow" points=points /> }
}

/// The numbers of the picture with their shares of what was accepted, dismissals, and clicks by button.
#[component]
fn Numbers(texts: &'static EngagementTexts, send: SendRecord) -> impl IntoView {
    let accepted = send.counts.sent;
    let row = move |label: String, count: i64, of_accepted: bool| {
        let share = of_accepted.then(|| (texts.share)(tenths(count, accepted)));
        view! {
            <tr>
                <th scope="row">{label}</th>
                <td class="number">{group_thousands(count)}</td>
                <td class="number">{share}</td>
            </tr>
        }
    };
    let engagement = send.engagement.clone();
    let steps = steps(texts, &send)
        .map(|(class, label, count)| row(label.to_owned(), count, class != "recipients"));
    let dismissed = row(texts.dismissed.to_owned(), engagement.dismissed, true);
    let buttons: Vec<_> = engagement
        .clicks_by_action
        .into_iter()
        .map(|(action, clicks)| row((texts.button)(&action), clicks, true))
        .collect();
    let columns = vec![
        Column::Text(texts.step),
        Column::Number(texts.count),
        Column::Number(texts.of_accepted),
    ];
    view! { <Table columns>{steps.into_iter().collect_view()} {dismissed} {buttons}</Table> }
        .into_any()
}

/// Tenths of a percent.
fn tenths(count: i64, of: i64) -> i64 {
    count.saturating_mul(1_000) / of.max(1)
}
