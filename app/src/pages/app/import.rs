//! Subscribers from a file: looked at first, then taken (CONTRACT 16).

use hato_domain::ErrorCode;
use hato_domain::import::RefusedLine;
use hato_service::ports::{AppRecord, VapidKeyRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{Column, List, Note, NumberCell, Tone};
use crate::i18n::{self, ImportTexts, group_thousands};
use crate::pages::load_page;
use crate::request_context::RequestContext;
use crate::upload::{Stopped, TakenList, Upload};

/// The form; what was uploaded from it comes with the request.
#[component]
pub fn ImportPage() -> impl IntoView {
    let upload = use_context::<Upload>();
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let taken = match &upload {
            Some(upload) => upload.take(&ctx, &access).await,
            None => None,
        };
        if let Some(stopped) = taken.as_ref().and_then(|taken| taken.stopped.as_ref()) {
            ctx.refuse(stopped.code());
        }
        let keys = ctx.service().vapid_keys(&access).await?;
        Ok(view! { <ImportView ctx app keys taken /> }.into_any())
    })
}

#[component]
fn ImportView(
    ctx: RequestContext,
    app: AppRecord,
    keys: Vec<VapidKeyRecord>,
    taken: Option<TakenList>,
) -> impl IntoView {
    let texts = &ctx.texts().app.import;
    let base = app_path(&app);
    view! {
        <AppFrame app section=Section::Subscribers title=texts.title>
            <p class="lead">{texts.lead}</p>
            {taken.map(|taken| view! { <Outcome ctx=ctx.clone() texts taken /> })}
            <p>
                {texts.key_first} " " <a href=format!("{base}/keys/vapid")>{texts.keys}</a>
            </p>
            <UploadForm texts path=format!("{base}/subscribers/import") keys />
        </AppFrame>
    }
    .into_any()
}

/// The button that imports posts the same form to another address: what is asked for is known before the file arrives.
#[component]
fn UploadForm(
    texts: &'static ImportTexts,
    path: String,
    keys: Vec<VapidKeyRecord>,
) -> impl IntoView {
    let others = keys.iter().filter(|key| !key.is_primary);
    let others: Vec<_> = others.map(VapidKeyRecord::public_text).collect();
    let choice = (!others.is_empty()).then(|| view! { <KeyChoice texts keys=others /> });
    view! {
        <form
            class="card narrow"
            id="import"
            method="post"
            enctype="multipart/form-data"
            action=format!("{path}?step=check")
        >
            {choice}
            <div class="field">
                <label for="import-list">{texts.list}</label>
                <input
                    id="import-list"
                    name="list"
                    type="file"
                    required
                    accept=".ndjson,.jsonl,.json,.csv,.txt"
                    aria-describedby="import-list-hint"
                />
                <p class="hint" id="import-list-hint">
                    {texts.list_hint}
                </p>
            </div>
            <button type="submit" class="button">
                {texts.check}
            </button>
            " "
            <button type="submit" class="button quiet" formaction=format!("{path}?step=import")>
                {texts.import}
            </button>
        </form>
    }
    .into_any()
}

#[component]
fn KeyChoice(texts: &'static ImportTexts, keys: Vec<String>) -> impl IntoView {
    let choice = |key: String| {
        let value = key.clone();
        view! { <option value=value>{key}</option> }
    };
    view! {
        <div class="field">
            <label for="import-key">{texts.key}</label>
            <select id="import-key" name="key">
                <option value="">{texts.primary}</option>
                {keys.into_iter().map(choice).collect_view()}
            </select>
        </div>
    }
    .into_any()
}

/// What became of a list.
#[component]
fn Outcome(ctx: RequestContext, texts: &'static ImportTexts, taken: TakenList) -> impl IntoView {
    let TakenList {
        is_dry_run,
        report,
        stopped,
    } = taken;
    let count = |number| group_thousands(i64::try_from(number).unwrap_or(i64::MAX));
    let counts = (count(report.created), count(report.updated));
    let is_stored = report.created + report.updated > 0;
    let told = match (&stopped, is_dry_run) {
        (None, true) => Some((Tone::Info, (texts.checked)(counts.0, counts.1))),
        (None, false) => Some((Tone::Success, (texts.imported)(counts.0, counts.1))),
        (Some(_), false) if is_stored => {
            Some((Tone::Warning, (texts.imported_in_part)(counts.0, counts.1)))
        }
        (Some(_), _) => None,
    };
    let why = stopped.map(|stopped| why(&ctx, texts, &stopped));
    let refused = (report.refused > 0).then(|| (texts.refused)(count(report.refused)));
    let row = |line| view! { <Row ctx=ctx.clone() texts line /> }.into_any();
    let rows = report.first_refused.into_iter().map(row).collect();
    let columns = vec![
        Column::Number(texts.line),
        Column::Text(texts.code),
        Column::Text(texts.reason),
    ];
    view! {
        {why.map(|text| view! { <Note tone=Tone::Error text /> })}
        {told.map(|(tone, text)| view! { <Note tone text /> })}
        {refused.map(|text| view! { <p>{text}</p> })}
        <List class="list refused-lines" label=texts.reason columns rows>
            ""
        </List>
    }
    .into_any()
}

fn why(ctx: &RequestContext, texts: &ImportTexts, stopped: &Stopped) -> &'static str {
    match stopped {
        Stopped::NotAList(error) => texts.not_a_list(*error),
        Stopped::Refused(code) => {
            let text = texts.refusal(*code);
            text.unwrap_or_else(|| i18n::message(ctx.lang(), *code))
        }
    }
}

#[component]
fn Row(ctx: RequestContext, texts: &'static ImportTexts, line: RefusedLine) -> impl IntoView {
    let reason = texts.line_reason(&line.code).or_else(|| {
        let code = ErrorCode::parse(&line.code)?;
        Some(i18n::message(ctx.lang(), code))
    });
    let reason = reason.map_or(line.message, str::to_owned);
    view! {
        <tr>
            <NumberCell label=texts.line value=line.line.to_string() />
            <td data-label=texts.code>
                <code>{line.code}</code>
            </td>
            <td data-label=texts.reason>{reason}</td>
        </tr>
    }
    .into_any()
}
