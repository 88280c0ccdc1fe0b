//! The form of the compose page when it uploads a picture: what is written comes with the file, and is shown again.

use axum::extract::{DefaultBodyLimit, Request};
use hato_domain::ErrorCode;
use hato_domain::wire::MAX_BODY_BYTES;
use hato_service::{MAX_PICTURE_BYTES, PictureError, ServiceError};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use url::form_urlencoded::Serializer;

use super::bounded_form::{BoundedField, BoundedForm};
use super::{PICTURE_FIELD, Posted, Upload};
use crate::server_fns::NotificationDraft;

/// Most bytes of such a form: a file that is too large is read past, so that what is written stays.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Whether the request is such a form: it may be larger than others.
pub fn brings_picture(request: &Parts) -> bool {
    let kind = request.headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    let app = request.uri.path().strip_prefix("/apps/");
    let app = app.and_then(|rest| rest.strip_suffix("/send"));
    app.is_some_and(|app| !app.contains('/'))
        && kind.is_some_and(|kind| kind.starts_with("multipart/form-data"))
}

/// Why a draft that came with a picture is not read.
#[derive(Clone, Copy)]
pub struct UnreadDraft(pub ErrorCode);

impl Upload {
    /// What is written, and the picture or why it is not kept. A form that is not read to its end is none: what is missing may be who the
    /// notification is for. It is read before anybody is asked who they are, for whose session is over gets back what they have written: so
    /// a stranger's costs no more than one that a browser sends.
    pub async fn with_draft(mut request: Request) -> Result<(NotificationDraft, Self), ErrorCode> {
        DefaultBodyLimit::max(MAX_BYTES).apply(&mut request);
        let form = BoundedForm::of(request).await?;
        let form = DraftForm::read(form).await?;
        let fields = Serializer::new(String::new())
            .extend_pairs(&form.fields)
            .finish();
        let draft = NotificationDraft::parse(&fields)?;
        Ok((draft, Self::new(Posted::Picture(form.picture()))))
    }
}

/// The form, with the start of its file.
#[derive(Default)]
struct DraftForm {
    fields: Vec<(String, String)>,
    file: Option<Vec<u8>>,
}

impl DraftForm {
    async fn read(mut fields: BoundedForm) -> Result<Self, ErrorCode> {
        let mut form = Self::default();
        let mut room = MAX_BODY_BYTES;
        while let Some(field) = fields.next_field().await? {
            let name = field.name().to_owned();
            if name == PICTURE_FIELD {
                form.file = Some(read_start(field, MAX_PICTURE_BYTES + 1).await?);
                continue;
            }
            let text = read_start(field, room + 1).await?;
            room = room
                .checked_sub(text.len())
                .ok_or(ErrorCode::PayloadTooLarge)?;
            let text = String::from_utf8(text);
            form.fields
                .push((name, text.map_err(|_| ErrorCode::InvalidInput)?));
        }
        Ok(form)
    }

    fn picture(self) -> Result<Vec<u8>, PictureError> {
        match self.file {
            None => Err(ServiceError::from(ErrorCode::MissingFields).into()),
            Some(file) if file.len() > MAX_PICTURE_BYTES => Err(PictureError::TooLarge),
            Some(file) => Ok(file),
        }
    }
}

/// The field's first bytes, at most so many; the rest is read past.
async fn read_start(mut field: BoundedField<'_>, most: usize) -> Result<Vec<u8>, ErrorCode> {
    let mut start = Vec::new();
    while let Some(piece) = field.chunk().await? {
        let room = most - start.len();
        start.extend_from_slice(&piece[..piece.len().min(room)]);
    }
    Ok(start)
}
