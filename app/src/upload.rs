//! Forms that upload a file, as they arrive: a list of subscribers here, a picture in `picture.rs`, and one with a draft in `draft.rs`. Of
//! each `bounded_form.rs` bounds what is held before anything is found in it.

mod bounded_form;
mod draft;
mod picture;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::HttpBody as _;
use axum::extract::Request;
use hato_domain::ErrorCode;
use hato_domain::import::ListFormatError;
use hato_service::{ListError, ListOptions, ListReport, PictureError, ServiceError};

use self::bounded_form::{BoundedField, BoundedForm};
pub use self::draft::{UnreadDraft, brings_picture};
pub use self::picture::takes_picture;
use crate::lasting_access::LastingAccess;
use crate::request_context::RequestContext;

/// Most bytes of a list that a form uploads; `hato import` takes larger ones.
pub const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;

/// Most bytes of the form around the list.
pub const MAX_FORM_BYTES: usize = 16 * 1024;

/// The step of the form that asks for the lines of a list that would not be taken, as a file.
pub const REFUSED_LINES_STEP: &str = "refused";

/// The field of a picture.
const PICTURE_FIELD: &str = "picture";

/// Most bytes of a field that is no file.
const MAX_FIELD_BYTES: usize = 256;

/// Whether forms that are posted to the path are streamed: they may be larger than others, and take longer.
pub fn takes_list(path: &str) -> bool {
    let app = path.strip_prefix("/apps/");
    let app = app.and_then(|rest| rest.strip_suffix("/subscribers/import"));
    app.is_some_and(|app| !app.contains('/'))
}

/// Refused lines that the page names.
pub const MAX_SHOWN_LINES: usize = 100;

/// What was posted, which is taken once.
#[derive(Clone)]
pub struct Upload(Arc<Mutex<Option<Posted>>>);

enum Posted {
    /// A form, or why it is not read.
    Form(Result<BoundedForm, ErrorCode>),
    /// A picture that was read before the page, or why it was not.
    Picture(Result<Vec<u8>, PictureError>),
    /// A list that was read before the page.
    List(TakenList),
}

/// What became of a list.
pub struct TakenList {
    /// Whether nothing was stored.
    pub is_dry_run: bool,
    pub report: ListReport,
    /// Why the rest of it was not looked at.
    pub stopped: Option<Stopped>,
}

/// Why a list was not read to its end.
pub enum Stopped {
    Format(ListFormatError),
    Refused(ErrorCode),
}

impl Upload {
    /// The form of a request that uploads at most so many bytes; one whose announced length is larger is not read.
    pub async fn read(request: Request, max_bytes: usize) -> Self {
        let bytes = request.body().size_hint().lower();
        let form = if bytes > (max_bytes + MAX_FORM_BYTES) as u64 {
            Err(ErrorCode::PayloadTooLarge)
        } else {
            BoundedForm::of(request).await
        };
        Self::new(Posted::Form(form))
    }

    fn new(posted: Posted) -> Self {
        Self(Arc::new(Mutex::new(Some(posted))))
    }

    /// What was posted, once.
    fn posted(&self) -> MutexGuard<'_, Option<Posted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The form that was posted, once.
    fn form(&self) -> Option<Result<BoundedForm, ErrorCode>> {
        match self.posted().take()? {
            Posted::Form(form) => Some(form),
            Posted::List(_) | Posted::Picture(_) => None,
        }
    }

    /// Takes the list: looks at it, or stores its subscribers where the page was asked to.
    pub async fn take(&self, ctx: &RequestContext, access: LastingAccess) -> Option<TakenList> {
        let form = match self.posted().take()? {
            Posted::Form(form) => form,
            Posted::List(taken) => return Some(taken),
            Posted::Picture(_) => return None,
        };
        let options = ListOptions {
            is_dry_run: ctx.query("step").as_deref() != Some("import"),
            max_refused: MAX_SHOWN_LINES,
            ..ListOptions::default()
        };
        Some(take(access, form, options).await)
    }

    /// Looks at the list, of which nothing is stored, for at most so many refused lines.
    pub async fn inspect(&self, access: LastingAccess, max_refused: usize) -> Option<TakenList> {
        let form = self.form()?;
        let options = ListOptions {
            is_dry_run: true,
            max_refused,
            ..ListOptions::default()
        };
        Some(take(access, form, options).await)
    }

    /// Puts back a list that was looked at, for the page to say what became of it.
    pub fn put_back(&self, mut taken: TakenList) {
        taken.report.first_refused.truncate(MAX_SHOWN_LINES);
        *self.posted() = Some(Posted::List(taken));
    }
}

async fn take(
    access: LastingAccess,
    form: Result<BoundedForm, ErrorCode>,
    options: ListOptions,
) -> TakenList {
    let mut taken = TakenList {
        is_dry_run: options.is_dry_run,
        report: ListReport::default(),
        stopped: None,
    };
    let read = match form {
        Ok(form) => read_form(access, form, options, &mut taken.report).await,
        Err(code) => Err(Stopped::Refused(code)),
    };
    taken.stopped = read.err();
    taken
}

/// Reads the fields in their order: the key comes before the list.
async fn read_form(
    access: LastingAccess,
    mut form: BoundedForm,
    mut options: ListOptions,
    report: &mut ListReport,
) -> Result<(), Stopped> {
    while let Some(field) = form.next_field().await? {
        match field.name() {
            "key" => options.vapid_public_key = short_text(field).await?,
            "list" => return read_list(access, field, options, report).await,
            _ => {}
        }
    }
    Err(Stopped::Refused(ErrorCode::MissingFields))
}

/// Whoever is logged in must be so while the list arrives, which may take minutes.
async fn read_list(
    mut access: LastingAccess,
    mut field: BoundedField<'_>,
    options: ListOptions,
    report: &mut ListReport,
) -> Result<(), Stopped> {
    let (service, right) = (Arc::clone(access.service()), access.right().clone());
    let mut import = service.import_list(&right, options);
    let done = async {
        while let Some(piece) = field.chunk().await? {
            access.check_if_due().await?;
            import.read(&piece).await.map_err(stopped)?;
        }
        access.check_if_due().await?;
        import.finish().await.map_err(stopped)
    };
    let done = done.await;
    *report = import.into_report();
    done
}

/// The text of a field; an empty one is none.
async fn short_text(mut field: BoundedField<'_>) -> Result<Option<String>, Stopped> {
    let mut text = Vec::new();
    while let Some(piece) = field.chunk().await? {
        text.extend_from_slice(&piece);
        if text.len() > MAX_FIELD_BYTES {
            return Err(Stopped::Refused(ErrorCode::InvalidInput));
        }
    }
    let text = String::from_utf8(text);
    let text = text.map_err(|_| Stopped::Refused(ErrorCode::InvalidInput))?;
    Ok((!text.is_empty()).then_some(text))
}

fn stopped(error: ListError) -> Stopped {
    match error {
        ListError::Format(error) => Stopped::Format(error),
        ListError::Service(error) => error.into(),
    }
}

impl From<ServiceError> for Stopped {
    fn from(error: ServiceError) -> Self {
        if let Some(cause) = error.cause() {
            tracing::error!(error = cause, "a list was not taken");
        }
        Self::Refused(error.code())
    }
}

impl From<ErrorCode> for Stopped {
    fn from(code: ErrorCode) -> Self {
        Self::Refused(code)
    }
}

impl Stopped {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Format(_) => ErrorCode::InvalidInput,
            Self::Refused(code) => *code,
        }
    }
}
