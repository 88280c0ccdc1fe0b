//! A form of which little is held, whoever sends it: its parser takes a field's head of any length.

use std::error::Error as _;
use std::iter::successors;
use std::mem::replace;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, ready};

use axum::RequestExt as _;
use axum::body::{Body, Bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{Multipart, Request};
use futures_util::stream::{StreamExt as _, poll_fn};
use hato_domain::ErrorCode;
use http::StatusCode;

/// Most bytes of a field's head: its name, and the name of a file.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Most bytes of a field's name; ours have up to 20.
const MAX_NAME_BYTES: usize = 100;

/// Most fields of a form; ours have up to 50.
const MAX_FIELDS: usize = 100;

/// A form that is read field by field, each to its end, or not at all where it is as short as a head may be.
pub(super) struct BoundedForm {
    fields: Multipart,
    fields_left: usize,
    unparsed: Arc<AtomicUsize>,
}

/// A field of such a form.
pub(super) struct BoundedField<'f> {
    field: Field<'f>,
    unparsed: &'f AtomicUsize,
}

impl BoundedForm {
    /// The form of a request, of which nothing is read yet; one that is no form is `INVALID_INPUT`.
    pub async fn of(request: Request) -> Result<Self, ErrorCode> {
        let unparsed = Arc::new(AtomicUsize::new(0));
        let request = request.map(|body| bounded(body, Arc::clone(&unparsed)));
        let fields = request.extract::<Multipart, _>().await;
        Ok(Self {
            fields: fields.map_err(|_| ErrorCode::InvalidInput)?,
            fields_left: MAX_FIELDS,
            unparsed,
        })
    }

    /// The next field. One whose name or head is too long, or that is one too many, is `PAYLOAD_TOO_LARGE`, as is a form beyond the limit
    /// of its request; what is no form is `INVALID_INPUT`.
    pub async fn next_field(&mut self) -> Result<Option<BoundedField<'_>>, ErrorCode> {
        let field = self.fields.next_field().await.map_err(|it| unread(&it))?;
        self.unparsed.store(0, Ordering::Relaxed);
        let Some(field) = field else { return Ok(None) };
        if self.fields_left == 0 || field.name().is_some_and(|name| name.len() > MAX_NAME_BYTES) {
            return Err(ErrorCode::PayloadTooLarge);
        }
        self.fields_left -= 1;
        let unparsed = &*self.unparsed;
        Ok(Some(BoundedField { field, unparsed }))
    }
}

impl BoundedField<'_> {
    /// Its name; one without a name has an empty one.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// The next piece of its content; nothing at the end. Refuses as [`BoundedForm::next_field`] does.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ErrorCode> {
        let piece = self.field.chunk().await.map_err(|it| unread(&it))?;
        self.unparsed.store(0, Ordering::Relaxed);
        Ok(piece)
    }
}

/// The body, which counts its bytes in `unparsed` until the parser has found something in them. It breaks off when the parser has all that
/// fits into a head and asks for more. The parser takes whatever is there before it looks: so it is told once that there is nothing for now.
fn bounded(body: Body, unparsed: Arc<AtomicUsize>) -> Body {
    let mut pieces = body.into_data_stream();
    let mut has_looked = false;
    Body::from_stream(poll_fn(move |context| {
        if unparsed.load(Ordering::Relaxed) < MAX_HEAD_BYTES {
            has_looked = false;
            let piece = ready!(pieces.poll_next_unpin(context));
            let bytes = piece.as_ref().and_then(|it| it.as_ref().ok());
            unparsed.fetch_add(bytes.map_or(0, Bytes::len), Ordering::Relaxed);
            return Poll::Ready(piece);
        }
        if replace(&mut has_looked, true) {
            let too_large = axum::Error::new(ErrorCode::PayloadTooLarge);
            return Poll::Ready(Some(Err(too_large)));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }))
}

/// Why a form is not read: what [`bounded`] has said, or else the parser.
fn unread(error: &MultipartError) -> ErrorCode {
    let mut causes = successors(error.source(), |&cause| cause.source());
    let bound = causes.find_map(|cause| cause.downcast_ref::<ErrorCode>().copied());
    bound.unwrap_or(match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::PayloadTooLarge,
        _ => ErrorCode::InvalidInput,
    })
}
