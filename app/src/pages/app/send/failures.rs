//! What failed of a send, by reason and push service, and what to do about it.

use hato_service::ports::{SendFailures, SendRecord};
use leptos::prelude::*;

use crate::components::{Column, Table};
use crate::i18n::{AppTexts, group_thousands};
use crate::pages::app::advice::Advice;

/// The failures with most recipients, and how many there are beyond them.
#[component]
pub fn Failures(
    texts: &'static AppTexts,
    /// The path of the app.
    base: String,
    send: SendRecord,
    failures: SendFailures,
) -> impl IntoView {
    let (words, reasons) = (&texts.send, &texts.dead_letters.reasons);
    let cut_short = failures
        .is_cut_short
        .then(|| view! { <p class="hint">{words.failures_cut_short}</p> });
    if failures.items.is_empty() {
        let none = cut_short.is_none().then_some(words.no_failures);
        return view! { {cut_short} {none.map(|text| view! { <p class="hint">{text}</p> })} }
            .into_any();
    }
    let items = failures.items;
    let listed: i64 = items.iter().map(|failure| failure.recipients).sum();
    let others = send.counts.failed_expired + send.counts.failed_other - listed;
    let others = (others > 0).then(|| {
        view! {
            <tr>
                <td colspan="2">{words.others}</td>
                <td class="number">{group_thousands(others)}</td>
            </tr>
        }
    });
    let omitted = send.counts.omitted_dead_letters();
    let omitted = (omitted > 0).then(|| view! { <p class="hint">{(words.omitted)(omitted)}</p> });
    let mut advised = Vec::new();
    let rows = items.into_iter().map(move |failure| {
        let is_first = !advised.contains(&failure.reason);
        advised.push(failure.reason.clone());
        let advice = Advice::new(texts, &base, &failure.reason).filter(|_| is_first);
        let advice = advice.map(|advice| {
            view! { <span class="hint advice">{advice.render()}</span> }
        });
        view! {
            <tr>
                <td>
                    {reasons.explain(&failure.reason).to_owned()}
                    {advice}
                </td>
                <td>
                    <code>{failure.host}</code>
                </td>
                <td class="number">{group_thousands(failure.recipients)}</td>
            </tr>
        }
    });
    let columns = vec![
        Column::Text(words.reason),
        Column::Text(words.service),
        Column::Number(words.count),
    ];
    view! {
        <h3>{words.failures}</h3>
        {cut_short}
        <Table class="failures" columns>
            {rows.collect_view()}
            {others}
        </Table>
        {omitted}
    }
    .into_any()
}
