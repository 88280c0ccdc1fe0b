//! How far a send is: rendered with its page, and again with every event.

use hato_domain::ErrorCode;
use hato_service::ports::{SendRecord, SendStatus};
use leptos::prelude::*;

use super::failures::Failures;
use crate::components::{Fact, TimeStyle, Timestamp};
use crate::i18n::{AppTexts, SendTexts, group_thousands};
use crate::send_snapshot::{SendSnapshot, settled};

/// Units of the bar, whose lengths are thousandths.
const BAR_UNITS: i64 = 1_000;

/// How far it is: the numbers, or why there are none.
#[component]
pub fn Progress(texts: &'static AppTexts, snapshot: SendSnapshot) -> impl IntoView {
    let running = snapshot.is_running().then_some("");
    let open = (snapshot.is_running() || snapshot.is_scheduled()).then_some("");
    let words = &texts.send;
    let (status, status_name) = texts.history.badge(&snapshot.send);
    let body = match without_numbers(words, &snapshot.send) {
        Some(text) => view! { <p>{text}</p> }.into_any(),
        None => view! { <Numbers texts snapshot /> }.into_any(),
    };
    view! {
        <section class="card progress" id="progress" data-live data-running=running data-open=open>
            <div class="progress-head">
                <h2>{words.progress}</h2>
                <span class=format!("status {status}")>{status_name}</span>
            </div>
            {body}
        </section>
    }
    .into_any()
}

/// What is said of a send that has no recipients yet, or never had any.
fn without_numbers(texts: &SendTexts, send: &SendRecord) -> Option<String> {
    let refused = |code: &str| {
        let is_limit = code == ErrorCode::MonthlyLimitExceeded.as_str();
        let reason = is_limit.then_some(texts.over_limit);
        (texts.refused)(reason.unwrap_or(code))
    };
    match send.status {
        SendStatus::Scheduled => Some(texts.waits.to_owned()),
        SendStatus::Refused => send.refused_reason.as_deref().map(refused),
        SendStatus::Cancelled if send.recipients == 0 => Some(texts.called_off.to_owned()),
        _ => None,
    }
}

/// The bar, the numbers, the rate and the failures.
#[component]
fn Numbers(texts: &'static AppTexts, snapshot: SendSnapshot) -> impl IntoView {
    let words = &texts.send;
    let send = snapshot.send.clone();
    let base = format!("/apps/{}", snapshot.app());
    let letters = format!("{base}/dead-letters?send={}", send.id);
    let Some(percent) = snapshot.percent() else {
        return view! { <p>{words.nobody}</p> }.into_any();
    };
    view! {
        <p class="percent">
            <b>{(words.percent)(percent)}</b>
            " "
            <span>{(words.recipients)(send.recipients)}</span>
        </p>
        <Bar texts=words send=send.clone() />
        <Counts texts=words send=send.clone() letters />
        <Waiting texts=words send=send.clone() />
        <Timing texts=words snapshot=snapshot.clone() />
        <Failures texts base send failures=snapshot.into_failures() />
    }
    .into_any()
}

/// What became of how many, in the order of the bar.
fn parts(texts: &SendTexts, send: &SendRecord) -> [(&'static str, &'static str, i64); 6] {
    let counts = send.counts;
    let pending = send.recipients - settled(send);
    [
        ("sent", texts.sent, counts.sent),
        ("expired", texts.expired, counts.failed_expired),
        ("failed", texts.other, counts.failed_other),
        ("skipped", texts.skipped, counts.skipped),
        ("cancelled", texts.cancelled, counts.cancelled),
        ("pending", texts.pending, pending),
    ]
}

/// The numbers beside it say the same.
#[component]
fn Bar(texts: &'static SendTexts, send: SendRecord) -> impl IntoView {
    let length = |count: i64| count.saturating_mul(BAR_UNITS) / send.recipients.max(1);
    let mut x = 0;
    let pieces = parts(texts, &send)
        .into_iter()
        .filter(|(name, _, count)| *count > 0 && *name != "pending")
        .map(|(name, _, count)| {
            let (from, width) = (x, length(count));
            x += width;
            view! { <rect class=name x=from y="0" width=width height="16" /> }
        })
        .collect_view();
    view! {
        <svg
            class="bar"
            viewBox=format!("0 0 {BAR_UNITS} 16")
            preserveAspectRatio="none"
            aria-hidden="true"
            focusable="false"
        >
            <rect class="pending" width=BAR_UNITS height="16" />
            {pieces}
        </svg>
    }
    .into_any()
}

#[component]
fn Counts(
    texts: &'static SendTexts,
    send: SendRecord,
    /// The path of the send's dead letters.
    letters: String,
) -> impl IntoView {
    let counts = parts(texts, &send)
        .into_iter()
        .filter(|(name, _, count)| *count > 0 || matches!(*name, "sent" | "expired" | "failed"))
        .map(|(class, label, count)| {
            let number = group_thousands(count);
            let number = if class == "failed" && count > 0 {
                let letters = letters.clone();
                view! { <a href=letters>{number}</a> }.into_any()
            } else {
                number.into_any()
            };
            view! {
                <div class=class>
                    <dt>{label}</dt>
                    <dd>{number}</dd>
                </div>
            }
        });
    view! {
        <dl class="counts">{counts.collect_view()}</dl>
        <p class="hint">{texts.sent_means}</p>
    }
    .into_any()
}

/// Who waits for another attempt, and until when: else a send in its retries would seem to be stuck.
#[component]
fn Waiting(texts: &'static SendTexts, send: SendRecord) -> impl IntoView {
    send.waiting.map(|waiting| {
        let text = (texts.waiting)(waiting.recipients, waiting.is_cut_short);
        view! {
            <p class="waiting">{text} " " <Timestamp at=waiting.next_at style=TimeStyle::Clock /></p>
        }
    })
}

/// How fast it goes and how long it will, or how long it took.
#[component]
fn Timing(texts: &'static SendTexts, snapshot: SendSnapshot) -> impl IntoView {
    let time = match snapshot.elapsed_millis() {
        Some(took) => Some((texts.took_label, (texts.took)(took))),
        None => snapshot
            .seconds_left()
            .map(|left| (texts.left_label, (texts.left)(left))),
    };
    let rate = snapshot.rate();
    view! {
        <dl class="facts">
            {rate.map(|rate| view! { <Fact label=texts.rate_label>{(texts.rate)(rate)}</Fact> })}
            {time.map(|(label, text)| view! { <Fact label>{text}</Fact> })}
        </dl>
    }
    .into_any()
}
