//! The numbers of a chart of days as a table, which is folded away below it.

use leptos::prelude::*;

use crate::components::{Column, Table};
use crate::i18n::group_thousands;

/// A day with as many numbers as the table has columns of them.
pub struct DayNumbers {
    pub date: String,
    /// Where its date leads.
    pub path: Option<String>,
    pub numbers: Vec<i64>,
}

/// The days, newest first.
#[component]
pub fn DailyNumbers(
    /// What unfolds the table.
    summary: &'static str,
    /// The heading of the dates, and those of the numbers.
    date: &'static str,
    headings: Vec<&'static str>,
    /// Oldest first, as the chart has them.
    days: Vec<DayNumbers>,
) -> impl IntoView {
    let headings = headings.into_iter().map(Column::Number);
    let columns = [Column::Text(date)].into_iter().chain(headings).collect();
    let row = |day: DayNumbers| {
        let DayNumbers {
            date,
            path,
            numbers,
        } = day;
        let date = match path {
            Some(path) => view! { <a href=path>{date}</a> }.into_any(),
            None => date.into_any(),
        };
        let cell = |number| view! { <td class="number">{group_thousands(number)}</td> };
        let numbers = numbers.into_iter().map(cell).collect_view();
        view! {
            <tr>
                <th scope="row">{date}</th>
                {numbers}
            </tr>
        }
    };
    let rows = days.into_iter().rev().map(row).collect_view();
    view! {
        <details class="numbers">
            <summary>{summary}</summary>
            <Table columns>{rows}</Table>
        </details>
    }
    .into_any()
}
