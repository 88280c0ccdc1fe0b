//! How far a send is, drawn small.

use hato_service::ports::SendRecord;
use leptos::prelude::*;

use crate::i18n::{HistoryTexts, group_thousands};

/// Units of the bar.
const WIDTH: i64 = 100;
const HEIGHT: i64 = 6;

/// What became of a send's recipients: who took it, who failed, who was left out, and who is still to come. Nothing where it has none.
#[component]
pub fn DeliveryBar(texts: &'static HistoryTexts, send: SendRecord) -> impl IntoView {
    let counts = send.counts;
    let failed = counts.failed_expired + counts.failed_other;
    let left_out = counts.skipped + counts.cancelled;
    let rest = (send.recipients - counts.sent - failed - left_out).max(0);
    let said = [counts.sent, failed, left_out, rest].map(group_thousands);
    let mut end = 0;
    let parts = [
        ("sent", counts.sent),
        ("failed", failed),
        ("left-out", left_out),
    ];
    let parts = parts.map(|(class, count)| {
        let x = end;
        end += share(count, send.recipients);
        view! { <rect class=class x=x y="0" width={end - x} height=HEIGHT /> }
    });
    (send.recipients > 0).then(|| {
        view! {
            <svg
                class="delivery-bar"
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                preserveAspectRatio="none"
                role="img"
                aria-label=(texts.delivery)(said)
            >
                <rect class="ground" width=WIDTH height=HEIGHT />
                {parts}
            </svg>
        }
        .into_any()
    })
}

/// How many units are so many of all; what there is must be seen.
fn share(count: i64, all: i64) -> i64 {
    let exact = count.saturating_mul(WIDTH) / all.max(1);
    exact.max(i64::from(count > 0) * 2)
}
