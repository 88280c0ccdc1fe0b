//! Icons and badges that owners upload, which the server keeps and hands out (CONTRACT 11).
//!
//! A picture is decoded, and only its pixels are kept: what is handed out is a PNG that was made here, whatever else was in the file.

mod encoding;
#[cfg(any(test, hato_fuzzing))]
mod fuzzing;

use hato_domain::{AppId, ErrorCode};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use self::encoding::encode;
#[cfg(any(test, hato_fuzzing))]
pub use self::fuzzing::picture;
use crate::access::MayManage;
use crate::error::found;
use crate::ports::{AddPictureOutcome, NewPicture, PictureRecord};
use crate::{Service, ServiceError, ServiceResult};

/// Most bytes of a picture, as it is uploaded and as it is kept.
pub const MAX_PICTURE_BYTES: usize = 256 * 1024;

/// Decoding takes up to 60 MiB, so one picture is decoded after the other.
static DECODER: Semaphore = Semaphore::const_new(1);

/// Why a picture was not kept.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// More bytes than [`MAX_PICTURE_BYTES`], as it is or as it would be kept.
    #[error("the file has more than 256 KiB, or it would have in the form in which it is kept")]
    TooLarge,
    /// The file's content is of no format that is read.
    #[error("neither PNG nor JPEG nor WebP, or damaged")]
    NotAPicture,
    /// Its sides or its pixels are beyond what is decoded.
    #[error("more pixels than are decoded")]
    TooManyPixels,
    /// The app has [`MAX_PICTURES`](crate::ports::MAX_PICTURES).
    #[error("the app has as many pictures as it may have")]
    TooMany,
    /// The app cannot be found or changed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl PictureError {
    /// The code of the refusal.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::TooLarge | Self::TooManyPixels => ErrorCode::PayloadTooLarge,
            Self::NotAPicture | Self::TooMany => ErrorCode::InvalidInput,
            Self::Service(error) => error.code(),
        }
    }
}

impl Service {
    /// The app's pictures, the newest first.
    pub async fn pictures(&self, access: &MayManage) -> ServiceResult<Vec<PictureRecord>> {
        Ok(self.store.pictures_of(access.app()).await?)
    }

    /// The PNG with this name, for anybody; `NOT_FOUND` when it or its app is deleted.
    pub async fn picture(&self, name: &str) -> ServiceResult<Vec<u8>> {
        let content = self.store.picture(name).await?;
        Ok(content.ok_or(ErrorCode::NotFound)?)
    }

    /// Keeps the picture that is in the file: a PNG, JPEG or WebP.
    pub async fn add_picture(&self, access: &MayManage, file: Vec<u8>) -> Result<(), PictureError> {
        if file.len() > MAX_PICTURE_BYTES {
            return Err(PictureError::TooLarge);
        }
        let content = in_turn(move || encode(&file)).await??;
        let picture = NewPicture {
            app_id: access.app().clone(),
            name: name(access.app(), &content),
            content,
            created_at: self.clock.now(),
        };
        let added = self.store.add_picture(picture).await;
        match added.map_err(ServiceError::from)? {
            AddPictureOutcome::Kept => Ok(()),
            AddPictureOutcome::LimitReached => Err(PictureError::TooMany),
            AddPictureOutcome::NoApp => Err(ServiceError::from(ErrorCode::NotFound).into()),
        }
    }

    /// Makes a picture the one with which new notifications of the app begin; `NOT_FOUND` when the app does not have it.
    pub async fn make_icon(&self, access: &MayManage, name: &str) -> ServiceResult<()> {
        found(self.store.make_icon(access.app(), name).await?)
    }

    /// Deletes a picture; `NOT_FOUND` when the app does not have it.
    pub async fn delete_picture(&self, access: &MayManage, name: &str) -> ServiceResult<()> {
        found(self.store.delete_picture(access.app(), name).await?)
    }
}

/// Does the work when nobody else's is done. Its turn lasts as long as the work does, also when whoever asked for it has left.
async fn in_turn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> ServiceResult<T> {
    let turn = DECODER.acquire().await.map_err(ServiceError::internal)?;
    let done = spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    done.await.map_err(ServiceError::internal)
}

/// A name that only this content has, and only in this app: nobody learns from it what others have, or keeps what they delete.
fn name(app: &AppId, content: &[u8]) -> String {
    let hash = Sha256::new()
        .chain_update(app.as_str())
        .chain_update(content)
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    format!("{}.png", Uuid::from_bytes(bytes).simple())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use futures_util::FutureExt as _;
    use futures_util::future::join_all;
    use tokio::sync::oneshot;

    use super::{DECODER, in_turn};

    /// Panics where it is called while another one runs.
    fn alone(work: impl FnOnce()) {
        static RUNS: AtomicBool = AtomicBool::new(false);
        assert!(!RUNS.swap(true, Ordering::SeqCst), "another one runs");
        work();
        RUNS.store(false, Ordering::SeqCst);
    }

    #[tokio::test]
    async fn one_is_in_work_at_a_time_also_when_whoever_asked_for_it_has_left() {
        let (start, begun) = oneshot::channel();
        let (finish, finished) = mpsc::channel::<()>();
        let left = in_turn(move || {
            alone(|| {
                start.send(()).expect("somebody waits for it");
                finished.recv().expect("it is told to finish");
            });
        });
        assert!(left.now_or_never().is_none(), "it takes time");
        begun.await.expect("it begins");
        assert_eq!(DECODER.available_permits(), 0, "others wait");
        finish.send(()).expect("it is in work");
        let others = (0..4).map(|_| in_turn(|| alone(std::thread::yield_now)));
        for done in join_all(others).await {
            done.expect("no panic");
        }
    }
}
