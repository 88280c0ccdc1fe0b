//! Tables and what surrounds them: the frame of a list, what stands there while it is empty, and cells that several have.

use hato_domain::UnixMillis;
use leptos::prelude::*;

use super::{TimeStyle, Timestamp};

/// A column of a table, by its heading.
#[derive(Clone, Copy)]
pub enum Column {
    /// Anything that is read from left to right.
    Text(&'static str),
    /// Numbers, which are set flush right.
    Number(&'static str),
    /// Links and buttons, which need no heading for those who see them.
    Actions(&'static str),
}

impl Column {
    fn heading(self) -> AnyView {
        match self {
            Self::Text(text) => view! { <th scope="col">{text}</th> }.into_any(),
            Self::Number(text) => view! {
                <th scope="col" class="number">
                    {text}
                </th>
            }
            .into_any(),
            Self::Actions(text) => view! {
                <th scope="col">
                    <span class="visually-hidden">{text}</span>
                </th>
            }
            .into_any(),
        }
    }
}

/// A table with a row of headings; its children are the other rows.
#[component]
pub fn Table(
    #[prop(optional)] class: Option<&'static str>,
    columns: Vec<Column>,
    children: Children,
) -> impl IntoView {
    let headings = columns.into_iter().map(Column::heading);
    view! {
        <table class=class>
            <thead>
                <tr>{headings.collect_view()}</tr>
            </thead>
            <tbody>{children()}</tbody>
        </table>
    }
    .into_any()
}

/// A table in a card; its children stand there instead while there are no rows.
#[component]
pub fn List(
    /// The table's class, which names the list in the style sheet.
    class: &'static str,
    /// What assistive technology calls the list, where no headline does.
    #[prop(optional)]
    label: Option<&'static str>,
    /// The id by which an open page finds the list in order to keep it up to date.
    #[prop(optional)]
    live_id: Option<&'static str>,
    columns: Vec<Column>,
    rows: Vec<AnyView>,
    children: Children,
) -> impl IntoView {
    if rows.is_empty() {
        return children().into_any();
    }
    let live = live_id.map(|_| "");
    view! {
        <section class="card listing" aria-label=label id=live_id data-live=live>
            <Table class columns>{rows}</Table>
        </section>
    }
    .into_any()
}

/// A number under the heading `label`, which narrow screens show beside it.
#[component]
pub fn NumberCell(label: &'static str, #[prop(into)] value: String) -> impl IntoView {
    view! {
        <td class="number" data-label=label>
            {value}
        </td>
    }
}

/// A point in time, under a heading that narrow screens show beside it if it is given.
#[component]
pub fn TimeCell(
    #[prop(optional)] label: Option<&'static str>,
    at: UnixMillis,
    #[prop(optional)] style: TimeStyle,
) -> impl IntoView {
    view! {
        <td class="time" data-label=label>
            <Timestamp at style />
        </td>
    }
}
