//! What keeping the pictures of apps needs of the store (CONTRACT 11).

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};

use super::StoreError;

/// Most pictures of an app.
pub const MAX_PICTURES: i64 = 200;

/// A picture of an app, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRecord {
    /// The last part of its path below `/media`, which no other picture has.
    pub name: String,
    /// Whether a new notification of the app begins with it.
    pub is_icon: bool,
    /// When it was first uploaded.
    pub created_at: UnixMillis,
}

/// A picture to be kept.
#[derive(Clone)]
pub struct NewPicture {
    /// The app whose owner uploaded it.
    pub app_id: AppId,
    /// The last part of its path below `/media`.
    pub name: String,
    /// The pixels, encoded as a PNG by this server.
    pub content: Vec<u8>,
    /// When it is uploaded; one that is known already keeps its time.
    pub created_at: UnixMillis,
}

/// What became of a picture to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddPictureOutcome {
    /// It is kept, since now or before.
    Kept,
    /// The app has [`MAX_PICTURES`].
    LimitReached,
    /// There is no such app any more.
    NoApp,
}

/// Keeps the pictures of apps.
#[async_trait]
pub trait PictureStore {
    /// The app's pictures, the newest first.
    async fn pictures_of(&self, app: &AppId) -> Result<Vec<PictureRecord>, StoreError>;

    /// The content of the picture with this name; none when its app is deleted.
    async fn picture(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps a picture, unless the app has it, or as many as it may have.
    async fn add_picture(&self, picture: NewPicture) -> Result<AddPictureOutcome, StoreError>;

    /// Makes the picture the app's icon, in place of the one before; whether the app has it.
    async fn make_icon(&self, app: &AppId, name: &str) -> Result<bool, StoreError>;

    /// Removes the picture; whether the app had it.
    async fn delete_picture(&self, app: &AppId, name: &str) -> Result<bool, StoreError>;
}
