//! Whom a send to everybody would go to, and how many of them the last one has reached.

use hato_service::ports::{AppRecord, AudienceSummary, ReachCount};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{Column, EmptyState, List, Note, NumberCell, Tone};
use crate::i18n::{AudienceTexts, group_thousands};
use crate::local_path::with_query;
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The reach of the app.
#[component]
pub fn AudiencePage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let summary = ctx.service().audience(&access, None).await?;
        Ok(view! { <AudienceView ctx app summary /> }.into_any())
    })
}

#[component]
fn AudienceView(ctx: RequestContext, app: AppRecord, summary: AudienceSummary) -> impl IntoView {
    let texts = &ctx.texts().app.audience;
    let base = app_path(&app);
    let recipients = summary.recipients;
    let answered: i64 = summary.by_age.iter().map(|it| it.answered_last_send).sum();
    let lead = (texts.lead)(group_thousands(recipients), group_thousands(answered));
    let estimated = summary
        .is_approximate
        .then(|| view! { <Note tone=Tone::Info text=texts.approximate /> });
    let list = if recipients == 0 {
        view! {
            <EmptyState title=texts.empty_title text=texts.empty>
                <a class="button" href=format!("{base}/embed")>
                    {texts.embed}
                </a>
            </EmptyState>
        }
        .into_any()
    } else {
        view! {
            <p class="lead">{lead}</p>
            <p>{texts.about}</p>
            {estimated}
            <Ages texts groups=summary.by_age />
            <Hosts texts base hosts=summary.by_host />
        }
        .into_any()
    };
    view! {
        <AppFrame app section=Section::Audience>
            {list}
        </AppFrame>
    }
    .into_any()
}

/// How many are of each age, and how many of them took the last send.
#[component]
fn Ages(texts: &'static AudienceTexts, groups: [ReachCount; 4]) -> impl IntoView {
    let names = [texts.to_30, texts.to_90, texts.to_270, texts.older];
    let groups = names.into_iter().zip(groups);
    let rows = groups.map(|(name, group)| row(texts, name.into_any(), group));
    view! {
        <h2>{texts.by_age}</h2>
        <List class="list audience-ages" columns=columns(texts, texts.age) rows=rows.collect()>
            <p class="empty">{texts.empty}</p>
        </List>
    }
    .into_any()
}

/// How many each push service has, with the list of them, and how many of them took the last send.
#[component]
fn Hosts(
    texts: &'static AudienceTexts,
    base: String,
    hosts: Vec<(String, ReachCount)>,
) -> impl IntoView {
    let rows = hosts.into_iter().map(|(host, group)| {
        let name = view! { <Host texts list=format!("{base}/subscribers") host /> };
        row(texts, name.into_any(), group)
    });
    view! {
        <h2>{texts.by_host}</h2>
        <List class="list audience-hosts" columns=columns(texts, texts.host) rows=rows.collect()>
            <p class="empty">{texts.empty}</p>
        </List>
    }
    .into_any()
}

/// A push service that leads to who is reached through it.
#[component]
fn Host(texts: &'static AudienceTexts, list: String, host: String) -> impl IntoView {
    if !host.contains(['.', ':']) {
        return texts.other.into_any();
    }
    let path = with_query(&list, &[("host", host.as_str()), ("state", "active")]);
    view! { <a href=path>{host}</a> }.into_any()
}

fn columns(texts: &'static AudienceTexts, group: &'static str) -> Vec<Column> {
    vec![
        Column::Text(group),
        Column::Number(texts.recipients),
        Column::Number(texts.answered),
        Column::Number(texts.share),
    ]
}

fn row(texts: &'static AudienceTexts, name: AnyView, group: ReachCount) -> AnyView {
    let ReachCount {
        recipients,
        answered_last_send,
    } = group;
    view! {
        <tr>
            <th scope="row">{name}</th>
            <NumberCell label=texts.recipients value=group_thousands(recipients) />
            <NumberCell label=texts.answered value=group_thousands(answered_last_send) />
            <NumberCell label=texts.share value=share(texts, answered_last_send, recipients) />
        </tr>
    }
    .into_any()
}

/// A part in percent; a dash of nothing.
fn share(texts: &AudienceTexts, part: i64, whole: i64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    (texts.percent)((part * 200 + whole) / (whole * 2))
}

#[cfg(test)]
mod tests {
    use super::share;
    use crate::i18n::AudienceTexts;

    #[test]
    fn a_share_is_rounded() {
        for (part, whole, english, japanese) in [
            (0, 0, "–", "–"),
            (2_000, 21_000, "10%", "10 %"),
            (1, 1, "100%", "100 %"),
        ] {
            assert_eq!(share(&AudienceTexts::EN, part, whole), english);
            assert_eq!(share(&AudienceTexts::JA, part, whole), japanese);
        }
    }
}
