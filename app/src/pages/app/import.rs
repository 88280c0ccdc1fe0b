//! Subscribers from a file: looked at first, then taken (CONTRACT 16).

use hato_domain::import::RefusedLine;
use hato_service::ListReport;
use hato_service::ports::{AppRecord, VapidKeyRecord};
use leptos::nonce::use_nonce;
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{Column, FileField, List, Note, NumberCell, Tone};
use crate::i18n::{self, ImportTexts, group_thousands};
use crate::pages::load_page;
use crate::request_context::RequestContext;
use crate::upload::{MAX_LIST_BYTES, REFUSED_LINES_STEP, Stopped, TakenList, Upload};

/// The form; what was uploaded from it comes with the request.
#[component]
pub fn ImportPage() -> impl IntoView {
    let upload = use_context::<Upload>();
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let taken = match &upload {
            Some(upload) => {
                let access = ctx.lasting_access(app.id.as_str()).await?;
                upload.take(&ctx, access).await
            }
            None => None,
        };
        let stopped = taken.as_ref().and_then(|taken| taken.stopped.as_ref());
        if let Some(code) = stopped.map(Stopped::code) {
            // It may have been because the session has ended, or the app is gone.
            load_app(&ctx).await?;
            ctx.refuse(code);
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
    let path = format!("{base}/subscribers/import");
    let script = ctx.app_context().package_file("-upload.js");
    view! {
        <AppFrame app section=Section::Subscribers title=texts.title>
            <script src=script nonce=use_nonce() defer=true></script>
            <p class="lead">{texts.lead}</p>
            <div id="import-outcome">
                {taken
                    .map(|taken| view! { <Outcome ctx=ctx.clone() texts path=path.clone() taken /> })}
            </div>
            <p>
                {texts.key_first} " " <a href=format!("{base}/keys/vapid")>{texts.keys}</a>
            </p>
            <UploadForm texts path keys />
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
    // Where the script writes how much is sent.
    let sending = (texts.sending)("{}".to_owned());
    let choice = (!others.is_empty()).then(|| view! { <KeyChoice texts keys=others /> });
    view! {
        <form
            class="card narrow"
            id="import"
            method="post"
            enctype="multipart/form-data"
            action=format!("{path}?step=check")
            data-upload="import-outcome"
            data-sending=sending
            data-working=texts.working
            data-not-sent=texts.not_sent
            data-max-bytes=MAX_LIST_BYTES.to_string()
            data-too-large=texts.too_large
        >
            {choice}
            <FileField
                id="import-list"
                name="list"
                accept=".ndjson,.jsonl,.json,.csv,.txt"
                label=texts.list
                hint=texts.list_hint
            />
            <button type="submit" class="button">
                {texts.check}
            </button>
            " "
            <button type="submit" class="button quiet" formaction=format!("{path}?step=import")>
                {texts.import}
            </button>
            <UploadProgress label=texts.list />
        </form>
    }
    .into_any()
}

/// How far an upload is, which `app/scripts/upload.js` shows.
#[component]
fn UploadProgress(label: &'static str) -> impl IntoView {
    view! {
        <div class="upload-progress" hidden>
            <progress max="1" aria-label=label></progress>
            <p role="status"></p>
        </div>
    }
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
fn Outcome(
    ctx: RequestContext,
    texts: &'static ImportTexts,
    path: String,
    taken: TakenList,
) -> impl IntoView {
    let TakenList {
        is_dry_run,
        report,
        stopped,
    } = taken;
    let note = taken_note(texts, &report, is_dry_run, stopped.is_some());
    let why = stopped.map(|stopped| why(&ctx, texts, &stopped));
    let refused = (report.refused > 0).then(|| {
        let text = (texts.refused)(count(report.refused));
        view! { <RefusedFile texts path text /> }
    });
    let row = |line| view! { <Row ctx=ctx.clone() texts line /> }.into_any();
    let rows = report.first_refused.into_iter().map(row).collect();
    let columns = vec![
        Column::Number(texts.line),
        Column::Text(texts.code),
        Column::Text(texts.reason),
    ];
    view! {
        {why.map(|text| view! { <Note tone=Tone::Error text /> })}
        {note.map(|(tone, text)| view! { <Note tone text /> })}
        {refused}
        <List class="list refused-lines" label=texts.reason columns rows>
            ""
        </List>
    }
    .into_any()
}

/// How many subscribers the list has, if it was taken at all.
fn taken_note(
    texts: &ImportTexts,
    report: &ListReport,
    is_dry_run: bool,
    is_stopped: bool,
) -> Option<(Tone, String)> {
    let (tone, text) = match (is_stopped, is_dry_run) {
        (false, true) => (Tone::Info, texts.checked),
        (false, false) => (Tone::Success, texts.imported),
        (true, false) if report.created + report.updated > 0 => {
            (Tone::Warning, texts.imported_in_part)
        }
        (true, _) => return None,
    };
    Some((tone, text(count(report.created), count(report.updated))))
}

fn count(number: usize) -> String {
    group_thousands(i64::try_from(number).unwrap_or(i64::MAX))
}

/// How many lines were refused, and the button that saves them all: it posts the form once more, for a file.
#[component]
fn RefusedFile(texts: &'static ImportTexts, path: String, text: String) -> impl IntoView {
    view! {
        <p>{text}</p>
        <p>
            <button
                type="submit"
                class="button quiet"
                form="import"
                formaction=format!("{path}?step={REFUSED_LINES_STEP}")
                aria-describedby="refused-file-hint"
                data-file
            >
                {texts.refused_file}
            </button>
        </p>
        <p class="hint" id="refused-file-hint">
            {texts.refused_file_hint}
        </p>
    }
}

fn why(ctx: &RequestContext, texts: &ImportTexts, stopped: &Stopped) -> String {
    match stopped {
        Stopped::Format(error) => texts.not_a_list(*error),
        Stopped::Refused(code) => {
            let text = texts.refusal(*code);
            let text = text.unwrap_or_else(|| i18n::message(ctx.lang(), *code));
            text.to_owned()
        }
    }
}

#[component]
fn Row(ctx: RequestContext, texts: &'static ImportTexts, line: RefusedLine) -> impl IntoView {
    let reason = texts.reason(ctx.lang(), &line);
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
