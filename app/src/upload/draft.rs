//! The form of the compose page when it uploads a picture: what is written comes with the file, and is shown again.

use axum::RequestExt as _;
use axum::extract::multipart::Field;
use axum::extract::{DefaultBodyLimit, Multipart, Request};
use hato_domain::ErrorCode;
use hato_domain::wire::MAX_BODY_BYTES;
use hato_service::{MAX_PICTURE_BYTES, PictureError, ServiceError};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use url::form_urlencoded::Serializer;

use super::picture::refusal;
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

impl Upload {
    /// What is written, and the picture or why it is not read.
    pub async fn with_draft(mut request: Request) -> (NotificationDraft, Self) {
        DefaultBodyLimit::max(MAX_BYTES).apply(&mut request);
        let mut form = DraftForm::default();
        let read = match request.extract::<Multipart, _>().await {
            Ok(fields) => form.read(fields).await,
            Err(_) => Err(ServiceError::from(ErrorCode::InvalidInput).into()),
        };
        let picture = read.and_then(|()| form.picture());
        let fields = Serializer::new(String::new())
            .extend_pairs(form.fields)
            .finish();
        let draft = NotificationDraft::parse(&fields).unwrap_or_default();
        (draft, Self::new(Posted::Picture(picture)))
    }
}

/// The form as far as it was read.
#[derive(Default)]
struct DraftForm {
    fields: Vec<(String, String)>,
    file: Option<Vec<u8>>,
}

impl DraftForm {
    async fn read(&mut self, mut form: Multipart) -> Result<(), PictureError> {
        let mut room = MAX_BODY_BYTES;
        while let Some(field) = form.next_field().await.map_err(|it| refusal(it.status()))? {
            let name = field.name().unwrap_or_default().to_owned();
            if name == PICTURE_FIELD {
                self.file = Some(read_start(field, MAX_PICTURE_BYTES + 1).await?);
                continue;
            }
            let text = read_start(field, room + 1).await?;
            room = room
                .checked_sub(text.len())
                .ok_or_else(|| refusal(StatusCode::PAYLOAD_TOO_LARGE))?;
            let text = String::from_utf8(text);
            let text = text.map_err(|_| refusal(StatusCode::BAD_REQUEST))?;
            self.fields.push((name, text));
        }
        Ok(())
    }

    fn picture(&mut self) -> Result<Vec<u8>, PictureError> {
        match self.file.take() {
            None => Err(ServiceError::from(ErrorCode::MissingFields).into()),
            Some(file) if file.len() > MAX_PICTURE_BYTES => Err(PictureError::TooLarge),
            Some(file) => Ok(file),
        }
    }
}

/// The field's first bytes, at most so many; the rest is read past.
async fn read_start(mut field: Field<'_>, most: usize) -> Result<Vec<u8>, PictureError> {
    let mut start = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(|it| refusal(it.status()))? {
        let room = most - start.len();
        start.extend_from_slice(&piece[..piece.len().min(room)]);
    }
    Ok(start)
}
