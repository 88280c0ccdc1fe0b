//! Lists as files: what a search of the history or of the subscribers finds, as CSV.
//!
//! A file is written while it is read, a page of the list at a time. What it costs is bounded: so many rows, and so many pages, each of
//! which the account waits for its turn to read where it is a search. A session that ends while a file is written breaks it off.

mod refused_lines;
mod rows;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::middleware::map_response;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use futures_util::stream::{self, StreamExt as _, TryStream};
use hato_domain::{Cursor, ErrorCode, PageRequest};
use hato_service::ports::{SendFilter, SubscriptionFilter};
use hato_service::{ServiceError, ServiceResult};
use http::Uri;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName};

pub use self::refused_lines::refused_lines;
use self::rows::{SEND_COLUMNS, SUBSCRIBER_COLUMNS, send_row, subscriber_row};
use crate::lasting_access::LastingAccess;
use crate::local_path::with_query;
use crate::pages::{history_filter, subscriber_filter};
use crate::request_context::query_value;
use crate::{AppContext, csv, headers, rendering, session_cookie};

/// Most rows of a file.
pub const MAX_ROWS: usize = 10_000;

/// Most pages that are read for it.
const MAX_PAGES: usize = 500;

/// Rows that are read at a time.
const PAGE_SIZE: &str = "100";

/// The paths of the files.
pub fn routes(context: AppContext) -> Router {
    Router::new()
        .route("/apps/{app}/history.csv", get(history))
        .route("/apps/{app}/subscribers.csv", get(subscribers))
        .layer(map_response(headers::add_defaults))
        .with_state(context)
}

async fn history(
    State(context): State<AppContext>,
    Path(app): Path<String>,
    request: Request,
) -> Response {
    let filter = history_filter(&|name| query_value(request.uri(), name));
    respond(context, &app, request, filter.map(ListFilter::History)).await
}

async fn subscribers(
    State(context): State<AppContext>,
    Path(app): Path<String>,
    request: Request,
) -> Response {
    let filter = subscriber_filter(&|name| query_value(request.uri(), name));
    respond(context, &app, request, filter.map(ListFilter::Subscribers)).await
}

/// A list, and what it is searched for.
enum ListFilter {
    History(SendFilter),
    Subscribers(SubscriptionFilter),
}

/// The file, or the page that says why there is none.
async fn respond(
    context: AppContext,
    app: &str,
    request: Request,
    list: ServiceResult<ListFilter>,
) -> Response {
    let session = session_cookie::read(request.headers());
    match open(&context, app, session, list).await {
        Ok(file) => file,
        Err(error) if error.is_logged_out() => to_login(request.uri()),
        Err(error) => {
            if let Some(cause) = error.cause() {
                tracing::error!(error = cause, "a file could not be begun");
            }
            rendering::error_page(&context, request, error.code()).await
        }
    }
}

/// The login, which leads on to the file.
fn to_login(uri: &Uri) -> Response {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    Redirect::to(&with_query("/login", &[("next", path)])).into_response()
}

/// The same checks as those of the list's page. The first rows are read before the answer begins, so that it can still be another.
async fn open(
    context: &AppContext,
    app: &str,
    session: Option<String>,
    list: ServiceResult<ListFilter>,
) -> ServiceResult<Response> {
    let mut file = File {
        access: LastingAccess::check(&context.service, session, app).await?,
        list: list?,
        page: PageRequest::parse(Some(PAGE_SIZE), None, None)?,
        rows_left: MAX_ROWS,
        pages_left: MAX_PAGES,
        is_finished: false,
    };
    let (name, heading) = file.heading()?;
    let first = [heading, file.next_part().await?.unwrap_or_default()].concat();
    let first = stream::once(async { Ok(Bytes::from(first)) });
    let body = Body::from_stream(first.chain(rest(file)));
    Ok((attachment(name), body).into_response())
}

/// The headers of a file that is saved and not kept.
fn attachment(name: &str) -> [(HeaderName, String); 3] {
    [
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CACHE_CONTROL, "no-store".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ]
}

/// What follows. A failure breaks the file off, and its cause goes to the log.
fn rest(
    file: File,
) -> impl TryStream<Ok = Bytes, Error = ErrorCode, Item = Result<Bytes, ErrorCode>> {
    stream::try_unfold(file, async |mut file| {
        let part = file.next_part().await.map_err(|error| broken_off(&error))?;
        Ok(part.map(|part| (Bytes::from(part), file)))
    })
}

fn broken_off(error: &ServiceError) -> ErrorCode {
    tracing::error!(error = error.cause(), code = %error.code(), "a file was broken off");
    error.code()
}

/// A file that is being written.
struct File {
    access: LastingAccess,
    list: ListFilter,
    page: PageRequest,
    rows_left: usize,
    pages_left: usize,
    is_finished: bool,
}

impl File {
    /// What it is called, and its first line.
    fn heading(&self) -> ServiceResult<(&'static str, Vec<u8>)> {
        Ok(match self.list {
            ListFilter::History(_) => ("history.csv", csv::heading(SEND_COLUMNS)?),
            ListFilter::Subscribers(_) => ("subscribers.csv", csv::heading(SUBSCRIBER_COLUMNS)?),
        })
    }

    /// The next lines, which may be none; nothing at the end.
    async fn next_part(&mut self) -> ServiceResult<Option<Vec<u8>>> {
        if self.is_finished || self.rows_left == 0 || self.pages_left == 0 {
            return Ok(None);
        }
        self.access.check_if_due().await?;
        let (service, access) = (self.access.service(), self.access.right());
        self.pages_left -= 1;
        let (part, next) = match &self.list {
            ListFilter::History(filter) => {
                let page = service.searched_history(access, filter, &self.page);
                let page = page.await?;
                let rows = page.items.into_iter().take(self.rows_left);
                let rows: Vec<_> = rows.map(send_row).collect();
                self.rows_left -= rows.len();
                (csv::lines(rows)?, page.next)
            }
            ListFilter::Subscribers(filter) => {
                let page = service.listed_subscriptions(access, filter, &self.page);
                let page = page.await?;
                let rows = page.items.into_iter().take(self.rows_left);
                let rows: Vec<_> = rows.map(subscriber_row).collect();
                self.rows_left -= rows.len();
                let before_id = page.next_before_id;
                let next = page.next_before.map(|before| Cursor { before, before_id });
                (csv::lines(rows)?, next)
            }
        };
        self.is_finished = next.is_none();
        self.page.cursor = next;
        Ok(Some(part))
    }
}
