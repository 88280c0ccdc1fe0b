//! What failed of a send, by reason and push service, and what to do about it.

use hato_service::ports::{SendFailures, SendRecord};
use leptos::prelude::*;

use crate::components::{Column, Table};
use crate::i18n::{ReasonsTexts, SendTexts, group_thousands};

/// The failures with most recipients, and how many there are beyond them.
#[component]
pub fn Failures(
    texts: &'static SendTexts,
    reasons: &'static ReasonsTexts,
    send: SendRecord,
    failures: SendFailures,
) -> impl IntoView {
    let cut_short = failures
        .is_cut_short
        .then(|| view! { <p class="hint">{texts.failures_cut_short}</p> });
    if failures.items.is_empty() {
        let none = cut_short.is_none().then_some(texts.no_failures);
        return view! { {cut_short} {none.map(|text| view! { <p class="hint">{text}</p> })} }
            .into_any();
    }
    let items = failures.items;
    let listed: i64 = items.iter().map(|failure| failure.recipients).sum();
    let others = send.counts.failed_expired + send.counts.failed_other - listed;
    let others = (others > 0).then(|| {
        view! {
            <tr>
                <td colspan="2">{texts.others}</td>
                <td class="number">{group_thousands(others)}</td>
            </tr>
        }
    });
    let omitted = send.counts.omitted_dead_letters();
    let omitted = (omitted > 0).then(|| view! { <p class="hint">{(texts.omitted)(omitted)}</p> });
    let mut advised = Vec::new();
    let rows = items.into_iter().map(move |failure| {
        let is_first = !advised.contains(&failure.reason);
        advised.push(failure.reason.clone());
        let advice = reasons.advice(&failure.reason).filter(|_| is_first);
        view! {
            <tr>
                <td>
                    {reasons.explain(&failure.reason).to_owned()}
                    {advice.map(|text| view! { <span class="hint advice">{text}</span> })}
                </td>
                <td>
                    <code>{failure.host}</code>
                </td>
                <td class="number">{group_thousands(failure.recipients)}</td>
            </tr>
        }
    });
    let columns = vec![
        Column::Text(texts.reason),
        Column::Text(texts.service),
        Column::Number(texts.count),
    ];
    view! {
        <h3>{texts.failures}</h3>
        {cut_short}
        <Table class="failures" columns>
            {rows.collect_view()}
            {others}
        </Table>
        {omitted}
    }
    .into_any()
}
