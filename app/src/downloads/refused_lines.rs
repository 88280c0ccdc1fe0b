//! The lines of an uploaded list that would not be taken, as a file.
//!
//! Nothing of a list stays on the server: the file comes from looking at the list once more, which is posted with the request.

use axum::response::{IntoResponse as _, Response};
use hato_domain::import::RefusedLine;
use hato_service::ServiceResult;
use http::request::Parts;

use super::{MAX_ROWS, attachment};
use crate::i18n::Texts;
use crate::language::Lang;
use crate::lasting_access::LastingAccess;
use crate::request_context::query_value;
use crate::upload::{REFUSED_LINES_STEP, Upload, takes_list};
use crate::{AppContext, csv, session_cookie};

const COLUMNS: [&str; 3] = ["line", "code", "reason"];

/// The file; `None` where the page is to answer, which says what is wrong.
pub async fn refused_lines(
    context: &AppContext,
    request: &Parts,
    upload: &Upload,
) -> Option<Response> {
    let path = request.uri.path();
    if !takes_list(path) || query_value(&request.uri, "step").as_deref() != Some(REFUSED_LINES_STEP)
    {
        return None;
    }
    let (app, _) = path.strip_prefix("/apps/")?.split_once('/')?;
    let session = session_cookie::read(&request.headers);
    let access = LastingAccess::check(&context.service, session, app).await;
    let taken = upload.inspect(access.ok()?, MAX_ROWS).await?;
    if taken.stopped.is_some() {
        upload.put_back(taken);
        return None;
    }
    let lang = Lang::from_headers(&request.headers);
    let file = file(lang, taken.report.first_refused).ok()?;
    Some((attachment("refused-lines.csv"), file).into_response())
}

fn file(lang: Lang, lines: Vec<RefusedLine>) -> ServiceResult<Vec<u8>> {
    let texts = &Texts::for_language(lang).app.import;
    let row = |line: RefusedLine| {
        let reason = texts.reason(lang, &line);
        [line.line.to_string(), line.code, reason]
    };
    let rows = csv::lines(lines.into_iter().map(row))?;
    Ok([csv::heading(COLUMNS)?, rows].concat())
}
