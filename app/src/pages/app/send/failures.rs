//! What failed of a send, by reason and push service.

use hato_service::ports::{SendFailure, SendRecord};
use leptos::prelude::*;

use crate::components::{Column, Table};
use crate::i18n::{ReasonsTexts, SendTexts, group_thousands};

/// The failures with most recipients, and how many there are beyond them.
#[component]
pub fn Failures(
    texts: &'static SendTexts,
    reasons: &'static ReasonsTexts,
    send: SendRecord,
    failures: Vec<SendFailure>,
) -> impl IntoView {
    if failures.is_empty() {
        return view! { <p class="hint">{texts.no_failures}</p> }.into_any();
    }
    let listed: i64 = failures.iter().map(|failure| failure.recipients).sum();
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
    let rows = failures.into_iter().map(|failure| {
        view! {
            <tr>
                <td>{reasons.explain(&failure.reason).to_owned()}</td>
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
        <Table class="failures" columns>
            {rows.collect_view()}
            {others}
        </Table>
        {omitted}
    }
    .into_any()
}
