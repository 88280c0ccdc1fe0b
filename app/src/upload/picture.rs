//! The form that uploads a picture.

use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use hato_service::{MAX_PICTURE_BYTES, PictureError, ServiceError};

use super::bounded_form::{BoundedField, BoundedForm};
use super::{PICTURE_FIELD, Posted, Upload};
use crate::request_context::RequestContext;

/// Whether forms that are posted to the path upload a picture: they may be larger than others.
pub fn takes_picture(path: &str) -> bool {
    let app = path.strip_prefix("/apps/");
    let app = app.and_then(|rest| rest.strip_suffix("/settings"));
    app.is_some_and(|app| !app.contains('/'))
}

impl Upload {
    /// Keeps the picture; `None` when it was kept before.
    pub async fn take_picture(
        &self,
        ctx: &RequestContext,
        access: &MayManage,
    ) -> Option<Result<(), PictureError>> {
        let posted = self.posted().take()?;
        Some(match posted {
            Posted::Form(Ok(form)) => keep_picture(ctx, access, form).await,
            Posted::Form(Err(code)) => Err(refusal(code)),
            Posted::Picture(Ok(file)) => ctx.service().add_picture(access, file).await,
            Posted::Picture(Err(error)) => Err(error),
            Posted::List(_) => return None,
        })
    }
}

async fn keep_picture(
    ctx: &RequestContext,
    access: &MayManage,
    mut form: BoundedForm,
) -> Result<(), PictureError> {
    while let Some(field) = form.next_field().await.map_err(refusal)? {
        if field.name() == PICTURE_FIELD {
            let file = read_file(field).await?;
            // The session may have ended while the file arrived.
            let access = ctx.may_manage(access.app().as_str()).await?;
            return ctx.service().add_picture(&access, file).await;
        }
    }
    Err(ServiceError::from(ErrorCode::MissingFields).into())
}

async fn read_file(mut field: BoundedField<'_>) -> Result<Vec<u8>, PictureError> {
    let mut file = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(refusal)? {
        file.extend_from_slice(&piece);
        if file.len() > MAX_PICTURE_BYTES {
            return Err(PictureError::TooLarge);
        }
    }
    Ok(file)
}

/// Why a form is not read.
fn refusal(code: ErrorCode) -> PictureError {
    match code {
        ErrorCode::PayloadTooLarge => PictureError::TooLarge,
        code => ServiceError::from(code).into(),
    }
}
